import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder
from xgboost import XGBClassifier

rng = np.random.default_rng(0)
X = pd.DataFrame({"age": rng.integers(18, 80, 200).astype(float), "income": rng.normal(size=200), "city": rng.choice(["A", "B", "C"], 200)})
y = (X["age"] > 45).astype(int) + (X["city"] == "B")
X.loc[::9, "income"] = np.nan
numbers = Pipeline([("impute", SimpleImputer(strategy="median"))])
columns = ColumnTransformer([("num", numbers, ["age", "income"]), ("cat", OneHotEncoder(handle_unknown="ignore"), ["city"])])
model = Pipeline([("columns", columns), ("clf", XGBClassifier(n_estimators=30, learning_rate=0.3, max_depth=4, use_label_encoder=False))])
model.set_params(clf__n_estimators=40, clf__gamma=0.0)
model.fit(X[:150], y[:150])
assert model.score(X[150:], y[150:]) > 0.85
assert model.named_steps["clf"].n_estimators == 40
