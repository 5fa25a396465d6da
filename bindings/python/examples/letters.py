"""Letters: training, early stopping, what the model has learned, and plots.

Read it as a notebook: editors show each ``# %%`` as a cell. Or run it as a script with a folder for the plots:

    python letters.py plots
"""

# %% The data: 20,000 images of capital letters, each described by 16 numbers; the last 4,000 are for testing.
import sys
from pathlib import Path

import matplotlib
import pandas as pd

matplotlib.use("Agg")

import aoso
from aoso import plotting

plots = Path(sys.argv[1] if len(sys.argv) > 1 else "plots")
plots.mkdir(parents=True, exist_ok=True)
letters = pd.read_csv(Path(__file__).parents[3] / "testdata" / "letter.csv.gz")
X, y = letters.drop(columns="letter"), letters["letter"]
X_train, X_valid, X_test = X[:14000], X[14000:16000], X[16000:]
y_train, y_valid, y_test = y[:14000], y[14000:16000], y[16000:]

# %% One tree per iteration for all 26 classes. Training ends after 30 iterations without a better log loss on the validation set.
model = aoso.AOSOClassifier(n_estimators=3000, learning_rate=0.3, early_stopping_rounds=30, n_jobs=-1)
model.fit(X_train, y_train, eval_set=[(X_train, y_train), (X_valid, y_valid)], eval_names=["training", "validation"])
print(f"{model.n_iter_} iterations, the best is {model.best_iteration_}; test error {1 - model.score(X_test, y_test):.4f}")


# %% How the log loss fell. The curve of the training set ends at the best iteration, as the model does.
def save(ax, name):
    ax.figure.savefig(plots / f"{name}.png", dpi=110)


save(plotting.plot_metric(model), "metric")
save(plotting.plot_metric(model, "error"), "error")

# %% Which features the splits use.
save(plotting.plot_importance(model), "importance")

# %% Which letters are hard to tell apart: on the test rows, and by the number of splits on each pair.
save(plotting.plot_class_pairs(model, X_test, y_test), "confusion")
save(plotting.plot_class_pairs(model), "class_pairs")

# %% A small tree. Each node shows the pairs of letters that it tells apart.
small = aoso.AOSOClassifier(n_estimators=1, max_leaves=8).fit(X_train, y_train)
save(plotting.plot_tree(small), "tree")
