"""The structs of ``aoso.h``, and of the Arrow C data interface, for ctypes."""

from __future__ import annotations

import ctypes as c
import functools
from typing import Any

import numpy as np

from ._parameters import FIELDS
from ._scalars import integer


class Struct(c.Structure):
    """A struct that begins with its own size."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(struct_size=c.sizeof(self), **fields)

    def set_integer(self, name: str, value: Any, field: str | None = None) -> None:
        """Set a field to the user's value for ``name``. Raise an error if it does not fit; ctypes would truncate it."""
        setattr(self, field or name, integer(name, value, *_bounds(type(self), field or name)))


@functools.cache
def _bounds(struct: Any, field: str) -> tuple[int, int]:
    kind = dict(struct._fields_)[field]
    bits = 8 * c.sizeof(kind)
    return (0, 2**bits - 1) if kind(-1).value > 0 else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


class Matrix(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("layout", c.c_int32),
        ("dtype", c.c_int32),
        ("index_dtype", c.c_int32),
        ("rows", c.c_int64),
        ("cols", c.c_int64),
        ("data", c.c_void_p),
        ("row_stride", c.c_int64),
        ("col_stride", c.c_int64),
        ("columns", c.c_void_p),
        ("indptr", c.c_void_p),
        ("indices", c.c_void_p),
        ("nnz", c.c_int64),
        ("arrow_array", c.c_void_p),
        ("arrow_schema", c.c_void_p),
        ("arrow_stream", c.c_void_p),
        ("table", c.c_void_p),
    ]


class Column(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("kind", c.c_int32),
        ("dtype", c.c_int32),
        ("reserved", c.c_int32),
        ("data", c.c_void_p),
        ("stride", c.c_int64),
        ("num_categories", c.c_int64),
        ("names", c.c_void_p),
        ("text", c.c_char_p),
        ("text_offsets", c.c_void_p),
    ]


class Labels(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("dtype", c.c_int32),
        ("count", c.c_int64),
        ("data", c.c_void_p),
        ("class_names", c.POINTER(c.c_char_p)),
        ("num_class_names", c.c_int64),
    ]


class DatasetOptions(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("max_bins", c.c_int32),
        ("sample_rows", c.c_int64),
        ("seed", c.c_uint64),
        ("num_threads", c.c_int32),
        ("dense_only", c.c_int32),
        ("weights", c.c_void_p),
        ("num_weights", c.c_int64),
        ("feature_names", c.POINTER(c.c_char_p)),
        ("num_feature_names", c.c_int64),
        ("init", c.c_void_p),
        ("categorical", c.c_void_p),
        ("num_categorical", c.c_int64),
        ("row_ids", c.c_void_p),
        ("num_row_ids", c.c_int64),
        ("path", c.c_char_p),
        ("collective", c.c_void_p),
        ("text_labels", c.c_int32),
        ("reserved", c.c_int32),
    ]


class Collective(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("rank", c.c_int32),
        ("size", c.c_int32),
        ("reserved", c.c_int32),
        ("context", c.c_void_p),
        ("all_reduce", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_int32, c.c_void_p, c.c_int64)),
        ("gather_sizes", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_int64, c.c_void_p)),
        ("gather", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_int64, c.c_void_p, c.c_void_p)),
        ("abort", c.CFUNCTYPE(None, c.c_void_p, c.c_char_p)),
        ("reduce_scatter", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p)),
    ]


class DatasetInfo(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("named", c.c_int32),
        ("rows", c.c_int64),
        ("features", c.c_int64),
        ("classes", c.c_int64),
        ("unknown", c.c_int64),
        ("bytes", c.c_int64),
    ]


class Params(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        *((name, getattr(c, "c_" + kind)) for name, kind in FIELDS),
    ]


class Evaluation(c.Structure):
    _fields_ = [("errors", c.c_int64), ("error_rate", c.c_double), ("log_loss", c.c_double)]


class Progress(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("evaluated", c.c_int32),
        ("iteration", c.c_int64),
        ("trees", c.c_int64),
        ("best", c.c_int64),
        ("seconds", c.c_double),
        ("train_loss", c.c_double),
        ("has_valid", c.c_int32),
        ("stopped_by", c.c_int32),
        ("valid", Evaluation),
        ("phase", c.c_int32),
        ("reserved", c.c_int32),
        ("max_trees", c.c_int64),
        ("others", c.POINTER(Evaluation)),
        ("num_others", c.c_int64),
    ]


OBJECTIVE = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_int64, c.c_int64, c.c_void_p, c.c_void_p, c.c_void_p)


class TrainOptions(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("eval_every", c.c_int32),
        ("valid", c.c_void_p),
        ("callback", c.c_void_p),
        ("user", c.c_void_p),
        ("others", c.POINTER(c.c_void_p)),
        ("num_others", c.c_int64),
        ("objective", OBJECTIVE),
        ("objective_user", c.c_void_p),
        ("class_weights", c.c_void_p),
        ("num_class_weights", c.c_int64),
        ("checkpoint", c.c_char_p),
        ("checkpoint_seconds", c.c_double),
    ]


class TuneProgress(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("phase", c.c_int32),
        ("trial", c.c_int64),
        ("rung", c.c_int64),
        ("iteration", c.c_int64),
        ("trials", c.c_int64),
        ("seconds", c.c_double),
        ("log_loss", c.c_double),
        ("errors", c.c_int64),
        ("stopped_by", c.c_int32),
        ("reserved", c.c_int32),
    ]


class TuneOptions(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_int32),
        ("valid", c.c_void_p),
        ("trials", c.c_int64),
        ("table", c.c_char_p),
        ("callback", c.c_void_p),
        ("user", c.c_void_p),
    ]


class Result(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("stopped_by", c.c_int32),
        ("iterations", c.c_int64),
        ("best_iteration", c.c_int64),
        ("threads", c.c_int64),
        ("train_loss", c.c_double),
        ("seconds", c.c_double),
        ("has_valid", c.c_int32),
        ("phase", c.c_int32),
        ("valid", Evaluation),
        ("held_out_rows", c.c_int64),
        ("held_out", Evaluation),
    ]


class ModelInfo(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("named", c.c_int32),
        ("classes", c.c_int64),
        ("features", c.c_int64),
        ("trees", c.c_int64),
        ("trees_per_iteration", c.c_int64),
        ("temperature", c.c_double),
        ("conformal_rows", c.c_int64),
    ]


class PredictOptions(Struct):
    _fields_ = [("struct_size", c.c_uint32), ("num_threads", c.c_int32), ("trees", c.c_int64)]


class RefitOptions(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("num_threads", c.c_int32),
        ("weights", c.c_void_p),
        ("num_weights", c.c_int64),
        ("keep", c.c_double),
    ]


class Calibration(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_int32),
        ("temperature", c.c_double),
        ("before", c.c_double),
        ("after", c.c_double),
    ]


class SetOptions(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("method", c.c_int32),
        ("alpha", c.c_double),
        ("class_conditional", c.c_int32),
        ("non_empty", c.c_int32),
    ]


# aoso_confusion as a numpy dtype.
CONFUSION = np.dtype([("classes", "i4", 2), ("mistaken", "i8", 2), ("rows", "i8", 2)])

# aoso_reliability_bin as a numpy dtype.
RELIABILITY_BIN = np.dtype([("rows", "i8"), ("share", "f8"), ("confidence", "f8"), ("accuracy", "f8")])


class Reliability(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("num_bins", c.c_int32),
        ("brier", c.c_double),
        ("ece", c.c_double),
        ("bins", c.c_byte * (15 * RELIABILITY_BIN.itemsize)),
    ]


class ContributionsInfo(Struct):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_int32),
        ("lines", c.c_int64),
        ("per_row", c.c_int64),
        ("values", c.c_int64),
    ]


# aoso_pair_importance as a numpy dtype.
PAIR_IMPORTANCE = np.dtype([("feature", "i8"), ("classes", "i4", 2), ("gain", "f8"), ("splits", "i8")])


class ArrowSchema(c.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", c.c_char_p),
    ("name", c.c_char_p),
    ("metadata", c.c_void_p),
    ("flags", c.c_int64),
    ("n_children", c.c_int64),
    ("children", c.POINTER(c.POINTER(ArrowSchema))),
    ("dictionary", c.c_void_p),
    ("release", c.CFUNCTYPE(None, c.POINTER(ArrowSchema))),
    ("private_data", c.c_void_p),
]


class ArrowArrayLength(c.Structure):
    """The first field of ArrowArray."""

    _fields_ = [("length", c.c_int64)]


class ArrowStream(c.Structure):
    pass


ArrowStream._fields_ = [("get_schema", c.CFUNCTYPE(c.c_int, c.POINTER(ArrowStream), c.POINTER(ArrowSchema)))]
