"""CatBoost: one tree with vector leaves in each iteration."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import catboost
import numpy as np

from bench.peers.clock import Clock
from bench.peers.systems.binary import both


DEFAULT_ITERATIONS = 1000


class CatBoost:
    version = catboost.__version__

    def train(
        self, x: np.ndarray, y: np.ndarray, params: dict[str, Any], iterations: int | None, threads: int, clock: Clock
    ) -> None:
        self._threads = threads
        self.model = catboost.CatBoostClassifier(
            iterations=iterations or DEFAULT_ITERATIONS,
            loss_function="MultiClass" if y.max() > 1 else "Logloss",
            thread_count=threads,
            metric_period=iterations or DEFAULT_ITERATIONS,
            allow_writing_files=False,
            logging_level="Silent",
            **params,
        )
        clock.start()
        self.model.fit(x, y, callbacks=[_Ticking(clock)])

    def staged(self, x: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        pool, scores = catboost.Pool(x), 0
        for first, last in pairwise([0, *stages]):
            scores += self.model.predict(
                pool, prediction_type="RawFormulaVal", ntree_start=first, ntree_end=last, thread_count=self._threads
            )
            yield both(scores, 0)

    def proba(self, x: np.ndarray) -> np.ndarray:
        return self.model.predict_proba(x, thread_count=self._threads)

    def row_proba(self, row: np.ndarray) -> np.ndarray:
        return self.proba(row[None])

    def trees(self) -> int:
        return self.model.tree_count_

    def size(self) -> int:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.cbm"
            self.model.save_model(path)
            return path.stat().st_size


class _Ticking:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def after_iteration(self, info: Any) -> bool:
        return not self._clock.tick()


SYSTEMS = {"catboost": CatBoost}
