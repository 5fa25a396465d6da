from lightgbm import LGBMClassifier
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score

X, y = load_iris(return_X_y=True)
cv = StratifiedKFold(n_splits=3, shuffle=True, random_state=0)
model = LGBMClassifier(n_estimators=20, num_leaves=7, min_child_samples=5, reg_lambda=1.0, random_state=0, verbosity=-1)
scores = cross_val_score(model, X, y, cv=cv, scoring="neg_log_loss")
proba = cross_val_predict(model, X, y, cv=cv, method="predict_proba")
assert scores.shape == (3,) and scores.mean() > -0.5
assert (proba.argmax(axis=1) == y).mean() > 0.9
