import lightgbm as lgb
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

X, y = load_wine(return_X_y=True)
X_train, X_valid, y_train, y_valid = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
train_set = lgb.Dataset(X_train, label=y_train)
valid_set = lgb.Dataset(X_valid, label=y_valid, reference=train_set)
params = {"objective": "multiclass", "num_class": 3, "metric": "multi_logloss", "learning_rate": 0.1, "num_leaves": 15, "verbosity": -1}
history = {}
model = lgb.train(
    params,
    train_set,
    num_boost_round=100,
    valid_sets=[valid_set],
    valid_names=["valid"],
    callbacks=[lgb.early_stopping(10, verbose=False), lgb.record_evaluation(history)],
)
predicted = model.predict(X_valid).argmax(axis=1)
assert (predicted == y_valid).mean() > 0.85
assert len(history["valid"]) > 0
