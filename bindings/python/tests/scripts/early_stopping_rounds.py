import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from xgboost import XGBClassifier

X, y = load_iris(return_X_y=True)
X_train, X_valid, y_train, y_valid = train_test_split(X, y, test_size=0.4, stratify=y, random_state=1)
model = XGBClassifier(
    n_estimators=300,
    max_depth=3,
    learning_rate=0.2,
    subsample=0.9,
    colsample_bytree=0.9,
    objective="multi:softprob",
    eval_metric="mlogloss",
    early_stopping_rounds=10,
    tree_method="hist",
    n_jobs=2,
    random_state=42,
)
model.fit(X_train, y_train, eval_set=[(X_train, y_train), (X_valid, y_valid)], verbose=False)
curve = model.evals_result()["validation_1"]["mlogloss"]
assert int(np.argmin(curve)) == model.best_iteration == len(curve) - 11
best = model.predict(X_valid, iteration_range=(0, model.best_iteration + 1))
assert (best == model.predict(X_valid)).all() and (best == y_valid).mean() > 0.85
assert model.get_params()["max_depth"] == 3
