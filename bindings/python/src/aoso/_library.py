"""Loading ``libaoso.so`` and calling its functions."""

from __future__ import annotations

import ctypes as c
import functools
import os
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import _structs as structs
from . import errors
from ._apart import apart
from ._living import Living, free_with
from ._struct_base import Params

ABI_VERSION = 1

_OK, _BUFFER_TOO_SMALL = 0, 3
_ERRORS: dict[int, type[errors.AosoError]] = {
    1: errors.ArgumentError,
    4: errors.FileError,
    5: errors.FormatError,
    6: errors.OutOfMemoryError,
    7: errors.BusyError,
    8: errors.ForkError,
    10: errors.CollectiveError,
}

_handle, _out = c.c_void_p, c.POINTER(c.c_void_p)
_text = (c.c_void_p, c.c_size_t, c.POINTER(c.c_size_t))
_texts = (*_text, c.POINTER(c.c_int64))
_write = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_size_t, c.c_void_p)
_staged = c.CFUNCTYPE(c.c_int32, c.c_int64, c.c_void_p, c.c_int64, c.c_void_p)
_pause = c.CFUNCTYPE(c.c_int32, c.c_void_p)
_labelled = (_handle, c.POINTER(structs.Matrix), c.POINTER(structs.Labels))
_weighted = (*_labelled, c.c_void_p, c.c_int64, c.POINTER(structs.PredictOptions))

_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "build_info": _text,
    "dataset_create": (c.POINTER(structs.Matrix), c.POINTER(structs.Labels), c.POINTER(structs.DatasetOptions), _out),
    "dataset_create_aligned": (_handle, c.POINTER(structs.Matrix), c.POINTER(structs.Labels), c.POINTER(structs.DatasetOptions), _out),
    "suggest_codes": (
        *(c.POINTER(structs.Matrix), c.POINTER(structs.Labels), c.POINTER(structs.DatasetOptions)),
        *(c.c_void_p, c.c_int64, c.POINTER(c.c_int64), _pause, c.c_void_p),
    ),
    "dataset_get_info": (_handle, c.POINTER(structs.DatasetInfo)),
    "dataset_class_name": (_handle, c.c_int64, *_text),
    "dataset_feature_name": (_handle, c.c_int64, *_text),
    "dataset_categories": (_handle, c.c_int64, *_texts),
    "dataset_labels": (_handle, c.c_void_p, c.c_int64),
    "dataset_weights": (_handle, c.c_void_p, c.c_int64),
    "dataset_balanced_weights": (_handle, c.c_void_p, c.c_int64),
    "dataset_save": (_handle, c.c_char_p),
    "dataset_load": (c.c_char_p, _out),
    "dataset_read": (c.c_char_p, _out),
    "dataset_free": (_handle,),
    "tcp_create": (c.POINTER(structs.TcpOptions), _out),
    "tcp_port": (_handle, c.POINTER(c.c_int32)),
    "tcp_connect": (_handle, c.c_char_p, c.c_int32, c.POINTER(structs.Collective)),
    "tcp_interrupt": (_handle,),
    "tcp_free": (_handle,),
    "builder_create": (c.c_int64, c.POINTER(structs.DatasetOptions), _out),
    "builder_sample": (*_labelled, c.c_void_p, c.c_int64, c.c_void_p, c.c_int64),
    "builder_append": (*_labelled, c.c_void_p, c.c_int64),
    "builder_finish": (_handle, _out),
    "builder_free": (_handle,),
    "params_init": (c.POINTER(Params), c.c_uint32),
    "params_parse": (c.POINTER(Params), c.c_char_p),
    "params_check": (c.POINTER(Params),),
    "suggest_params": (c.c_int64, c.c_int64, c.c_int64, *_text),
    "trainer_create": (_handle, c.POINTER(Params), c.POINTER(structs.TrainOptions), _out),
    "trainer_step": (_handle, c.POINTER(structs.Progress)),
    "trainer_interrupt": (_handle,),
    "trainer_scores": (_handle, c.c_int64, c.c_void_p, c.c_int64),
    "trainer_measure": (_handle, c.c_int64, c.c_char_p, c.POINTER(c.c_double)),
    "trainer_set_learning_rate": (_handle, c.c_double),
    "trainer_checkpoint_error": (_handle, *_text),
    "trainer_suspicious_rows": (_handle, c.c_void_p, c.c_int64, c.POINTER(c.c_int64)),
    "trainer_judge": (_handle, c.c_double, c.POINTER(structs.Progress)),
    "trainer_model": (_handle, _out, c.POINTER(structs.Result)),
    "trainer_local_model": (_handle, _out),
    "trainer_free": (_handle,),
    "tuner_create": (_handle, c.POINTER(Params), c.POINTER(structs.TuneOptions), _out),
    "tuner_step": (_handle, c.POINTER(structs.TuneProgress)),
    "tuner_model": (_handle, _out, c.POINTER(structs.Result)),
    "tuner_params": (_handle, *_text),
    "tuner_trials": (_handle, *_text),
    "tuner_free": (_handle,),
    "model_get_info": (_handle, c.POINTER(structs.ModelInfo)),
    "model_class_name": (_handle, c.c_int64, *_text),
    "model_feature_name": (_handle, c.c_int64, *_text),
    "model_categories": (_handle, c.c_int64, *_texts),
    "model_describe": (_handle, *_text),
    "model_save": (_handle, c.c_char_p),
    "model_load": (c.c_char_p, _out),
    "model_encode": (_handle, *_text),
    "model_decode": (c.c_char_p, c.c_size_t, _out),
    "model_fingerprint": (_handle, *_text),
    "model_label_type": (_handle, *_text),
    "model_with_label_type": (_handle, c.c_char_p, _out),
    "model_dump": (_handle, c.c_int64, *_text),
    "model_tree": (_handle, c.c_int64, *_text),
    "export_formats": _text,
    "model_export_with": (_handle, c.c_char_p, c.POINTER(structs.ExportOptions), _write, c.c_void_p),
    "model_first_trees": (_handle, c.c_void_p, c.c_int64),
    "model_importance": (_handle, c.c_int32, c.c_void_p, c.c_int64),
    "model_pair_importance": (_handle, c.c_void_p, c.c_int64, c.POINTER(c.c_int64)),
    "model_truncate": (_handle, c.c_int64, _out),
    "model_merge": (_out, c.c_int64, _out),
    "model_refit": (*_labelled, c.POINTER(structs.RefitOptions), _out),
    "model_free": (_handle,),
    **{
        f"model_{what}": (_handle, c.POINTER(structs.Matrix), c.POINTER(structs.PredictOptions), c.c_void_p, c.c_int64)
        for what in ("predict", "predict_proba", "predict_raw", "predict_leaf", "shap")
    },
    "model_predict_top": (
        *(_handle, c.POINTER(structs.Matrix), c.POINTER(structs.PredictOptions), c.c_int64),
        *(c.c_void_p, c.c_void_p, c.c_int64),
    ),
    "model_predict_staged": (_handle, c.POINTER(structs.Matrix), c.POINTER(structs.PredictOptions), c.c_int64, _staged, c.c_void_p),
    "model_raw_to_proba": (_handle, c.c_void_p, c.c_int64),
    "model_evaluate": (*_weighted, c.POINTER(structs.Evaluation)),
    "model_confusions": (*_labelled, c.POINTER(structs.PredictOptions), c.c_void_p, c.c_int64, c.POINTER(c.c_int64)),
    "model_evaluate_raw": (_handle, c.c_void_p, c.c_int64, c.POINTER(structs.Labels), c.c_void_p, c.c_int64, c.POINTER(structs.Evaluation)),
    "model_measure_raw": (_handle, c.c_void_p, c.c_int64, c.POINTER(structs.Labels), c.c_void_p, c.c_int64, c.c_char_p, c.POINTER(c.c_double)),
    "metrics": _text,
    "model_calibrate": (*_weighted, _out, c.POINTER(structs.Calibration)),
    "model_predict_set": (
        *(_handle, c.POINTER(structs.Matrix), c.POINTER(structs.SetOptions), c.POINTER(structs.PredictOptions)),
        *(c.c_void_p, c.c_int64),
    ),
    "model_conformalize": (*_weighted, _out),
    "model_decide": (
        *(_handle, c.POINTER(structs.Matrix), c.c_void_p, c.c_int64, c.POINTER(structs.PredictOptions)),
        *(c.c_void_p, c.c_void_p, c.c_int64),
    ),
    "model_reliability": (*_weighted, c.POINTER(structs.Reliability)),
    "model_shap_sparse": (_handle, c.POINTER(structs.Matrix), c.POINTER(structs.PredictOptions), c.c_int64, _out),
    "contributions_get_info": (_handle, c.POINTER(structs.ContributionsInfo)),
    "contributions_read": (_handle, c.c_void_p, c.c_void_p, c.c_int64, c.c_void_p, c.c_void_p, c.c_int64),
    "contributions_free": (_handle,),
    "predictor_create": (_handle, c.POINTER(structs.PredictOptions), _out),
    "predictor_class": (_handle, c.c_void_p, c.c_int64, c.c_void_p),
    "predictor_proba": (_handle, c.c_void_p, c.c_int64, c.c_void_p, c.c_int64),
    "predictor_raw": (_handle, c.c_void_p, c.c_int64, c.c_void_p, c.c_int64),
    "predictor_raw_of": (_handle, c.c_void_p, c.c_int64, c.c_void_p, c.c_int64, c.c_void_p),
    "predictor_walked": (_handle, c.POINTER(c.c_double)),
    "predictor_free": (_handle,),
}


@functools.cache
def _loaded() -> c.CDLL:
    """The library, loaded on first use. A child created by ``fork`` before that can use it."""
    path = _path()
    try:
        library = c.CDLL(path)
        library.aoso_version_string.restype = c.c_char_p
        library.aoso_last_error.restype = c.c_char_p
        found = library.aoso_abi_version()
        if found != ABI_VERSION:
            raise errors.LibraryError(f"{path} has ABI version {found}; this package needs {ABI_VERSION}")
        for name, arguments in _FUNCTIONS.items():
            getattr(library, "aoso_" + name).argtypes = arguments
    except (OSError, AttributeError) as e:
        raise errors.LibraryError(f"{path} cannot be loaded: {e}") from e
    return library


def _path() -> str:
    if path := os.environ.get("AOSO_LIBRARY"):
        return path
    here = Path(__file__).resolve()
    places = [here.with_name("libaoso.so"), *(up / "build/lib/libaoso.so" for up in list(here.parents)[4:5])]
    for place in places:
        if place.is_file():
            return str(place)
    raise errors.LibraryError(f"libaoso.so is not in {' or '.join(str(p.parent) for p in places)}; set AOSO_LIBRARY to its path")


def _call(name: str, *arguments: Any) -> None:
    library = _loaded()
    status = getattr(library, "aoso_" + name)(*arguments)
    if status != _OK:
        raise error(status)


def error(status: int) -> errors.AosoError:
    """The error of the last call in this thread, which has returned a status."""
    text = _loaded().aoso_last_error().decode(errors="replace").removeprefix("aoso: ")
    return _ERRORS.get(status, errors.InternalError)(text)


def _bytes(name: str, *arguments: Any) -> bytes:
    """The bytes or text that a function returns through a buffer, including a text's final 0."""
    needed = c.c_size_t()
    status = getattr(_loaded(), "aoso_" + name)(*arguments, None, 0, c.byref(needed))
    if status not in (_OK, _BUFFER_TOO_SMALL):
        _call(name, *arguments, None, 0, c.byref(needed))
    buffer = c.create_string_buffer(needed.value)
    _call(name, *arguments, buffer, needed.value, c.byref(needed))
    return buffer.raw


def _call_back(receive: Callable[..., Any], prototype: Any, name: str, *arguments: Any) -> None:
    """Call a function whose last arguments are a callback and its user pointer. It ends if ``receive`` returns true."""
    failure: BaseException | None = None
    interrupted = False

    def guarded(*received: Any) -> int:
        nonlocal failure
        try:
            return int(interrupted or bool(receive(*received)))
        except BaseException as e:
            failure = e
            return 1

    def interrupt() -> None:
        nonlocal interrupted
        interrupted = True

    try:
        apart(lambda: _call(name, *arguments, prototype(guarded), None), interrupt)
    except errors.AosoError:
        if failure is None:
            raise
    if failure is not None:
        raise failure


def _string(name: str, *arguments: Any) -> str:
    return _bytes(name, *arguments)[:-1].decode()


# All models. A fork needs their twins.
models: Living[Handle] = Living()


class Handle:
    """An object of the library. It is freed when nothing refers to the handle any more.

    Make the handle, of null, before the call that makes the object: else a signal handler can raise an exception in between.
    """

    __slots__ = ("__weakref__", "_as_parameter_", "twin")

    def __init__(self, kind: str) -> None:
        self._as_parameter_ = value = c.c_void_p()
        self.twin: Any = None  # of a model: what predicts in place of it in children created by fork
        if kind == "model":
            models.add(weakref.ref(self))
        free_with(self, getattr(_loaded(), f"aoso_{kind}_free"), value)

    def __reduce__(self) -> Any:
        raise TypeError("an object of the aoso library cannot be pickled or copied; save it to a file")


    @property
    def out(self) -> Any:
        """Where a function is to put the object."""
        return c.byref(self._as_parameter_)


def _create(name: str, *arguments: Any, call: Callable[..., None] = _call) -> Handle:
    handle = Handle(name.split("_")[0])
    call(name, *arguments, handle.out)
    return handle
