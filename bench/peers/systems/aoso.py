"""This library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import aoso
import numpy as np

from bench import machine
from bench.peers.clock import Clock
from bench.sets import Set

# Options of datasets, not of training.
DATASET = ("max_bin", "categorical_features")


class Aoso:
    version = machine.version()

    def suggested(self, data: Set) -> dict[str, Any]:
        return aoso.suggest_params(*data.x.shape, data.classes) | {"calibration": "none"}

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        params = {"nthread": threads} | ({"n_estimators": iterations} if iterations else {}) | params
        options = {name: params.pop(name) for name in DATASET if name in params}
        self._threads, trees = threads, 0

        def tick(progress: aoso.Progress) -> bool:
            nonlocal trees
            if progress.trees <= trees:  # training tries other settings, or begins to train on all rows
                clock.forget()
            trees = progress.trees
            return trees > 0 and clock.tick()  # 0: training with held-out rows

        clock.start()
        data = aoso.Dataset(x, y, nthread=threads, **options)
        self.model = aoso.train(params, data, eval_every=2**31 - 1, callbacks=[tick])

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        for stage in stages:
            trees = min(stage * self.model.trees_per_iteration, self.model.num_trees)  # an ensemble that is interrupted is one member
            yield self.model.predict_raw(x, trees=trees) / self.model.temperature

    def proba(self, x: np.ndarray) -> np.ndarray:
        return self.model.predict_proba(x, nthread=self._threads)

    def row_proba(self, row: np.ndarray) -> np.ndarray:
        return self._row_predictor.predict_proba(row)

    @cached_property
    def _row_predictor(self) -> aoso.RowPredictor:
        return self.model.row_predictor()

    def trees(self) -> int:
        return self.model.num_trees

    def size(self) -> int:
        return len(self.model.to_bytes())


SYSTEMS = {"aoso": Aoso}
