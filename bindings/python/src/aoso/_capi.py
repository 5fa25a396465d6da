"""The C library, function by function; ``aoso.h`` documents them. Only this module, ``_forked``, ``_input``,
``_library``, ``_objective``, ``_predictor``, ``_ranks``, ``_serving``, ``_struct_base``, ``_structs`` and ``_trainer`` use ctypes."""

from __future__ import annotations

import ctypes as c
import functools
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _conformal, _forked, _struct_base, errors
from . import _structs as structs
from ._input import Array as Array
from ._input import Labels as Labels
from ._input import SoftLabels as SoftLabels
from ._input import Matrix as Matrix
from ._input import address as _address
from ._input import arrow_array as arrow_array
from ._input import arrow_stream as arrow_stream
from ._input import compressed as compressed
from ._input import dense as dense
from ._input import readable as readable
from ._input import strings as _strings
from ._input import table as table
from ._library import Handle as Handle
from ._library import _bytes, _call, _call_back, _create, _loaded, _pause, _staged, _string, _write
from ._parameters import METRICS, NESTED, TYPES
from ._progress import Evaluation, Result
from ._ranks import Ranks as Ranks
from ._scalars import integer as integer
from ._scalars import number, plain
from ._scalars import seconds as seconds

_PHASES = ("train", "holdout", "search")
_STOPPED_BY = ("", "stop_loss", "trees", "early_stopping", "interrupt", "no_split", "time_limit")
IMPORTANCES = ("gain", "split", "cover")


def version() -> str:
    """The library's version."""
    text: bytes = _loaded().aoso_version_string()
    return text.decode()


def build_info() -> dict[str, Any]:
    """The library's version, kernels, and number of threads."""
    info: dict[str, Any] = json.loads(_string("build_info"))
    return info


# ---------------------------------------------------------------- arguments --


def _optional(values: Array | None) -> tuple[int | None, int]:
    """Two arguments: a pointer and a length."""
    return (None, 0) if values is None else (_address(values), len(values))


def _encoded_path(path: str | os.PathLike[str]) -> bytes:
    try:
        encoded = os.fsencode(path)
    except TypeError as e:
        raise errors.DTypeError(f"path is {path!r}; allowed: a path") from e
    if b"\0" in encoded:
        raise errors.ArgumentError(f"path {path!r} has a null character; allowed: any other")
    return encoded


# ----------------------------------------------------------------- datasets --


class DatasetOptions:
    """How a dataset is built from columns like those of ``x``."""

    def __init__(
        self,
        x: Matrix,
        categorical: list[int],
        *,
        max_bin: int = 0,
        sample_rows: int = 0,
        seed: int,
        nthread: int,
        dense_only: bool = False,
        path: str | os.PathLike[str] | None = None,
        text_labels: bool = False,
        init: Handle | None = None,
        ranks: Ranks | None = None,
    ) -> None:
        self.struct = o = structs.DatasetOptions()
        o.set_integer("max_bin", max_bin)
        o.set_integer("sample_rows", sample_rows)
        o.set_integer("seed", seed)
        o.set_integer("nthread", nthread)
        o.dense_only = bool(dense_only)
        o.text_labels = text_labels
        if init is not None:
            o.init = init._as_parameter_
        self._columns = np.array(categorical, np.int64)
        o.categorical, o.num_categorical = _address(self._columns), len(categorical)
        if x.names is not None:
            o.feature_names, o.num_feature_names = _strings("feature name", x.names), len(x.names)
        if path is not None:
            o.path = _encoded_path(path)
        self.ranks = ranks
        if ranks is not None:
            o.collective = ranks.address


def _calls(ranks: Ranks | None) -> Callable[..., None]:
    return _call if ranks is None else ranks.call


def _creates(ranks: Ranks | None) -> Callable[..., Handle]:
    return _create if ranks is None else ranks.create


def dataset(x: Matrix, y: Labels, weights: Array | None, row_ids: Array | None, options: DatasetOptions) -> Handle:
    """Quantize features and labels."""
    options.struct.weights, options.struct.num_weights = _optional(weights)
    options.struct.row_ids, options.struct.num_row_ids = _optional(row_ids)
    return _creates(options.ranks)("dataset_create", x.struct, y.struct, options.struct)


def suggest_codes(x: Matrix, y: Labels, weights: Array | None, options: DatasetOptions) -> Array:
    """The columns that were tried as categories."""
    options.struct.weights, options.struct.num_weights = _optional(weights)
    out, count = np.empty(max(1, x.shape[1]), structs.CODE_SUGGESTION), c.c_int64()
    arguments = x.struct, y.struct, options.struct, _address(out), len(out), c.byref(count)
    _call_back(lambda _: False, _pause, "suggest_codes", *arguments)
    return out[: count.value]


class Builder:
    """A builder of a dataset of rows that come twice."""

    def __init__(self, cols: int, options: DatasetOptions) -> None:
        self._handle, self._ranks = _create("builder_create", cols, options.struct), options.ranks

    def sample(self, x: Matrix, y: Labels, weights: Array | None, row_ids: Array | None) -> None:
        _call("builder_sample", self._handle, x.struct, y.struct, *_optional(weights), *_optional(row_ids))

    def append(self, x: Matrix, y: Labels) -> None:
        _calls(self._ranks)("builder_append", self._handle, x.struct, y.struct, None, 0)

    def finish(self) -> Handle:
        dataset = Handle("dataset")
        _calls(self._ranks)("builder_finish", self._handle, dataset.out)
        return dataset


def labels(dataset: Handle, rows: int) -> Array:
    """The number of each row's class; -1: none of the classes."""
    out = np.empty(rows, np.int32)
    _call("dataset_labels", dataset, _address(out), rows)
    return out


def weights(dataset: Handle, rows: int) -> Array:
    """The weight of each row."""
    out = np.empty(rows)
    _call("dataset_weights", dataset, _address(out), rows)
    return out


def balanced_weights(dataset: Handle, classes: int, ranks: Ranks | None = None) -> Array:
    """A weight for each class, with which all classes weigh the same."""
    out = np.empty(classes)
    _calls(ranks)("dataset_balanced_weights", dataset, _address(out), classes)
    return out


def aligned_dataset(train: Handle, x: Matrix, y: Labels, weights: Array | None, ranks: Ranks | None = None) -> Handle:
    """Quantize a validation set like its training set."""
    o = structs.DatasetOptions()
    o.weights, o.num_weights = _optional(weights)
    return _creates(ranks)("dataset_create_aligned", train, x.struct, y.struct, o)


class DatasetInfo(NamedTuple):
    rows: int
    features: int
    classes: int
    unknown: int
    bytes: int
    named: bool  # the features' names were given, not generated


def dataset_info(dataset: Handle) -> DatasetInfo:
    info = structs.DatasetInfo()
    _call("dataset_get_info", dataset, info)
    return DatasetInfo(*(getattr(info, name) for name in DatasetInfo._fields))


def class_names(kind: str, owner: Handle, count: int) -> list[str]:
    """The class names of a dataset or model. ``kind`` is "dataset" or "model"."""
    if owner.twin is not None:
        return list(owner.twin.classes)
    return [_string(f"{kind}_class_name", owner, k) for k in range(count)]


def feature_names(kind: str, owner: Handle, count: int) -> list[str]:
    """The feature names of a dataset or model."""
    if owner.twin is not None:
        return list(owner.twin.features)
    return [_string(f"{kind}_feature_name", owner, j) for j in range(count)]


def categories(kind: str, owner: Handle, names: list[str]) -> dict[str, list[str]]:
    """The categories of a dataset's or model's features, by the name of the feature."""
    if owner.twin is not None:
        return {name: texts for name, texts in zip(names, owner.twin.categories or ()) if texts is not None}
    found = {}
    for j, name in enumerate(names):
        needed, count = c.c_size_t(), c.c_int64()
        _call(f"{kind}_categories", owner, j, None, 0, c.byref(needed), c.byref(count))
        if count.value >= 0:
            text = c.create_string_buffer(max(needed.value, 1))
            _call(f"{kind}_categories", owner, j, text, needed.value, c.byref(needed), c.byref(count))
            found[name] = text.raw[: needed.value].decode().split("\0")[:-1]
    return found


def save(kind: str, owner: Handle, path: str | os.PathLike[str]) -> None:
    """Write a dataset or model to a file."""
    _call(f"{kind}_save", owner, _encoded_path(path))


def load(kind: str, path: str | os.PathLike[str]) -> Handle:
    """Read a dataset or model from a file."""
    try:
        return _create(f"{kind}_load", _encoded_path(path))
    except errors.ForkError:
        if kind != "model":
            raise
    with open(path, "rb") as file:
        return _forked.decoded(file.read())


def read_dataset(path: str | os.PathLike[str]) -> Handle:
    """Read a dataset into memory; :func:`load` maps the file instead."""
    return _create("dataset_read", _encoded_path(path))


# ----------------------------------------------------------------- training --


class Params:
    """Training parameters, checked."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.struct = _struct_base.Params()
        _call("params_init", self.struct, c.sizeof(self.struct))
        _call("params_parse", self.struct, " ".join(_assignment(k, v) for k, v in values.items() if v is not None).encode())
        _call("params_check", self.struct)

        self.n_estimators: int = self.struct.n_estimators
        self.early_stopping_rounds: int = self.struct.early_stopping_rounds


def suggested(rows: Any, features: Any, classes: Any) -> dict[str, Any]:
    """Parameters for data of this many rows, features and classes."""
    return _read_params(_string("suggest_params", integer("rows", rows), integer("features", features), integer("classes", classes)))


def _read_params(text: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    decoder = json.JSONDecoder()
    while text := text.lstrip():
        name, _, text = text.partition("=")
        if name in NESTED and text[0] in "[{":
            values[name], end = decoder.raw_decode(text)
            text = text[end:]
            continue
        value, _, text = text.partition(" ")
        values[name] = value if value == "auto" or name in NESTED else TYPES[name](value)
    return values


def _assignment(name: str, value: Any) -> str:
    if name in NESTED:
        return f"{name}={_nested(name, value)}"
    value = plain(value)
    text = str(value)
    if not isinstance(value, (int, float, str)) or not re.fullmatch(r"[\w.+-]+", text):
        allowed = ", ".join(METRICS) if name == "metric" else "a number or a word"
        raise errors.ArgumentError(f"parameter {name} is {value!r}; allowed: {allowed}")
    return f"{name}={text}"


def _nested(name: str, value: Any) -> str:
    """A list or a dict as text."""
    try:
        if isinstance(value, str):
            text = value.strip()
            if re.match(r"[^\[({]*:", text):  # CatBoost's signs by name
                return f"{{{text}}}"
            bare = text[:1] not in ("[", "(", "{") and re.search(r"[\s,]", text)
            return f"[{text}]" if bare or re.search(r"^[\[(][^\[(]*[\])]\s*,", text) else text
        return json.dumps(_plain(value), ensure_ascii=False)
    except TypeError as e:
        raise errors.ArgumentError(f"parameter {name} is {value!r}; allowed: a list, a dict or a string") from e


def _plain(value: Any) -> Any:
    """Lists and dicts of what JSON can have."""
    if isinstance(value, Mapping):
        return {str(plain(key)): _plain(v) for key, v in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(v) for v in value), key=lambda v: (isinstance(v, str), v))
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return plain(value)


def _read_evaluation(e: structs.Evaluation) -> Evaluation:
    return Evaluation(e.log_loss, e.error_rate)


@functools.cache
def metrics() -> dict[str, bool]:
    """The metrics by name, and whether higher is better. error@K, for every K, is not among them."""
    return {metric["name"]: metric["higher_is_better"] for metric in json.loads(_string("metrics"))}


def check_metrics(names: Any) -> list[str]:
    """The user's metrics by name, checked."""
    listed: list[str] = [names] if isinstance(names, str) else list(names or ())
    for name in listed:
        if name not in metrics() and not re.fullmatch("error@[1-9][0-9]{0,8}", str(name)):
            raise errors.ArgumentError(f"metrics has {name!r}; allowed: {', '.join(metrics())} or error@K")
    return listed


def _model_of(kind: str, owner: Handle, ranks: Ranks | None = None) -> tuple[Handle, Result]:
    model, r = Handle("model"), structs.Result()
    _calls(ranks)(f"{kind}_model", owner, model.out, r)
    return model, Result(
        _PHASES[r.phase],
        r.iterations,
        r.best_iteration,
        _STOPPED_BY[r.stopped_by],
        r.train_loss,
        r.seconds,
        r.threads,
        _read_evaluation(r.valid) if r.has_valid else None,
        _read_evaluation(r.held_out) if r.held_out_rows else None,
        r.held_out_rows,
    )


# ------------------------------------------------------------------- models --


class ModelInfo(NamedTuple):
    classes: int
    features: int
    trees: int
    trees_per_iteration: int
    temperature: float
    conformal_rows: int
    named: bool  # the features' names were given, not generated


def model_info(model: Handle) -> ModelInfo:
    if model.twin is not None:
        return ModelInfo(*model.twin.info())
    info = structs.ModelInfo()
    _call("model_get_info", model, info)
    return ModelInfo(*(getattr(info, name) for name in ModelInfo._fields))


def params(model: Handle) -> dict[str, Any]:
    """The parameters that belong to the model. Threads and level do not."""
    values = _read_params(json.loads(_string("model_describe", model))["params"])
    return {name: value for name, value in values.items() if name not in ("nthread", "level")}


def fingerprint(model: Handle) -> str:
    return _string("model_fingerprint", model)


def label_type(model: Handle) -> str:
    if model.twin is not None:
        return str(model.twin.meta.get("label_type", ""))
    return _string("model_label_type", model)


def with_label_type(model: Handle, noted: str) -> Handle:
    """The model with a note of the type of its labels."""
    return model if noted == label_type(model) else _create("model_with_label_type", model, noted.encode())


def encode(model: Handle) -> bytes:
    """The model as the bytes of a model file."""
    return _bytes("model_encode", model)


def decode(data: Any) -> Handle:
    try:
        data = bytes(memoryview(data))
    except TypeError as e:
        raise errors.ArgumentError(f"data is a {type(data).__name__}; allowed: bytes") from e
    try:
        return _create("model_decode", data, len(data))
    except errors.ForkError:
        return _forked.decoded(data)


def tree(model: Handle, number: int) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(_string("model_tree", model, integer("tree", number)))
    return content


class ExportFormat(NamedTuple):
    """A format of :meth:`Booster.export`."""

    name: str
    help: str
    one_tree: bool  # it shows one tree only
    binary: bool  # it is not text


def export_formats() -> list[ExportFormat]:
    """The formats of :meth:`Booster.export`."""
    return [ExportFormat(**fields) for fields in json.loads(_string("export_formats"))]


def export(model: Handle, format: str, number: int, force: bool) -> bytes:
    """The model, or one tree, in another format."""
    parts: list[bytes] = []

    def write(at: int, size: int, _: Any) -> None:
        parts.append(c.string_at(at, size))

    _call_back(write, _write, "model_export_with", model, format.encode(), _export_options(number, force))
    return b"".join(parts)


def export_file(model: Handle, format: str, number: int, force: bool, path: str | os.PathLike[str]) -> None:
    options = _export_options(number, force)
    options.path = _encoded_path(path)
    _call("model_export_with", model, format.encode(), options, _write(), None)


def _export_options(number: int, force: bool) -> structs.ExportOptions:
    return structs.ExportOptions(tree=integer("tree", number), force=bool(force))


def first_trees(model: Handle, classes: int) -> list[int]:
    """By class, the number of the first tree that gives it scores; -1: none does."""
    out = np.empty(classes, np.int32)
    _call("model_first_trees", model, _address(out), classes)
    return out.tolist()


def importance(model: Handle, kind: str, features: int) -> Array:
    out = np.empty(features)
    _call("model_importance", model, IMPORTANCES.index(kind), _address(out), features)
    return out


def pair_importance(model: Handle) -> Array:
    needed = c.c_int64()
    _call("model_pair_importance", model, None, 0, c.byref(needed))
    out = np.empty(needed.value, structs.PAIR_IMPORTANCE)
    _call("model_pair_importance", model, _address(out), len(out), c.byref(needed))
    return out


def truncate(model: Handle, trees: int) -> Handle:
    return _create("model_truncate", model, integer("trees", trees))


def merge(models: Sequence[Handle]) -> Handle:
    handles = (c.c_void_p * len(models))(*(model._as_parameter_.value for model in models))
    return _create("model_merge", handles, len(models))


def refit(model: Handle, x: Matrix, y: Labels, weights: Array | None, keep: float, nthread: int) -> Handle:
    options = structs.RefitOptions(keep=number("keep", keep, "a number, 0 to 1"))
    options.weights, options.num_weights = _optional(weights)
    options.set_integer("nthread", nthread)
    return _create("model_refit", model, x.struct, y.struct, options)


class Calibration(NamedTuple):
    """A temperature, and the mean log loss on the rows that it was fitted to, before and after."""

    temperature: float
    before: float
    after: float


def calibrate(model: Handle, x: Matrix, y: Labels, weights: Array | None, nthread: int) -> tuple[Handle, Calibration]:
    calibrated, r = Handle("model"), structs.Calibration()
    options = _predict_options(0, nthread)
    _call("model_calibrate", model, x.struct, y.struct, *_optional(weights), options, calibrated.out, r)
    return calibrated, Calibration(r.temperature, r.before, r.after)


def evaluate(model: Handle, x: Matrix, y: Labels, weights: Array | None, nthread: int) -> Evaluation:
    out = structs.Evaluation()
    _call("model_evaluate", model, x.struct, y.struct, *_optional(weights), _predict_options(0, nthread), out)
    return _read_evaluation(out)


def evaluate_raw(model: Handle, raw: Array, y: Labels, weights: Array | None) -> Evaluation:
    out = structs.Evaluation()
    _call("model_evaluate_raw", model, _address(raw), raw.size, y.struct, *_optional(weights), out)
    return _read_evaluation(out)


def measure_raw(model: Handle, metric: str, raw: Array, y: Labels, weights: Array | None) -> float:
    out = c.c_double()
    _call("model_measure_raw", model, _address(raw), raw.size, y.struct, *_optional(weights), metric.encode(), c.byref(out))
    return out.value


def raw_to_proba(model: Handle, raw: Array) -> Array:
    """Replace raw scores, contiguous, by probabilities."""
    try:
        _call("model_raw_to_proba", model, _address(raw), raw.size)
    except errors.ForkError as e:
        _forked.twin(model, e).raw_to_proba(raw)
    return raw


SET_METHODS = ("lac", "aps", "raps")


def predict_set(
    model: Handle, x: Matrix, classes: int, alpha: float, method: str, class_conditional: bool, non_empty: bool, nthread: int
) -> Array:
    number = SET_METHODS.index(method)
    sets = structs.SetOptions(method=number, alpha=alpha, class_conditional=bool(class_conditional), non_empty=bool(non_empty))
    out = np.empty((x.shape[0], classes), np.bool_)
    try:
        _call("model_predict_set", model, x.struct, sets, _predict_options(0, nthread), _address(out), out.size)
    except errors.ForkError as e:
        return _conformal.predict_set(_forked.twin(model, e), x, alpha, method, class_conditional, non_empty)
    return out


def conformalize(model: Handle, x: Matrix, y: Labels, weights: Array | None, nthread: int) -> Handle:
    return _create("model_conformalize", model, x.struct, y.struct, *_optional(weights), _predict_options(0, nthread))


def decide(model: Handle, x: Matrix, costs: Array, nthread: int) -> tuple[Array, Array]:
    decisions, expected = np.empty(x.shape[0], np.int32), np.empty(x.shape[0])
    out = (_address(decisions), _address(expected), len(decisions))
    try:
        _call("model_decide", model, x.struct, _address(costs), costs.size, _predict_options(0, nthread), *out)
    except errors.ForkError as e:
        return _forked.decide(_forked.twin(model, e), x, costs)
    return decisions, expected


def reliability(model: Handle, x: Matrix, y: Labels, weights: Array | None, nthread: int) -> tuple[float, float, Array]:
    """The Brier score, the expected calibration error and the bins."""
    r = structs.Reliability()
    _call("model_reliability", model, x.struct, y.struct, *_optional(weights), _predict_options(0, nthread), r)
    return r.brier, r.ece, np.frombuffer(r.bins, structs.RELIABILITY_BIN)[: r.num_bins].copy()


def _predict_options(trees: int, nthread: int) -> structs.PredictOptions:
    options = structs.PredictOptions()
    options.set_integer("nthread", nthread)
    options.set_integer("trees", trees)
    return options


def predict(kind: str, model: Handle, x: Matrix, width: int, trees: int, nthread: int) -> Array:
    """Predict without the GIL.

    ``kind`` is "" (one class number per row, ``width`` 1), "proba" or "raw" (``width`` classes), or "leaf" (``width`` trees).
    """
    out = np.empty((x.shape[0], width), np.int32 if kind in ("", "leaf") else np.float64)
    options = _predict_options(trees, nthread)
    try:
        _call("model_predict" + (kind and "_" + kind), model, x.struct, options, _address(out), out.size)
    except errors.ForkError as e:
        return _forked.twin(model, e).predict(kind, x, width, trees)
    return out


def staged(model: Handle, x: Matrix, classes: int, every: int, nthread: int, receive: Callable[[int, Array], Any]) -> None:
    """Call ``receive`` for each stage until it returns true, with the number of trees and raw scores valid during the call."""

    def view(trees: int, at: int | None, length: int, _: Any) -> Any:
        return receive(trees, np.asarray((c.c_double * length).from_address(at or 0)).reshape(x.shape[0], classes))

    _call_back(view, _staged, "model_predict_staged", model, x.struct, _predict_options(0, nthread), integer("every", every))


def shap(model: Handle, x: Matrix, classes: int, features: int, trees: int, nthread: int) -> Array:
    out = np.empty((x.shape[0], classes, features + 1))
    _call("model_shap", model, x.struct, _predict_options(trees, nthread), _address(out), out.size)
    return out


def shap_sparse(model: Handle, x: Matrix, top: int, trees: int, nthread: int) -> tuple[Array, Array, Array, Array]:
    """The classes (rows × classes per row) and a compressed matrix: indptr, columns, values."""
    found, info = Handle("contributions"), structs.ContributionsInfo()
    _call("model_shap_sparse", model, x.struct, _predict_options(trees, nthread), integer("top", top), found.out)
    _call("contributions_get_info", found, info)
    classes, indptr = np.empty((x.shape[0], info.per_row), np.int32), np.empty(info.lines + 1, np.int64)
    columns, values = np.empty(info.values, np.int32), np.empty(info.values)
    rows, entries = map(_address, (classes, indptr)), map(_address, (columns, values))
    _call("contributions_read", found, *rows, info.lines, *entries, info.values)
    return classes, indptr, columns, values
