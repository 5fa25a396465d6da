import pickle

import joblib
from sklearn.datasets import load_iris
from xgboost import XGBClassifier

X, y = load_iris(return_X_y=True)
model = XGBClassifier(n_estimators=20, max_depth=3, eta=0.3, seed=7, nthread=2).fit(X, y)
joblib.dump(model, "model.joblib")
same = joblib.load("model.joblib")
assert (same.predict_proba(X) == model.predict_proba(X)).all()
assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
model.save_model("model.ubj")
loaded = XGBClassifier()
loaded.load_model("model.ubj")
assert (loaded.predict(X) == model.predict(X)).all()
assert loaded.get_booster() is not None
