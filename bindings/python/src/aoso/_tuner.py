"""The functions of the C library that search for parameters."""

from __future__ import annotations

import os
from typing import Any

from . import _structs as structs
from ._capi import _PHASES, _STOPPED_BY, Params, _encoded_path, _model_of, _read_params
from ._library import Handle, _call, _create, _string
from ._progress import Result, Search
from ._split import Split


def create(train: Handle, params: Params, valid: Handle | None, trials: int, table: str | os.PathLike[str] | None, split: Split) -> Handle:
    o = structs.TuneOptions(trials=trials, table=None if table is None else _encoded_path(table))
    if valid is not None:
        o.valid = valid._as_parameter_
    split.write(o)
    return _create("tuner_create", train, params.struct, o)


def step(tuner: Handle) -> Search:
    """One iteration, without the GIL."""
    p = structs.TuneProgress()
    _call("tuner_step", tuner, p)
    return Search(
        _PHASES[p.phase], p.trial, p.rung, p.iteration, p.trials, p.seconds, p.log_loss, p.errors, _STOPPED_BY[p.stopped_by]
    )


def model(tuner: Handle) -> tuple[Handle, Result]:
    """The best model so far."""
    return _model_of("tuner", tuner)


def found(tuner: Handle) -> dict[str, Any]:
    """The parameters of that model."""
    values = _read_params(_string("tuner_params", tuner))
    return {name: value for name, value in values.items() if name not in ("nthread", "level")}


def trials(tuner: Handle) -> str:
    """The trials table as CSV."""
    return _string("tuner_trials", tuner)
