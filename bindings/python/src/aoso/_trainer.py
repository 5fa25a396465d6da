"""The functions of the C library that train step by step."""

from __future__ import annotations

import ctypes as c
import os
from collections.abc import Sequence

import numpy as np

from . import _structs as structs
from . import errors
from ._capi import _PHASES, _STOPPED_BY, Array, Params, Ranks, _calls, _creates, _encoded_path, _model_of, _optional, _read_evaluation
from ._input import address as _address
from ._library import Handle, _call, _create, _string
from ._scalars import number, seconds
from ._objective import Objective
from ._progress import Result, Step
from ._split import Split
from .suspicious import SuspiciousRows


def create(
    train: Handle,
    params: Params,
    valid: Handle | None,
    others: Sequence[Handle],
    eval_every: int,
    ranks: Ranks | None = None,
    objective: Objective | None = None,
    class_weights: Array | None = None,
    checkpoint: tuple[str | os.PathLike[str], float] | None = None,
    split: Split | None = None,
) -> Handle:
    """A training; ``valid`` decides, and ``others`` are only evaluated. A checkpoint is a file, and the seconds between two saves."""
    o = structs.TrainOptions()
    o.class_weights, o.num_class_weights = _optional(class_weights)
    o.set_integer("eval_every", eval_every)
    if valid is not None:
        o.valid = valid._as_parameter_
    o.others, o.num_others = (c.c_void_p * len(others))(*(other._as_parameter_.value for other in others)), len(others)
    if checkpoint is not None:
        if not checkpoint[0]:
            raise errors.ArgumentError(f"checkpoint is {checkpoint[0]!r}; allowed: the path of a file")
        o.checkpoint, o.checkpoint_seconds = _encoded_path(checkpoint[0]), seconds("checkpoint_seconds", checkpoint[1])
    if split is not None:
        split.write(o)
    if objective is None:
        return _creates(ranks)("trainer_create", train, params.struct, o)
    o.objective = objective.callback
    return objective.create(_calls(ranks), "trainer_create", train, params.struct, o)


def step(trainer: Handle, ranks: Ranks | None = None, objective: Objective | None = None) -> Step:
    """One iteration, without the GIL."""
    p = structs.Progress()
    if objective is None:
        _calls(ranks)("trainer_step", trainer, p)
    else:
        objective.call(_calls(ranks), "trainer_step", trainer, p)
    return _read_step(p)


def checkpoint_error(trainer: Handle) -> str:
    """Why the last save of the checkpoint failed; empty: it did not."""
    return _string("trainer_checkpoint_error", trainer)


def interrupt(trainer: Handle) -> None:
    """Have the next step end training, on all ranks."""
    _call("trainer_interrupt", trainer)


def set_learning_rate(trainer: Handle, rate: float, ranks: Ranks | None = None) -> None:
    """Change the learning rate from the next iteration on."""
    _calls(ranks)("trainer_set_learning_rate", trainer, number("learning_rate", rate))


def judge(trainer: Handle, value: float) -> Step:
    """Tell the value of the metric "custom" after a step: lower is better."""
    p = structs.Progress()
    _call("trainer_judge", trainer, value, p)
    return _read_step(p)


def measure(trainer: Handle, number: int, metric: str, ranks: Ranks | None = None) -> float:
    """A metric of the model so far on a validation set."""
    out = c.c_double()
    _calls(ranks)("trainer_measure", trainer, number, metric.encode(), c.byref(out))
    return out.value


def scores(trainer: Handle, number: int, rows: int, classes: int) -> Array:
    """The raw scores of the model so far on a validation set: the one that decides is number 0, if there is one."""
    out = np.empty((rows, classes))
    _call("trainer_scores", trainer, number, _address(out), out.size)
    return out


def suspicious_rows(trainer: Handle, most: int, classes: Array, ranks: Ranks | None = None) -> SuspiciousRows:
    """At most ``most`` of the held-out rows, the least likely labels first."""
    out, count = np.empty(most, structs.SUSPICIOUS_ROW), c.c_int64()
    _calls(ranks)("trainer_suspicious_rows", trainer, _address(out), len(out), c.byref(count))
    rows = out[: count.value]
    return SuspiciousRows(
        rows["row"].copy(),
        classes[rows["label"]],
        rows["probability"].copy(),
        classes[rows["other"]],
        rows["other_probability"].copy(),
        rows["suspected"] == 1,
    )


def _read_step(p: structs.Progress) -> Step:
    return Step(
        _PHASES[p.phase],
        p.iteration,
        p.trees,
        p.max_trees,
        p.best,
        p.seconds,
        _STOPPED_BY[p.stopped_by],
        p.train_loss if p.evaluated else None,
        _read_evaluation(p.valid) if p.evaluated and p.has_valid else None,
        tuple(_read_evaluation(p.others[i]) for i in range(p.num_others)),
    )


def model(trainer: Handle, ranks: Ranks | None = None) -> tuple[Handle, Result]:
    """The model so far."""
    return _model_of("trainer", trainer, ranks)


def local_model(trainer: Handle) -> Handle:
    """The model so far, without a call of the ranks."""
    return _create("trainer_local_model", trainer)
