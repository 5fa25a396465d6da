import lightgbm as lgb
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from lightgbm import LGBMClassifier
from sklearn.datasets import load_wine

X, y = load_wine(return_X_y=True, as_frame=True)
model = LGBMClassifier(n_estimators=20, importance_type="gain", verbose=-1)
model.fit(X[::2], y[::2], eval_set=[(X[1::2], y[1::2])], eval_names=["valid"])
ax = lgb.plot_importance(model)
assert len(ax.patches) > 0
ax = lgb.plot_metric(model)
assert len(ax.lines) > 0
plt.savefig("metric.png")
plt.close("all")
