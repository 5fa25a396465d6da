"""Parameters by the names and values that LightGBM, XGBoost, CatBoost and scikit-learn have for them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _capi
from ._parameters import ALIASES, ELSEWHERE, FOREIGN, FORMER, NEAREST, TYPES, VALUES
from ._scalars import plain
from .errors import ArgumentError

_log = logging.getLogger("aoso")
_said: set[str] = set()

# What a name stands for: a parameter, or an argument of Dataset.
OURS = {name: name for name in TYPES} | {
    name: ours for table in (ALIASES, FORMER, ELSEWHERE) for ours, names in table.items() for name in names.split()
}
_FORMER = {name for names in FORMER.values() for name in names.split()}
# The values that change nothing, and what to do about others.
_FOREIGN = {name: (values.split(), advice) for names, values, advice in FOREIGN for name in names.split()}
_VALUES, _NEAREST = (
    {ours: dict(pair.split("=") for pair in pairs.split()) for ours, pairs in table.items()} for table in (VALUES, NEAREST)
)
_ROUNDS = 10  # that scikit-learn's early_stopping=True waits for


class Parameters(NamedTuple):
    """What parameters mean here."""

    training: dict[str, Any]
    dataset: dict[str, Any]


def known(name: str) -> bool:
    """Whether it is a parameter of ours or of another library."""
    return name in OURS or name in _FOREIGN


def parameters(params: Any, check: bool = True, feval: Any = None, **arguments: Any) -> Parameters:
    """Parameters by our names, of a dict and of other arguments. What they became is said once.

    All that is wrong is one error; without ``check``, values are not compared with what the library allows. With ``feval``, the
    metric may be one of the user's.
    """
    if params is not None and not isinstance(params, Mapping):
        raise ArgumentError(f"params is a {type(params).__name__}; allowed: a dict")
    spelled: dict[str, dict[str, Any]] = {}  # by our name, what was given under which name
    params = {name: plain(value) for name, value in (params or {}).items()}
    for name, value in arguments.items():
        value = plain(value)
        spelled.setdefault(OURS[name], {})[f"the argument {name}"] = _value(OURS[name], value, name)
    problems: list[str] = []
    strange: list[Any] = []
    idle: list[str] = []
    became: list[str] = []
    for name, value in params.items():
        if name in OURS:
            ours, meant = OURS[name], _value(OURS[name], value, name)
            spelled.setdefault(ours, {})[name] = meant
            if not _is_own(name, ours):
                became.append(f"{name} is {ours}")
            elif ours in _VALUES and _text(meant) != _text(value) and value is not None:
                became.append(f"{name}={value} is {'the default' if meant is None else meant}")
        elif name in _FOREIGN:
            (problems if _refused(name, value) else idle).append(_refused(name, value) or name)
        else:
            strange.append(name)
    if _is_zero(params, "bagging_freq") or _is_zero(params, "subsample_freq"):
        became.append("bagging_freq=0 leaves out subsample")
        spelled.pop("subsample", None)
    chosen = {ours: _chosen(ours, values, problems) for ours, values in spelled.items()}
    if check:
        problems += [problem for ours, values in spelled.items() if (problem := _forbidden(ours, chosen[ours], values, feval))]
    if strange:
        problems.append(unknown(strange, list(TYPES)))
    if problems:
        raise ArgumentError(". ".join(problems))
    _say(became, idle, _quiet(params))
    given = {name: value for name, value in chosen.items() if value is not None}
    return Parameters(
        {name: value for name, value in given.items() if name in TYPES},
        {name: value for name, value in given.items() if name in ELSEWHERE},
    )


def metrics(names: Any) -> list[str]:
    """The user's metrics by our names, checked."""
    listed = [names] if isinstance(names, str) else list(names or ())
    return _capi.check_metrics([_value("metric", name, "metric") or name for name in listed])


def _forbidden(ours: str, value: Any, spelled: dict[str, Any], feval: Any) -> str:
    """Why the library does not allow a value; "": it does, or it is to say so once it has the data."""
    if ours not in TYPES or value is None or (ours == "metric" and (feval is not None or not isinstance(value, str) or "@" in value)):
        return ""
    try:
        _capi.Params({ours: value})
    except ArgumentError as e:
        name = next(name for name, its in spelled.items() if its is not None)
        problem = str(e) if name == ours or "argument" in name else f"{name} is {value!r}; {str(e).partition('; ')[2]}"
        nearest = _NEAREST.get(ours, {}).get(_text(value).partition(":")[0])
        return problem if "nearest" in problem or not nearest else f"{problem}; the nearest to it is {nearest}"
    return ""


def _text(value: Any) -> str:
    """A value as the tables write it."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).lower()


def _value(ours: str, value: Any, name: str) -> Any:
    """What a value means here; None is the default. A "~" before it in the table leaves our own name out."""
    if ours == "metric" and isinstance(value, (list, tuple, set)):
        return next((one for one in (_value(ours, one, name) for one in value) if one is not None), None)
    if isinstance(value, str) and not value:
        return None
    table = _VALUES.get(ours, {})
    meant = table.get(_text(value), table.get("~" + _text(value)) if not _is_own(name, ours) else None)
    if value is None or meant is None:
        return value
    return int(meant) if meant.isdigit() else meant or None


def _is_own(name: str, ours: str) -> bool:
    """Whether it is our name of a parameter, or a former one."""
    return name == ours or name in _FORMER


def _refused(name: str, value: Any) -> str:
    """Why a parameter that is none of ours cannot have a value; "": it can."""
    values, advice = _FOREIGN[name]
    if value is None or values == ["*"] or _text(value) in values or (isinstance(value, (str, list, tuple, dict)) and not len(value)):
        return ""
    return f"{name} is {value!r}; {advice}"


def _chosen(ours: str, values: dict[str, Any], problems: list[str]) -> Any:
    """The one value of a parameter that may have several names."""
    if ours == "early_stopping_rounds" and values.get("early_stopping") is True:
        values = {name: value for name, value in values.items() if name != "early_stopping" and value is not None} or {ours: _ROUNDS}
    elif ours == "early_stopping_rounds" and values.get("early_stopping") == 0:
        return 0
    (name, value), *others = values.items()
    for other, its in others:
        if value is None:
            name, value = other, its
        elif its is not None and not np.array_equal(its, value):
            problems.append(f"{name} is {value!r} and {other} is {its!r}, which are both {ours}; allowed: one of them")
    return value


def unknown(names: list[Any], allowed: list[str]) -> str:
    """The message about names that are unknown, with the names nearest to them."""
    import difflib

    known = [*allowed, *OURS, *_FOREIGN]
    told = []
    for name in names:
        near = [OURS[n] if n in _FORMER else n for n in difflib.get_close_matches(str(name), known, 1)]
        told.append(f"{name!r} (did you mean {near[0]}?)" if near else repr(name))
    return f"there is no parameter {', '.join(told)}; allowed: {', '.join(allowed)}"


def _is_zero(params: Mapping[str, Any] | None, name: str) -> bool:
    return params is not None and params.get(name) is not None and _text(params[name]) == "0"


def _quiet(params: Mapping[str, Any]) -> bool:
    loud = [params[name] for name in ("verbose", "verbosity") if isinstance(params.get(name), (int, float, np.number))]
    return any(v <= 0 for v in loud) or bool(params.get("silent")) or _text(params.get("logging_level")) == "silent"


def _say(became: list[str], idle: list[str], quiet: bool) -> None:
    parts = [", ".join(became)] if became else []
    if idle:
        parts.append(f"without effect: {', '.join(idle)}")
    said = "; ".join(parts)
    if said and not quiet and said not in _said:
        _said.add(said)
        _log.warning("parameters of other libraries: %s", said)
