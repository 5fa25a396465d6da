import numpy as np
import shap
from lightgbm import LGBMClassifier
from sklearn.datasets import load_iris

X, y = load_iris(return_X_y=True)
model = LGBMClassifier(n_estimators=10, num_leaves=5, min_data_in_leaf=3, verbose=-1).fit(X, y)
explainer = shap.TreeExplainer(model)
explanation = explainer(X)
assert explanation.shape == (150, 4, 3)
scores = explanation.values.sum(axis=1) + explanation.base_values
assert (scores.argmax(axis=1) == model.predict(X)).all()
strongest = np.abs(explanation.values).mean(axis=(0, 2)).argmax()
assert strongest in (2, 3)  # the petals
