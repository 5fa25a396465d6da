"""Trains through the Python package on behalf of the torture program. client.go describes the protocol."""

import sys
from pathlib import Path

import numpy as np

import aoso


def train(rows: str, cols: str, weighted: str, folder: str, *items: str) -> str:
    params = dict(item.split("=") for item in items)
    path = Path(folder)
    x = np.fromfile(path / "x").reshape(int(rows), int(cols))
    weight = np.fromfile(path / "weights") if weighted == "1" else None
    train_set = aoso.Dataset(x, np.fromfile(path / "y", np.int32), weight=weight)
    booster = aoso.train({name: value for name, value in params.items() if value}, train_set)
    booster.predict_raw(x).astype(float).tofile(path / "raw")
    return f"{booster.fingerprint} {booster.result.train_loss!r}"


for line in sys.stdin:
    try:
        answer = train(*line.split())
    except aoso.errors.ArgumentError as error:
        answer = f"error {error}"
    print(answer, flush=True)
