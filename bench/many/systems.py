"""The systems that are compared. Those of bench.peers are called as they are there; the others are those that it lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bench.many.ngrams import NGrams
from bench.many.places import CATEGORICAL
from bench.peers import systems
from bench.peers.clock import Clock

TREES = 100  # of a forest, the default of scikit-learn
FOREST_LEAVES = 4096
BLOCK = 10_000  # rows that a network is given at a time
PASSES = 15  # of a network with hidden units over the rows
FREQUENCIES = 0.05  # share of the class frequencies in the probabilities of neighbours, which give most classes none
UNBOUNDED = 1_000_000  # iterations
LEAST = 1e-15  # the least probability that a log loss counts, as forests have some that are 0

# Systems by name with the parameters that differ from the library's defaults. With start=zero, aoso holds no rows out, since
# the time is given.
PARAMS: dict[str, dict[str, Any]] = {
    "aoso": {},
    "aoso-categories": {"categorical_features": CATEGORICAL},
    "aoso-sparse": {"leaf": "sparse"},
    "aoso-zero": {"start": "zero", "calibration": "none"},
    "aoso-sparse-zero": {"leaf": "sparse", "start": "zero", "calibration": "none"},
    "lightgbm": {},
    "xgboost": {},
    "xgboost-vector": {},
    "catboost": {},
    "forest": {},
    "forest-leaves": {"max_leaf_nodes": FOREST_LEAVES},
    "logistic": {},
    "softmax": {},
    "means": {},
    "network": {"batch_size": 128, "learning_rate_init": 0.002},
    "neighbours": {"n_neighbors": 50, "weights": "distance"},
    "frequencies": {},
    "unigram": {},
    "trigram": {},
}

# Systems that see the words before a row in place of its features.
OF_WORDS = ("unigram", "trigram")
# Systems that know categories, or need them in another form, and those that only numbers suit.
OF_PLACES = ("aoso-categories", "network", "neighbours", "frequencies")
OF_NUMBERS = ("logistic", "softmax", "means")


def suits(name: str, kind: str) -> bool:
    """Whether a system is compared on data of a kind."""
    if name in OF_WORDS:
        return kind == "words"
    return name not in (OF_NUMBERS if kind == "places" else OF_PLACES)


TITLES = {
    "aoso": "aoso",
    "aoso-categories": "aoso, categories",
    "aoso-sparse": "aoso, sparse leaves",
    "aoso-zero": "aoso, start=zero",
    "aoso-sparse-zero": "aoso, start=zero, sparse leaves",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "xgboost-vector": "XGBoost, vector leaves",
    "catboost": "CatBoost",
    "forest": "random forest",
    "forest-leaves": f"random forest of {FOREST_LEAVES:,} leaves a tree",
    "logistic": "linear softmax, L-BFGS",
    "softmax": "linear softmax, Adam",
    "means": "nearest mean of a class",
    "network": "network of 256 units",
    "neighbours": "50 nearest neighbours, weighted",
    "frequencies": "class frequencies",
    "unigram": "frequency of the words",
    "trigram": "trigrams with back-off",
}

# Systems whose model can predict while it is trained. The others are evaluated at the same steps after training.
LIVE = {"lightgbm", "xgboost", "xgboost-vector", "forest", "forest-leaves", "softmax", "network"}


class Staged:
    """A model of scikit-learn that predicts while it is trained."""

    version = sklearn.__version__
    model: Any

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        yield np.log(np.maximum(self.model.predict_proba(x), LEAST))


class Forest(Staged):
    """scikit-learn's random forest. An iteration is a tree."""

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        self.model = RandomForestClassifier(0, warm_start=True, n_jobs=threads, random_state=0, **params)
        clock.start()
        for trees in range(1, (iterations or TREES) + 1):
            self.model.set_params(n_estimators=trees).fit(x, y)
            if clock.tick():
                break


class Network(Staged):
    """A network that Adam trains; without hidden units, it is a linear softmax. An iteration is a pass over the rows."""

    def __init__(self, hidden: tuple[int, ...], passes: int = UNBOUNDED) -> None:
        self.hidden, self.passes = hidden, passes

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        classes = np.arange(y.max() + 1)
        self.model = MLPClassifier(self.hidden, random_state=0, **params)
        order = np.random.default_rng(0)
        clock.start()
        for _ in range(iterations or self.passes):
            rows = order.permutation(len(y))
            for block in np.array_split(rows, max(1, len(y) // BLOCK)):
                self.model.partial_fit(x[block], y[block], classes=classes)
            if clock.tick():
                break


class Neighbours:
    """The shares of the classes among the nearest rows, weighted by their distances."""

    version = sklearn.__version__

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        clock.start()
        counts = np.bincount(y) + 0.5
        self.frequencies = counts / counts.sum()
        self.model = KNeighborsClassifier(n_jobs=threads, **params).fit(x, y)
        clock.tick()

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        yield np.log((1 - FREQUENCIES) * self.model.predict_proba(x) + FREQUENCIES * self.frequencies)


class Encoded:
    """A system that is given standardized numbers, and indicators of the categories."""

    def __init__(self, system: Any) -> None:
        self.system, self.version = system, system.version

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        numbers = [j for j in range(x.shape[1]) if j not in CATEGORICAL]
        self.encoder = make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), CATEGORICAL))
        self.system.train(self.encoder.fit_transform(x), y, params, iterations, threads, clock)

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        yield from self.system.staged(self.encoder.transform(x), stages)


class Logistic:
    """A linear softmax, trained by L-BFGS. There is no callback: it trains for as many iterations as the library sets, 100."""

    version = sklearn.__version__

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        self.model = LogisticRegression(**params)
        clock.start()
        self.model.fit(x, y)
        clock.tick()

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        yield self.model.decision_function(x)


class Means:
    """The class whose rows have the nearest mean: the best classifier for Gaussians of unit variance, up to the error of the
    means."""

    version = ""

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        clock.start()
        sums = np.zeros((y.max() + 1, x.shape[1]))
        np.add.at(sums, y, x)
        self.means = sums / np.bincount(y)[:, None]
        clock.tick()

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        yield x @ self.means.T - (self.means**2).sum(axis=1) / 2


OTHERS = {
    "forest": Forest,
    "logistic": Logistic,
    "softmax": lambda: Network(()),
    "means": Means,
    "network": lambda: Encoded(Network((256,), PASSES)),
    "neighbours": lambda: Encoded(Neighbours()),
    "frequencies": lambda: NGrams(0),
    "unigram": lambda: NGrams(0),
    "trigram": lambda: NGrams(2),
}


def make(name: str) -> Any:
    """The system with the given name, with ``train`` and ``staged`` as in bench.peers.systems."""
    own = OTHERS.get(name.split("-")[0])
    return own() if own else systems.make("aoso" if name.startswith("aoso") else name)
