"""Columns of tables: numbers as they are, times as seconds, texts and categories as codes with names."""

from __future__ import annotations

import datetime
import decimal
import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ._input import Array, readable
from .errors import ArgumentError, DTypeError

NUMBERS = "biuf"  # kinds of dtypes: bools, integers, floats
# Types of objects that float() would convert, fully or in part, although they are not numbers.
_NO_NUMBERS = (str, bytes, np.datetime64, np.timedelta64, np.complexfloating)
_REAL = (int, float, decimal.Decimal, np.bool_, np.integer, np.floating)
_DATES, _DURATIONS = (datetime.date, np.datetime64), (datetime.timedelta, np.timedelta64)
_ALLOWED = "numbers, bools, texts, categories, dates and times"


class Column(NamedTuple):
    """A column that the library can read."""

    values: Array  # numbers; or codes, of which negative ones are missing
    categories: list[str] | None = None  # None: numbers. The category "" is missing.
    coded: Callable[[], Column] | None = None  # the column as categories, if the numbers have lost digits of integers


def is_pandas(x: Any, what: str = "DataFrame") -> bool:
    """Whether ``x`` is a data frame or series of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, getattr(pandas, what))


def from_array(array: Array, what: str) -> Column:
    """A column from an array of shape (n,) and any dtype."""
    kind = array.dtype.kind
    if kind == "O":
        return _from_objects(array, what)
    if kind in "UST":
        return _from_texts(array, what)
    return Column(numbers(array, what))


def from_series(series: Any, what: str) -> Column:
    """A column from a pandas series."""
    pandas, dtype = sys.modules["pandas"], series.dtype
    if isinstance(dtype, np.dtype):
        return from_array(series.to_numpy(), what)
    if isinstance(dtype, pandas.CategoricalDtype):
        return Column(series.cat.codes.to_numpy(), _names(series.cat.categories))
    if isinstance(dtype, pandas.StringDtype):
        return _factorized(series)
    if str(dtype).startswith("Sparse["):
        return from_array(np.asarray(series), what)
    if hasattr(dtype, "pyarrow_dtype"):
        return _from_arrow(series, what)
    if dtype.kind in NUMBERS:
        return _nullable(series)
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return Column(_seconds(series.dt.tz_convert(None).to_numpy()))
    raise DTypeError(f"{what} is of dtype {dtype}; allowed: {_ALLOWED}")


def numbers(array: Array, what: str) -> Array:
    """Numbers that the library can read: the same memory, or a copy as float64. Times are seconds."""
    kind = array.dtype.kind
    if kind == "b":
        array = array.view(np.uint8)
    if readable(array):
        return array
    if kind == "O":
        return _numbers_of_objects(array, what)
    if kind in "mM" and np.datetime_data(array.dtype)[0] != "generic":
        return _seconds(array)
    if kind not in NUMBERS:
        raise DTypeError(f"{what} is of dtype {array.dtype}; allowed: {_ALLOWED}")
    return array.astype(np.float64)


def _seconds(times: Array) -> Array:
    """Times in seconds, dates from 1970 on; the same number in every unit that holds the time."""
    unit, step = np.datetime_data(times.dtype)
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}.get(unit, 0) if step == 1 else 0
    if per == 0:
        unit, per = ("s", 1) if unit in "YMWDhms" else ("ns", 10**9)
        times = times.astype(f"{times.dtype.kind}8[{unit}]")
    missing = np.isnat(times)
    whole, rest = np.divmod(times.astype(np.int64), per)
    seconds: Array = whole + rest / per
    seconds[missing] = np.nan
    return seconds


def _from_texts(array: Array, what: str) -> Column:
    if array.dtype.kind == "S":
        try:
            array = np.char.decode(array, "utf-8")
        except UnicodeDecodeError as e:
            raise ArgumentError(f"{what} holds {e.object!r}, which is not UTF-8; allowed: text") from e
    return _factorized(array.astype(object))


def _factorized(values: Any) -> Column:
    """A column of categories: each different value is one."""
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        codes, unique = pandas.factorize(values)  # missing values are -1
        return Column(codes, _names(unique))
    known: dict[Any, int] = {}
    codes = np.array([known.setdefault(value, len(known)) for value in values.tolist()], np.int64)
    return Column(codes, _names(known))


def _names(categories: Iterable[Any]) -> list[str]:
    """The names of categories: text unchanged, numbers without a decimal point that says nothing."""
    dtype = getattr(categories, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        categories = _seconds(np.asarray(categories))
    return [_name(category) for category in categories]


def _name(category: Any) -> str:
    if isinstance(category, str):
        return str(category)
    if category is None or category is getattr(sys.modules.get("pandas"), "NA", None) or category != category:
        return ""
    if isinstance(category, (bool, int, np.bool_, np.integer)):
        return str(int(category))
    if isinstance(category, _REAL):
        return _number_name(float(category))
    return str(category)


def _number_name(x: float) -> str:
    """The category that a number stands for, as in the library."""
    if x.is_integer() and abs(x) < 1e21:
        return str(int(x))
    if np.isinf(x):
        return "+Inf" if x > 0 else "-Inf"
    return np.format_float_positional(x, trim="-") if abs(x) >= 1e-4 and abs(x) < 1e21 else repr(x)


def _from_objects(array: Array, what: str) -> Column:
    """A column from objects of shape (n,). None, NaN, NaT and pandas' NA are missing values."""
    values = array.tolist()
    pandas = sys.modules.get("pandas")
    absent = () if pandas is None else (type(pandas.NA), type(pandas.NaT))
    kinds = {kind for kind in set(map(type, values)) if not issubclass(kind, (type(None), *absent))}
    if any(issubclass(kind, str) for kind in kinds):
        for kind in kinds:
            if not issubclass(kind, (str, *_REAL)):
                value = next(value for value in values if type(value) is kind)
                raise DTypeError(f"{what} is of dtype object and holds texts and {value!r}; allowed: {_ALLOWED}")
        return _factorized(array)
    if any(kind in absent for kind in set(map(type, values))):
        values = [None if isinstance(value, absent) else value for value in values]
        array = np.array([*values, None], object)[:-1]  # None, so that numpy keeps objects
    if kinds == {datetime.time}:
        midnight = datetime.datetime(1970, 1, 1)
        values = [None if value is None else datetime.datetime.combine(midnight, value) - midnight for value in values]
        kinds = {datetime.timedelta}
    for of, to in ((_DATES, "M8"), (_DURATIONS, "m8")):
        if kinds and all(issubclass(kind, of) for kind in kinds):
            return Column(_seconds(_times(values, to)))
    return _integers_of_objects(values) or Column(_numbers_of_objects(array, what))


def _integers_of_objects(values: list[Any]) -> Column | None:
    """A column of Python's and numpy's integers, of which None and NaN are missing; None if there are other objects."""
    missing = [value is None or (isinstance(value, float) and value != value) for value in values]
    given = [0 if gone else value for value, gone in zip(values, missing)]
    if not all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in given):
        return None
    whole = [int(value) for value in given]
    dtype = np.int64 if min(whole, default=0) < 0 or max(whole, default=0) < 2**63 else np.uint64
    try:
        return _integers(np.array(whole, dtype), np.array(missing, bool))
    except OverflowError:
        return None


def _times(values: list[Any], to: str) -> Array:
    """Dates or durations as an array."""
    utc = datetime.timezone.utc
    zoned = [isinstance(value, datetime.datetime) and value.tzinfo is not None for value in values]
    values = [value.astimezone(utc).replace(tzinfo=None) if z else value for value, z in zip(values, zoned)]
    pandas = sys.modules.get("pandas")
    if pandas is not None and any(isinstance(value, (pandas.Timestamp, pandas.Timedelta)) for value in values):
        return np.array([None if value is None else np.asarray(value, f"{to}[ns]") for value in values], f"{to}[ns]")
    return np.array(values, f"{to}[us]")


def _numbers_of_objects(array: Array, what: str) -> Array:
    """Objects as float64. None is a missing value."""
    values = array.tolist()
    kinds = set(map(type, values)) if array.ndim else {type(values)}
    odd = tuple(kind for kind in kinds if issubclass(kind, _NO_NUMBERS))
    if odd:
        value = next(value for value in values if isinstance(value, odd))
        raise DTypeError(f"{what} is of dtype object and holds {value!r}; allowed: {_ALLOWED}")
    pandas = sys.modules.get("pandas")
    if pandas is not None and type(pandas.NA) in kinds:
        array = np.array([None if value is pandas.NA else value for value in values], object)
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as e:
        raise DTypeError(f"{what} is of dtype object; allowed: {_ALLOWED}: {e}") from e


def _from_arrow(series: Any, what: str) -> Column:
    """A column from a pandas series of an Arrow type."""
    import pyarrow as pa
    from pyarrow import types

    array, kind = pa.chunked_array(series.array.__arrow_array__()), series.dtype.pyarrow_dtype
    if types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind):
        encoded = array.unify_dictionaries() if types.is_dictionary(kind) else array.dictionary_encode()
        chunks = [chunk.indices.fill_null(-1).to_numpy() for chunk in encoded.chunks]
        names = _names(encoded.chunk(0).dictionary.to_pandas()) if chunks else []
        return Column(np.concatenate([*chunks, np.zeros(0, np.int32)]), names)
    if types.is_time(kind):
        return Column(_seconds(array.cast(pa.int32() if types.is_time32(kind) else pa.int64()).cast(pa.duration(kind.unit)).to_numpy()))
    if types.is_timestamp(kind) or types.is_date(kind) or types.is_duration(kind):
        return Column(_seconds(array.to_numpy()))
    if types.is_decimal(kind):
        return _from_objects(array.to_numpy(), what)
    if types.is_null(kind):
        return Column(np.full(len(series), np.nan))
    if series.dtype.kind in NUMBERS:
        return _nullable(series)
    raise DTypeError(f"{what} is of dtype {series.dtype}; allowed: {_ALLOWED}")


def _nullable(series: Any) -> Column:
    """A column of numbers of pandas, some of which may be missing."""
    if series.dtype.kind not in "iu":
        return Column(series.to_numpy(np.float64, na_value=np.nan))
    missing = series.isna().to_numpy()
    integers = series.fillna(0).to_numpy(series.dtype.numpy_dtype)
    return _integers(integers, missing)


def _integers(integers: Array, missing: Array) -> Column:
    """A column of integers, some of which are missing."""
    if not missing.any():
        return Column(integers)
    values = integers.astype(np.float64)
    values[missing] = np.nan
    exact = 1 << 53
    if np.nanmax(np.abs(values), initial=0) < exact:
        return Column(values)
    return Column(values, None, functools.partial(_coded, integers, missing))


def _coded(integers: Array, missing: Array) -> Column:
    """A column of categories, each an integer."""
    different, codes = np.unique(integers, return_inverse=True)
    return Column(np.where(missing, -1, codes), [str(value) for value in different.tolist()])
