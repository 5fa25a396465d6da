import gzip
import importlib.metadata
import json
import os
import random
import subprocess
import time
from pathlib import Path

os.environ["SCIPY_ARRAY_API"] = "1"  # before scipy is imported: one of scikit-learn's checks needs it

import numpy as np
import pytest

import aoso

ROOT = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("AOSO_DATA", ROOT.parent / "shared" / "data"))
SEED = os.environ.get("AOSO_TEST_SEED") or time.strftime("%Y%m%d", time.gmtime())


@pytest.fixture(scope="session")
def letters():
    """Letter: 20,000 rows × 16 integers, labels A to Z, and the names of the features."""
    with gzip.open(ROOT / "testdata/letter.csv.gz", "rt") as file:
        names = file.readline().strip().split(",")[:-1]
        rows = [line.strip().split(",") for line in file]
    return np.array([row[:-1] for row in rows], float), np.array([row[-1] for row in rows]), names


@pytest.fixture(scope="session")
def small():
    """150 rows × 4 in three classes, which a few trees tell apart."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 50)
    return rng.normal(size=(150, 4)) + 2 * y[:, None] * [1, 0.5, 0, -1], y


METHODS = [
    {},
    {"leaf": "pair", "pairs": 1, "trim": 0},
    {"leaf": "pair", "pairs": 4},
    {"method": "abc"},
    {"method": "logitboost"},
]


@pytest.fixture(scope="session", params=METHODS, ids=str)
def any_method(request, letters):
    """A model of each method, trained on the first 2000 letters."""
    x, y, names = letters
    trees = 26 * 4 if "method" in request.param else 30
    return aoso.train({"preset": "paper", "n_estimators": trees, **request.param}, aoso.Dataset(x[:2000], y[:2000], feature_names=names))


@pytest.fixture(scope="session")
def booster(letters):
    """A model of 300 trees without a temperature, trained on the first 4000 letters."""
    x, y, names = letters
    return aoso.train({"preset": "paper", "n_estimators": 300}, aoso.Dataset(x[:4000], y[:4000], feature_names=names))


@pytest.fixture(scope="session")
def by_default(letters):
    """A model of the defaults, trained on the first 1000 letters, the Progress of each iteration, and the history."""
    x, y, _ = letters
    seen, history = [], {}
    callbacks = [seen.append, aoso.record_evaluation(history)]
    return aoso.train(None, aoso.Dataset(x[:1000], y[:1000]), callbacks=callbacks), seen, history


@pytest.fixture
def trained_by_command(tmp_path):
    """Trains by ``aoso train`` on a CSV file; gives its JSON line."""
    command = ROOT / "bin/aoso"
    assert command.exists(), "bin/aoso is missing: run make build"

    def train(data, *flags):
        line = subprocess.run(
            [command, "train", "--data", data, "--model", tmp_path / "command.aoso", "--json", *flags],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        return json.loads(line)

    return train


def pytest_collection_modifyitems(config, items):
    """Leave out what only AOSO_TESTS=long runs: tests marked ``long``, and cases of ``sampled(n)`` beyond n drawn by the day."""
    if os.environ.get("AOSO_TESTS") == "long":
        return
    tests = {}
    for item in items:
        if sampled := item.get_closest_marker("sampled"):
            tests.setdefault(item.nodeid.split("[")[0], (sampled.args[0], []))[1].append(item)
    left_out = {item for item in items if item.get_closest_marker("long")}
    for name, (n, cases) in tests.items():
        draw = random.Random(f"{SEED} {name}")
        left_out.update(draw.sample(cases, max(len(cases) - n, 0)))
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def pytest_report_header():
    installed = {name: list(importlib.metadata.distributions(name=name)) for name in ("aoso", "numpy", "scikit-learn")}
    versions = [f"{name} {found[0].version}" for name, found in installed.items() if found]
    data = f"data of {SHARED}" if SHARED.is_dir() else f"without the data of {SHARED}, which is not there"
    return f"{', '.join(versions)}; {aoso.__file__}; {data}; AOSO_TEST_SEED={SEED}"
