"""Labels of any kind, and the class names that the library uses for them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _capi, _matrix, _soft
from ._capi import Array
from ._columns import NUMBERS
from .errors import ArgumentError


def read(y: Any, rows: int, known: Array | None = None, *, alone: bool = True, grows: bool = False) -> tuple[_capi.Labels, Array]:
    """Describe the labels of the given number of rows for the library; also return their classes: sorted, or those of soft labels.

    They are compared with the classes ``known`` by value: True is 1. If all differ, raise an error; if most do, warn, unless
    ``known`` grows by them. Do neither if the rows are not ``alone``, but a part of those of several machines.
    """
    if _soft.given(y):
        shares, classes = _soft.read(y, rows)
        return _capi.SoftLabels(shares, names(classes) if known is None else _names_among(classes, known)), classes
    classes, codes = _unique(y)
    if len(codes) != rows:
        raise ArgumentError(f"y has {len(codes)} labels; allowed: {rows}, one for each row of x")
    if known is None:
        _check_classes(classes, rows)
        return _capi.Labels(codes, names(classes)), classes
    called = _names_among(classes, known)
    if alone:
        ours = set(names(known))  # comparing arrays of texts, numpy loses what a signal handler raises
        _check_known(classes, codes, np.array([name not in ours for name in called], bool), known, grows)
    return _capi.Labels(codes, called), classes


def _check_classes(classes: Array, rows: int) -> None:
    """Raise an error for numbers that look like the target of a regression."""
    few = 20
    if classes.dtype.kind == "f" and len(classes) > max(few, rows / 10) and (classes % 1 != 0).any():
        raise ArgumentError(
            f"y has {len(classes)} different numbers in {rows} rows, such as {classes[0]:g}, like the target of a regression; "
            "allowed: classes (there is no regression)"
        )


def _check_known(classes: Array, codes: Array, strange: Array, known: Array, grows: bool) -> None:
    """Raise an error if all labels are strange, and warn if more than half are, unless they become known."""
    if not strange.any():
        return
    rows, unknown = len(codes), int(np.count_nonzero(strange[codes]))
    example = classes[strange].tolist()[0]
    if unknown == rows:
        raise ArgumentError(f"y has {rows} labels, none of which is known, such as {example!r}; allowed: {listed(known)}")
    if 2 * unknown > rows and not grows:
        warnings.warn(f"{unknown} of the {rows} labels in y are unknown, such as {example!r}; known are {listed(known)}", stacklevel=4)


def united(known: Array, classes: Array) -> Array:
    """The known classes, those of a model, and those of ``classes`` that are new to it. They must be of one kind."""
    ours = set(names(known))
    fresh = classes[[name not in ours for name in _names_among(classes, known)]]
    if not len(fresh):
        return known
    all_of_them: Array = np.concatenate([known, fresh])
    if kind(known) != kind(fresh) or names(all_of_them) != names(known) + names(fresh):
        raise ArgumentError(f"y has the label {fresh.tolist()[0]!r}; allowed: labels like those of the model to continue: {listed(known)}")
    return all_of_them


def listed(classes: Array) -> str:
    """Classes for a message, not all of very many."""
    most = 10
    return ", ".join(map(repr, classes[:most].tolist())) + (", ..." if len(classes) > most else "")


def _names_among(classes: Array, known: Array) -> list[str]:
    """The names of classes. Those equal to one of the known have its name: 1.0 is called True if True is known."""
    if classes.dtype.kind == known.dtype.kind and classes.dtype.kind in "mM":
        of_unit = classes.astype(known.dtype)
        return [a if same else b for a, b, same in zip(names(of_unit), names(classes), of_unit == classes)]
    called = dict(zip(known.tolist(), names(known)))
    return [called.get(label, name) for label, name in zip(classes.tolist(), names(classes))]


def codes(y: Any, classes: Array) -> Array:
    """The positions of labels in classes; -1 for unknown labels."""
    position = {name: k for k, name in enumerate(names(classes))}
    known, codes = _unique(y)
    positions: Array = np.array([position.get(name, -1) for name in _names_among(known, classes)], np.intp)
    return positions[codes]


def row_weights(y: Any, weights: Any, *, alone: bool = True) -> Array:
    """The weight of each row's class: see :func:`class_weights`. "balanced": all classes weigh the same."""
    classes, codes = _unique(y)
    if isinstance(weights, str) and weights == "balanced":
        return (len(codes) / (len(classes) * np.bincount(codes)))[codes]
    return class_weights(classes, weights, alone=alone)[codes]


def class_weights(classes: Array, weights: Any, *, alone: bool = True) -> Array:
    """The weight of each class, of a dict by label.

    As in scikit-learn, a class without a weight weighs 1, and a weight may be of a class that is not there, such as one that a
    fold lacks. Both together are an error, probably a misspelt label, unless other machines may have more classes.
    """
    if not isinstance(weights, Mapping):
        raise ArgumentError(f"class_weight is {weights!r}; allowed: a dict of weights by label, 'balanced', or None")
    labels = classes.tolist()
    given = {label.item() if isinstance(label, np.generic) else label: _weight(label, weight) for label, weight in weights.items()}
    absent, without = [label for label in given if label not in labels], [label for label in labels if label not in given]
    if absent and without and alone:
        raise ArgumentError(
            f"class_weight has {absent[0]!r}, which is no label of y, and has no weight for {without[0]!r}; allowed: {listed(classes)}, "
            "and further labels if all of these have weights"
        )
    return np.array([given.get(label, 1.0) for label in labels])


def _weight(label: Any, weight: Any) -> float:
    try:
        number = float(weight)
    except (TypeError, ValueError):
        number = np.nan
    if not 0 <= number < np.inf:
        raise ArgumentError(f"class_weight[{label!r}] is {weight!r}; allowed: a number of at least 0")
    return number


def _unique(y: Any) -> tuple[Array, Array]:
    y = array(y)
    if y.ndim != 1:
        raise ArgumentError(f"y has shape {y.shape}; allowed: one label per row")
    check_missing(y)
    found = _near(y)
    if found is not None:
        return found
    try:
        return np.unique(y, return_inverse=True)
    except TypeError as e:
        types = sorted({type(label).__name__ for label in y})
        raise ArgumentError(f"y has labels of types {', '.join(types)}, which do not sort; allowed: one type") from e


_BLOCK = 1 << 16


def _near(y: Array) -> tuple[Array, Array] | None:
    """What np.unique finds, of integers and bools that are near each other: without a sort, with codes of 1 or 2 bytes."""
    if y.dtype.kind not in "biu" or not len(y):
        return None
    low, high = int(y.min()), int(y.max())
    if high - low >= _BLOCK:
        return None
    there = np.zeros(high - low + 1, bool)
    blocks = [slice(first, first + _BLOCK) for first in range(0, len(y), _BLOCK)]
    for block in blocks:
        there[_above(y[block], low)] = True
    places = np.flatnonzero(there)
    of_place = np.zeros(len(there), np.uint8 if len(places) <= 256 else np.uint16)
    of_place[places] = np.arange(len(places))
    codes = np.empty(len(y), of_place.dtype)
    for block in blocks:
        codes[block] = of_place[_above(y[block], low)]
    return np.array([low + place for place in places.tolist()], y.dtype), codes


def _above(y: Array, low: int) -> Array:
    above: Array = y - y.dtype.type(low) if y.dtype.kind == "u" else y.astype(np.int64) - low
    return above.astype(np.intp)


def check_missing(y: Array) -> None:
    """Raise an error if a label is NaN, NaT, None or pandas' NA, or complex."""
    kind = y.dtype.kind
    if kind == "c" or (kind == "O" and any(isinstance(label, complex) for label in y.flat)):
        raise ArgumentError(f"y is of dtype {y.dtype} and has complex numbers; allowed: ints, floats, bools, texts, dates")
    if kind == "O":
        missing = np.array([_is_missing(label) for label in y.tolist()], bool)
    elif kind in "fmM":
        missing = np.isnat(y) if kind in "mM" else ~np.isfinite(y)
    else:
        return
    if missing.any():
        raise ArgumentError(f"y[{missing.argmax()}] is {y[missing.argmax()]}; allowed: a label in every row")


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # NA has no truth value
        return True


def array(y: Any) -> Array:
    """Labels as an array. Lists that mix strings with other types keep their elements as they are."""
    check_mask(y)
    labels = _of_pandas(y)
    if labels.dtype.kind == "U" and isinstance(y, (list, tuple)) and not all(isinstance(label, str) for label in y):
        return np.array(y, dtype=object)
    return labels


def _of_pandas(y: Any) -> Array:
    """An array of any labels. Nullable ones of pandas stay integers and bools."""
    dtype = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in NUMBERS:
        return np.asarray(y)
    missing = np.asarray(y.isna())
    labels: Array = y.to_numpy(object if missing.any() else dtype)
    return labels


def check_mask(y: Any) -> None:
    """Raise an error if a masked array hides a label, which numpy and scikit-learn would use."""
    mask = _matrix.mask(y)
    if np.any(mask):
        raise ArgumentError(f"y[{np.argmax(mask)}] is masked; allowed: a label in every row")


def are_texts(classes: Array) -> bool:
    """Whether classes are in the order of texts even if all look like numbers."""
    return classes.dtype.kind in "US" or (classes.dtype.kind == "O" and all(isinstance(label, (str, bytes)) for label in classes))


def kind(classes: Array) -> str:
    """What classes are: labels of one kind have the same names if they are equal."""
    kinds = {"b": "bools", "i": "numbers", "u": "numbers", "f": "numbers", "U": "texts", "S": "texts", "M": "dates", "m": "durations"}
    if classes.dtype.kind in kinds:
        return kinds[classes.dtype.kind]
    found = {kind(np.array([label])) if isinstance(label, (bool, int, float, str, bytes, np.generic)) else type(label).__name__ for label in classes}
    return " and ".join(sorted(found))


def names(classes: Array) -> list[str]:
    """The names of classes: text unchanged, whole numbers without a decimal point, others as their shortest decimals."""
    short = classes.dtype.kind == "f" and classes.itemsize < 8
    return [_name(float(str(label)) if short else label) for label in (classes if short else classes.tolist())]


def _name(label: Any) -> str:
    if isinstance(label, bytes):
        try:
            return label.decode()
        except UnicodeDecodeError as e:
            raise ArgumentError(f"label {label!r} is not UTF-8; allowed: text") from e
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def ordered(classes: Array, by: list[str]) -> Array:
    """Classes in the order of their names."""
    position = {name: k for k, name in enumerate(names(classes))}
    return classes[[position[name] for name in by]]


def type_of(classes: Array) -> str:
    """What a model file notes of the type of classes, so that from_names restores them; "" where that needs no note."""
    plain = from_names(names(classes))
    if plain.dtype.kind == classes.dtype.kind == "U" or plain.dtype == classes.dtype:
        return ""
    types = {type(label).__name__ for label in classes.tolist()}
    if classes.dtype.kind == "O":
        noted = f"object[{types.pop()}]" if len(types) == 1 else ""
    else:
        noted = {"U": "str", "S": "bytes"}.get(classes.dtype.kind, classes.dtype.name)
    try:
        restored = from_names(names(classes), noted)
        same = restored.dtype == classes.dtype or restored.dtype.kind == classes.dtype.kind == "U"
        return noted if same and restored.tolist() == classes.tolist() else ""
    except ValueError:
        return ""


_OF_NAME: dict[str, Callable[[str], Any]] = {"str": str, "int": int, "float": float, "bool": "True".__eq__, "bytes": str.encode}


_NUMPY_NUMBER = re.compile(r"u?int(8|16|32|64)|float(16|32|64)")


def from_names(by: list[str], noted: str = "") -> Array:
    """Classes from their names, of the type noted: see type_of. Without a note they are numbers if all look like it, also by their order."""
    if noted in ("str", "bytes", "bool"):
        return np.array([_OF_NAME[noted](name) for name in by])
    if _NUMPY_NUMBER.fullmatch(noted):
        return np.array([(float if noted[0] == "f" else int)(name) for name in by], noted)
    if re.fullmatch(r"datetime64\[[a-zA-Z]{1,2}\]", noted):
        whole = all(re.fullmatch("-?[0-9]{5,}", name) for name in by)  # of units finer than Python's, numpy has numbers
        return np.array([int(name) if whole else name for name in by], noted)
    of_object = noted[len("object[") : -1]
    element = getattr(np, of_object) if _NUMPY_NUMBER.fullmatch(of_object) else _OF_NAME.get(of_object)
    if noted.startswith("object[") and element is not None:
        return np.array([element(name) for name in by], object)
    if all(re.fullmatch("0|-?[1-9][0-9]{0,17}", name) for name in by):
        numbers = np.array(by, dtype=np.int64)
    elif all(re.fullmatch(r"-?[0-9]+([.][0-9]+)?(e-?[0-9]+)?", name) for name in by):
        numbers = np.array(by, np.float64)
    else:
        return np.array(by)
    return numbers if names(numbers) == by and (numbers[:-1] < numbers[1:]).all() else np.array(by)
