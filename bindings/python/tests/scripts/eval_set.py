from lightgbm import LGBMClassifier, early_stopping, log_evaluation
from sklearn.datasets import load_wine
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split

X, y = load_wine(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
model = LGBMClassifier(objective="multiclass", n_estimators=200, learning_rate=0.1, num_leaves=15, min_child_samples=5, verbose=-1)
model.fit(
    X_train,
    y_train,
    eval_set=[(X_train, y_train), (X_test, y_test)],
    eval_metric="multi_logloss",
    callbacks=[early_stopping(stopping_rounds=10, verbose=False), log_evaluation(period=0)],
)
proba = model.predict_proba(X_test, num_iteration=model.best_iteration_)
assert 0 < model.best_iteration_ <= model.n_estimators_
assert log_loss(y_test, proba) < 0.5 and accuracy_score(y_test, model.predict(X_test)) > 0.85
assert len(model.feature_name_) == len(model.feature_importances_) == X.shape[1]
