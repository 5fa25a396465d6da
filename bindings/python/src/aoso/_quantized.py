"""The data of a dataset, before and after they are quantized."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import _capi, _labels
from ._capi import Array

# Of the parameters that training can bring along.
DEFAULTS = {"categorical_features": "from_dtype", "class_weight": None, "max_bin": 255, "sample_rows": 200_000}


class Data(NamedTuple):
    """What a dataset is made of."""

    x: Any
    y: Any
    weight: Any
    row_id: Any


class Pending:
    """Data that have been read and are not quantized yet."""

    def __init__(
        self,
        matrix: _capi.Matrix,
        labels: _capi.Labels,
        classes: Array,
        weights: Array | None,
        row_ids: Array | None = None,
        options: Mapping[str, Any] = {},  # noqa: B006
    ) -> None:
        self.matrix, self.labels, self.classes, self.weights, self.row_ids, self.options = matrix, labels, classes, weights, row_ids, options
        self.lock = threading.RLock()

    def __reduce__(self) -> Any:
        raise TypeError("a Dataset cannot be pickled or copied; save it to a file")


class Quantized(NamedTuple):
    """A dataset of the library, and what it says of itself."""

    handle: _capi.Handle
    info: _capi.DatasetInfo
    feature_names: list[str]
    classes: Array

    @classmethod
    def of(cls, handle: _capi.Handle, classes: Array | None = None, ordered: bool = True) -> Quantized:
        info = _capi.dataset_info(handle)
        if classes is None or not ordered:
            names = _capi.class_names("dataset", handle, info.classes)
            classes = _labels.from_names(names) if classes is None else _labels.ordered(classes, names)
        return cls(handle, info, _capi.feature_names("dataset", handle, info.features), classes)
