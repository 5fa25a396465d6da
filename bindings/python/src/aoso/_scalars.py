"""Numbers as users give them: Python's, numpy's and arrays of no dimensions."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

from . import errors


def plain(value: Any) -> Any:
    """A scalar of numpy, or an array of no dimensions, as Python has it. Other values stay."""
    return value.item() if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0) else value


def integer(name: str, value: Any, least: int = -(2**63), most: int = 2**63 - 1) -> int:
    """The user's value for ``name``, checked."""
    number = plain(value)
    if not isinstance(number, int) or not least <= number <= most:
        raise errors.ArgumentError(f"{name} is {shown(value)}; allowed: an integer, {least} to {most}")
    return int(number)


def number(name: str, value: Any, allowed: str = "a number") -> float:
    """The user's value for ``name``, checked."""
    found = plain(value)
    try:
        if isinstance(found, (int, float)):
            return float(found)
    except OverflowError:
        pass
    raise errors.ArgumentError(f"{name} is {shown(value)}; allowed: {allowed}")


def seconds(name: str, value: Any) -> float:
    """The user's value for ``name``, a time, checked."""
    allowed = "a number of seconds, above 0, at most 1e9"
    found = number(name, value, allowed)
    if not 0 < found <= 1e9:
        raise errors.ArgumentError(f"{name} is {shown(value)}; allowed: {allowed}")
    return found


_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 100


def shown(value: Any) -> str:
    """A value for a message, shortened if it is long."""
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"an array of shape {value.shape}"
    return " ".join(_short.repr(value).split())


def check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise an error unless the value for ``name`` is one of those allowed."""
    if value not in allowed:
        raise errors.ArgumentError(f"{name} is {value!r}; allowed: {', '.join(map(repr, allowed))}")
