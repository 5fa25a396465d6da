import numpy as np
from lightgbm import LGBMClassifier
from sklearn.datasets import load_iris

X, y = load_iris(return_X_y=True)
model = LGBMClassifier(n_estimators=10, num_leaves=5, min_data_in_leaf=3, verbose=-1).fit(X, y)
contributions = model.predict(X, pred_contrib=True)
assert contributions.shape == (150, 3 * 5)
by_class = contributions.reshape(150, 3, 5)
strongest = np.abs(by_class[:, :, :-1]).mean(axis=(0, 1)).argmax()
assert strongest in (2, 3)  # the petals
assert (by_class.sum(axis=2).argmax(axis=1) == model.predict(X)).mean() == 1
