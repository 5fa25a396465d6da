from lightgbm import LGBMClassifier
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

X, y = load_iris(return_X_y=True)
grid = {"num_leaves": [4, 8], "learning_rate": [0.05, 0.3]}
search = GridSearchCV(LGBMClassifier(n_estimators=10, verbose=-1), grid, cv=3, scoring="accuracy", n_jobs=1)
search.fit(X, y)
assert set(search.best_params_) == set(grid) and search.best_score_ > 0.9
assert search.best_estimator_.num_leaves == search.best_params_["num_leaves"]
ranges = {"min_child_samples": [1, 5, 20], "colsample_bytree": [0.5, 1.0], "reg_lambda": [0.0, 1.0, 10.0]}
draws = RandomizedSearchCV(LGBMClassifier(n_estimators=10, verbose=-1), ranges, n_iter=3, cv=3, random_state=0).fit(X, y)
assert set(draws.best_params_) == set(ranges)
