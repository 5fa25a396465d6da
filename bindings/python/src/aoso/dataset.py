"""Quantized training and validation data."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _blocks, _capi, _familiar, _identifiers, _labels, _matrix, _others, _soft
from ._capi import Array
from ._quantized import DEFAULTS, Data, Pending, Quantized
from .booster import Booster
from .collective import Collective
from .errors import ArgumentError

__all__ = ["Dataset"]


class Dataset:
    """Quantized features with labels and weights, ready for training.

    It is quantized on first need: by :meth:`construct`, by training, or when its classes or names are asked for. Training can
    bring ``max_bin``, ``sample_rows`` and ``categorical_features`` along until then. Do not change ``x`` before. With
    ``row_id``, ``init_model``, ``path``, ``collective`` or a ``reference`` that is quantized, it is quantized at once. Afterwards a
    dataset never changes, and many trainings can use it at once.

    Parameters
    ----------
    x : table of shape (n_rows, n_features)
        A numpy array of any dtype and order, a pandas or polars data frame, a pyarrow table or record batch (or anything
        with the Arrow PyCapsule interface and a length), a scipy sparse matrix, or lists. What the library can read in
        place is not copied. Texts and categories make categorical features; bools count as 0 and 1; dates, times and
        durations are seconds, dates since 1970 (UTC). NaN, None, NaT, nulls, masked values and empty texts are missing;
        absent values of sparse matrices are 0. Infinite values lie beyond every threshold.
    y : array of shape (n_rows,) or (n_rows, n_classes)
        The classes: ints, strings, bools or floats. Or soft labels: the share of each class in each row, such as the votes of annotators
        or the probabilities of another model. The shares of a row are not negative and sum to 1, up to a thousandth for
        rounding. The table may be sparse; the classes are the column names of a data frame, or 0, 1, ...
    weight : array of shape (n_rows,), optional
        Weights of the rows, not negative; 1 each by default.
    row_id : array of int of shape (n_rows,), optional
        A number for each row, all different; by default the rows' positions, from 0. What is drawn from the rows depends on
        their ids, not on their order: the rows that the bins are fitted to, those that are held out, and those that each tree
        is grown on.
    feature_names : list of str, optional
        Names of the features; by default the column names of ``x``, or f0, f1, ...
    categorical_features : "from_dtype", None, or a mask, list of numbers or list of names, default "from_dtype"
        The features whose values are categories. "from_dtype": those that hold texts or categories; None: no features. A list
        may also have columns of numbers, in which 3 stands for the category "3". It must have all columns of texts and
        categories.
    class_weight : dict or "balanced", optional
        Weights of the classes, by label, which multiply those of the rows. "balanced": all classes weigh the same.
    max_bin : int, default 255
        Value bins of a feature, 2 to 255.
    sample_rows : int, default 200000
        Rows that the bins are fitted to; negative: all.
    seed : int, default 0
        Seed of that sample.
    nthread : int, default 0
        Threads to use; 0, -1 or None: the cores that the process may use.
    dense_only : bool, default False
        Store no sparse feature row by row: slower, the same model.
    init_model : Booster, optional
        A model to continue: training adds trees to it. Its features become those of the dataset. The classes are those of the
        model and of ``y``, of which the model must know at least one. A class that is new to the model begins with a constant
        score, by which it is as likely as it is frequent in ``y``. A class that ``y`` lacks keeps its scores, unless leaves are
        of kind "pair". New classes need the method "aoso".
    path : path, optional
        A file to keep the dataset in, rather than memory, as :meth:`load` does. It is replaced completely, or left unchanged on
        an error. ``x`` may be a ``numpy.memmap`` that is larger than the memory. Not with ``init_model``.
    collective : Collective, optional
        The machines that each have some of the rows, of which these are those of one; by default, these are all rows. All
        machines make the dataset at the same time, with the same options and columns. Classes, categories and bins are those
        of all rows. Row ids differ between machines too; by default, rows are numbered machine after machine. Training on the
        dataset, and making a validation set for it, take all machines as well.
    reference : Dataset, optional
        The training set, for a validation set with its bins and classes: the same as ``reference.aligned(x, y, weight=weight)``.
        The other arguments have no effect.
    label : array, optional
        LightGBM's and XGBoost's name for ``y``.
    params : dict, optional
        Parameters of training, of which those are used that belong here, such as LightGBM's ``max_bin``.
    free_raw_data : bool, default False
        Whether to let go of ``x``, ``y`` and ``weight`` once they are quantized. Without them, the dataset cannot continue a model,
        be cross-validated, or be a validation set of another dataset.
    **others
        Other names: ``data`` for ``x``, ``feature_name`` for ``feature_names``, ``categorical_feature`` and ``cat_features`` for
        ``categorical_features``. ``silent`` and ``enable_categorical`` have no effect.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        The classes, in the order of their numbers in the library: numbers by value, texts by their bytes, also those of digits,
        and False before True. The order of the categories of a pandas category does not count.
    feature_names : list of str
    categories : dict of str to list of str
        The categories of each categorical feature, in order.

    Raises
    ------
    ArgumentError
        If an argument is not as above.

    Examples
    --------
    >>> import aoso, numpy as np
    >>> x = np.array([[0.5, 1], [1.5, np.nan], [2.5, 0]])
    >>> aoso.Dataset(x, ["no", "no", "yes"])
    Dataset(3 rows, 2 features, 2 classes)
    >>> aoso.Dataset([["red", 1], ["blue", 2], [None, 3]], ["no", "no", "yes"]).categories
    {'f0': ['blue', 'red']}
    """

    _data: Data | None = None  # None: they are gone, or in a file
    _given: Mapping[str, Any] = {"class_weight": None}  # to __init__
    _init_model: Booster | None = None
    _warns = True  # of columns that identify rows
    _takes_new_classes = False  # y may have only classes that the model does not know
    _reference: Dataset | None = None
    _pending: Pending | None = None  # until it is quantized
    _ranks: _capi.Ranks | None = None
    _quantized: Quantized

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        *,
        weight: Any = None,
        row_id: Any = None,
        feature_names: list[str] | None = None,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        max_bin: int = 255,
        sample_rows: int = 200_000,
        seed: int = 0,
        nthread: int | None = 0,
        dense_only: bool = False,
        init_model: Booster | None = None,
        path: str | os.PathLike[str] | None = None,
        collective: Collective | None = None,
        reference: Dataset | None = None,
        label: Any = None,
        params: Mapping[str, Any] | None = None,
        free_raw_data: bool = False,
        **others: Any,
    ) -> None:
        x = _one("x", x, "data", others.pop("data", None))
        y = _one("y", y, "label", label)
        feature_names = _other(others, "feature_name", "auto", feature_names)
        categorical_features = _other(others, "categorical_feature", "auto", categorical_features)
        categorical_features = _other(others, "cat_features", None, categorical_features)
        _refuse(others)
        nthread = 0 if nthread in (None, -1) else nthread
        self._data, self._frees = Data(x, y, weight, row_id), bool(free_raw_data)
        self._ranks = None if collective is None else _capi.Ranks(collective)
        if reference is not None:
            self._begin_aligned(reference)
            return
        self._given = {
            "categorical_features": categorical_features,
            "class_weight": class_weight,
            "max_bin": max_bin,
            "sample_rows": sample_rows,
            **_others.parameters(params).dataset,
        }
        self._init_model = init_model
        with self._aborting():
            weight = _weighed(weight, self._given["class_weight"], y, collective)
            plain = self._begin(weight, feature_names, seed=seed, nthread=nthread, dense_only=dense_only, path=path)
            if path is not None or collective is not None:
                self._data = None  # which are not all rows, or larger than the memory
            if self._data is None or row_id is not None or init_model is not None or not plain:
                self.construct()

    def _begin(self, weight: Any, feature_names: list[str] | None, **options: Any) -> bool:
        """Read the data, to find what is wrong with them now. Return whether there are rows and columns, and the weights are as they
        should be; the library says what is wrong with others."""
        assert self._data is not None
        model = self._init_model
        if model is None:
            matrix = _matrix.read(self._data.x, feature_names)
            _matrix.check_distinct(matrix.names)
        else:
            _check_model(model)
            matrix = model._read(self._data.x, labelled=True)
        rows = matrix.shape[0]
        strict = self._ranks is None and not self._takes_new_classes
        labels, classes = _labels.read(self._data.y, rows, None if model is None else model.classes, alone=strict, grows=True)
        if model is not None:
            _labels.united(model.classes, classes)  # for its errors
        elif self._warns and self._ranks is None:
            _identifiers.warn(matrix, self._data.x)
        weights, ids = _matrix.weights(weight, rows), _matrix.row_ids(self._data.row_id, rows)
        self._pending = Pending(matrix, labels, classes, weights, ids, options)
        if 0 in matrix.shape:
            return False
        _capi.Builder(matrix.shape[1], self._options(self._pending))  # checks the options
        return weights is None or bool((weights >= 0).all() and np.isfinite(weights).all())

    def _options(self, pending: Pending) -> _capi.DatasetOptions:
        """How the dataset is to be quantized, checked."""
        matrix, model = pending.matrix, self._init_model
        names = matrix.names
        try:
            matrix.names = names if model is None else None
            return _capi.DatasetOptions(
                *(matrix, self._categorical(matrix)),
                init=None if model is None else model._handle,
                ranks=self._ranks,
                text_labels=_labels.are_texts(pending.classes),
                max_bin=self._given["max_bin"],
                sample_rows=self._given["sample_rows"],
                **pending.options,
            )
        finally:
            matrix.names = names

    def _categorical(self, matrix: _capi.Matrix) -> list[int]:
        return _matrix.categorical(self._given["categorical_features"], matrix)

    def _quantize(self, pending: Pending) -> None:
        if self._reference is not None:
            self._align(self._reference)
            return
        matrix = pending.matrix.coded(self._categorical(pending.matrix))
        handle = _capi.dataset(matrix, pending.labels, pending.weights, pending.row_ids, self._options(pending))
        if self._init_model is not None:
            classes = _labels.united(self._init_model.classes, self._united(pending.classes))
        else:
            classes = self._united(pending.classes)
        self._quantized = Quantized.of(handle, classes, ordered=False)
        self._release()

    def _united(self, classes: Array) -> Array:
        """The classes of all machines."""
        return classes if self._ranks is None else self._ranks.unite(classes, _labels.kind(classes))

    def _begin_aligned(self, reference: Any) -> None:
        if not isinstance(reference, Dataset):
            raise ArgumentError(f"reference is a {type(reference).__name__}; allowed: a Dataset")
        assert self._data is not None
        self._reference, self._ranks = reference, reference._ranks
        with self._aborting():
            if reference._pending is None:
                self._align(reference)
                return
            matrix = _matrix.read(self._data.x)  # for errors now: names and classes are not known yet
            rows = matrix.shape[0]
            labels, classes = _labels.read(self._data.y, rows)
            self._pending = Pending(matrix, labels, classes, _matrix.weights(self._data.weight, rows))

    def _align(self, reference: Dataset) -> None:
        """Quantize a validation set by the names, bins and classes of its training set."""
        assert self._data is not None
        named = bool(reference.construct()._quantized.info.named)
        matrix = _matrix.read_as(self._data.x, reference.feature_names, named, reference.categories, labelled=True)
        labels, _ = _labels.read(self._data.y, matrix.shape[0], reference.classes, alone=self._ranks is None)
        weights = _matrix.weights(self._data.weight, matrix.shape[0])
        handle = _capi.aligned_dataset(reference._handle, matrix, labels, weights, self._ranks)
        self._quantized = Quantized.of(handle, reference.classes)
        self._release()

    def _release(self) -> None:
        """Let go of what is not needed once the data are quantized."""
        self._pending = None
        if self._frees:
            self._data = None

    def construct(self) -> Dataset:
        """Quantize the data now, unless they are so already.

        Returns
        -------
        Dataset
            The dataset itself.
        """
        pending = self._pending
        if pending is not None:
            with pending.lock, self._aborting():
                if self._pending is not None:  # another thread may have been faster
                    self._quantize(pending)
        return self

    def _take(self, given: dict[str, Any]) -> None:
        """Take parameters that training was given, by our names."""
        for name, value in given.items():
            its = self._given.get(name, value)
            if its is value or its == value:
                continue
            if self._pending is None or its != DEFAULTS[name]:
                done = "" if self._pending else ", which is quantized already"
                raise ArgumentError(f"{name} is {value!r} for training, {its!r} for train_set{done}; write Dataset(x, y, {name}={value!r})")
            before, self._given = self._given, {**self._given, name: value}
            try:
                _capi.Builder(self.num_features, self._options(self._pending))
            except BaseException:
                self._given = before
                raise

    @property
    def _handle(self) -> _capi.Handle:
        return self.construct()._quantized.handle

    @property
    def classes(self) -> Array:
        """The classes, in the order of their numbers in the library."""
        return self.construct()._quantized.classes

    @property
    def feature_names(self) -> list[str]:
        """The names of the features."""
        return self.construct()._quantized.feature_names

    def _aborting(self) -> contextlib.AbstractContextManager[None]:
        """Tell the other machines if this one fails."""
        return contextlib.nullcontext() if self._ranks is None else self._ranks.aborting()

    @classmethod
    def from_blocks(
        cls,
        blocks: Any,
        *,
        feature_names: list[str] | None = None,
        categorical_features: Any = "from_dtype",
        max_bin: int = 255,
        sample_rows: int = 200_000,
        seed: int = 0,
        nthread: int = 0,
        dense_only: bool = False,
        path: str | os.PathLike[str] | None = None,
        collective: Collective | None = None,
    ) -> Dataset:
        """Quantize rows that come in blocks, which need not be in memory all at once.

        The blocks are read twice: first to find the classes, categories and bins, then to quantize the rows. The dataset is the
        same as one made of all rows at once, whatever the sizes of the blocks.

        Parameters
        ----------
        blocks : callable or iterable
            A function without arguments that returns an iterator, such as a generator function, or a list or another object that
            can be iterated over more than once. It gives blocks ``(x, y)``, ``(x, y, weight)`` or ``(x, y, weight, row_id)``,
            each as for :class:`Dataset`, with the same columns in the same order, and the same rows each time. Either all blocks
            have weights or none, and likewise row ids; ``weight`` may be None. A block is not used after the next one is asked
            for.
        feature_names : list of str, optional
            As for :class:`Dataset`.
        categorical_features : "from_dtype", None, or a mask, list of numbers or list of names, default "from_dtype"
            As for :class:`Dataset`.
        max_bin : int, default 255
            As for :class:`Dataset`.
        sample_rows : int, default 200000
            As for :class:`Dataset`.
        seed, nthread : int, default 0
            As for :class:`Dataset`.
        dense_only : bool, default False
            As for :class:`Dataset`.
        path : path, optional
            A file to keep the dataset in, rather than memory, as :meth:`load` does. It has a byte a value and 4 bytes a row, and
            is written block by block.
        collective : Collective, optional
            As for :class:`Dataset`. The blocks must have row ids.

        Returns
        -------
        Dataset

        Raises
        ------
        ArgumentError
            If an argument is not as above, or if the rows differ the second time.

        Examples
        --------
        >>> import aoso, numpy as np
        >>> def blocks():
        ...     for k in range(3):
        ...         x = np.random.default_rng(k).normal(size=(1000, 4))
        ...         yield x, x[:, 0] > x[:, 1]
        >>> aoso.Dataset.from_blocks(blocks)
        Dataset(3000 rows, 4 features, 2 classes)
        """
        dataset = cls.__new__(cls)
        dataset._ranks = None if collective is None else _capi.Ranks(collective)
        with dataset._aborting():
            dataset._build_of(
                *(blocks, feature_names, categorical_features),
                max_bin=max_bin,
                sample_rows=sample_rows,
                seed=seed,
                nthread=nthread,
                dense_only=dense_only,
                path=path,
            )
        return dataset

    def _build_of(self, blocks: Any, feature_names: list[str] | None, categorical_features: Any, **options: Any) -> None:
        source = _blocks.Source(blocks, feature_names)
        builder: _capi.Builder | None = None
        columns: list[int] = []
        for matrix, labels, weights, row_ids in source:
            if builder is None:
                _matrix.check_distinct(matrix.names)
                columns = _matrix.categorical(categorical_features, matrix)
                options["text_labels"] = _labels.are_texts(source.classes)
                builder = _capi.Builder(matrix.shape[1], _capi.DatasetOptions(matrix, columns, ranks=self._ranks, **options))
            builder.sample(matrix.coded(columns), labels, weights, row_ids)
        if builder is None:
            raise ArgumentError("blocks has no blocks; allowed: at least one")
        for matrix, labels, *_ in source:
            builder.append(matrix.coded(columns), labels)
        handle = builder.finish()
        self._quantized = Quantized.of(handle, self._united(source.classes), ordered=False)

    def aligned(self, x: Any, y: Any, *, weight: Any = None) -> Dataset:
        """A validation set with the bins and classes of this training set.

        With a collective, these are the rows of one machine.

        Parameters
        ----------
        x : table of shape (n_rows, n_features)
            As for the training set. If both have names, columns are found by name: see :meth:`aoso.Booster.predict`.
        y : array of shape (n_rows,) or (n_rows, n_classes)
            Labels that the training set does not have count as errors. Soft labels may have shares of its classes only.
        weight : array of shape (n_rows,), optional
            Weights of the rows, not negative.

        Returns
        -------
        Dataset
        """
        return Dataset(x, y, weight=weight, reference=self)

    def _aligned_with(self, train_set: Dataset, name: str) -> Dataset:
        """This dataset as a validation set for a training set."""
        if self is train_set or self._reference is not None or not self._given.get("max_bin"):
            return self
        if self._data is None:
            raise ArgumentError(
                f"{name} is a dataset of its own bins, and its data are gone; "
                "allowed: Dataset(x, y, reference=train_set) or a tuple (x, y)"
            )
        return Dataset(self._data.x, self._data.y, weight=self._data.weight, reference=train_set, free_raw_data=True)

    def _continuing(self, model: Booster | str | os.PathLike[str]) -> Dataset:
        """This dataset, to continue a model."""
        if not isinstance(model, Booster):
            model = Booster.load(model)
        if self._init_model is not None and self._init_model.fingerprint == model.fingerprint:
            return self
        (x, y, weight, row_id), given = self._parts()
        return Dataset(x, y, weight=weight, row_id=row_id, init_model=model, free_raw_data=True, **given)

    def _rows_of_dataset(self) -> Any:
        """The rows that it was made of."""
        if self._data is None:
            raise ArgumentError("x is a Dataset whose data are gone; allowed: the rows themselves")
        return self._data.x

    def __getattr__(self, name: str) -> Any:
        raise _familiar.no_attribute(self, name, _familiar.INSTEAD_OF_DATASET)

    def _parts(self) -> tuple[Data, dict[str, Any]]:
        """What it was made of, and how."""
        if self._data is None or self._reference is not None:
            raise ArgumentError("the data of train_set are gone; allowed: a Dataset(x, y) without free_raw_data, path and collective")
        return self._data, dict(self._given)

    def get_label(self) -> Array:
        """The label of each row, as in ``classes``; None for labels that the training set does not have.

        Returns
        -------
        array of shape (n_rows,)
        """
        numbers = _capi.labels(self._handle, self.num_rows)
        labels = self.classes[numbers]
        if self.num_unknown:
            labels = labels.astype(object)
            labels[numbers < 0] = None
        return labels

    def get_weight(self) -> Array:
        """The weight of each row.

        Returns
        -------
        array of shape (n_rows,)
        """
        return _capi.weights(self._handle, self.num_rows)

    def _class_weights(self, given: Any) -> Array | None:
        """The weights of the classes: of the user's dict, or "balanced"."""
        if given is None:
            return None
        if isinstance(given, str) and given == "balanced":
            return _capi.balanced_weights(self._handle, len(self.classes), self._ranks)
        return _labels.class_weights(self.classes, given)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the quantized data to a file.

        Parameters
        ----------
        path : path
            The file. An existing file is replaced completely, or left unchanged on an error.
        """
        _capi.save("dataset", self._handle, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], mmap: bool = True) -> Dataset:
        """Open a file written by :meth:`save`.

        Parameters
        ----------
        path : path
            The file.
        mmap : bool, default=True
            Map the file into memory, so that processes share it. The file must
            then not change while the dataset exists: truncating it would end
            Python (SIGBUS). False reads the file into memory.

        Returns
        -------
        Dataset
            Its classes are numbers if all look like numbers, else strings.
        """
        dataset = cls.__new__(cls)
        handle = _capi.load("dataset", path) if mmap else _capi.read_dataset(path)
        dataset._quantized = Quantized.of(handle)
        return dataset

    @functools.cached_property
    def categories(self) -> dict[str, list[str]]:
        """The categories of each categorical feature, in order."""
        return _capi.categories("dataset", self._handle, self.feature_names)

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return self._quantized.info.rows if self._pending is None else self._pending.matrix.shape[0]

    @property
    def num_features(self) -> int:
        """Number of features."""
        if self._pending is None:
            return self._quantized.info.features
        return self._pending.matrix.shape[1] if self._reference is None else self._reference.num_features

    @property
    def num_unknown(self) -> int:
        """Rows of a validation set with labels that the training set does not have."""
        return self.construct()._quantized.info.unknown

    @property
    def nbytes(self) -> int:
        """Memory in use, in bytes."""
        return self.construct()._quantized.info.bytes

    def __len__(self) -> int:
        return self.num_rows

    def __repr__(self) -> str:
        classes = len(self.classes if self._pending is None else self._pending.classes)
        return f"Dataset({self.num_rows} rows, {self.num_features} features, {classes} classes)"


def _one(name: str, value: Any, other: str, its: Any) -> Any:
    """The value of an argument that has two names."""
    if (value is None) == (its is None):
        raise ArgumentError(f"{name} is {'missing' if value is None else f'given as {other} as well'}; allowed: {name} or {other}")
    return its if value is None else value


def _other(others: dict[str, Any], name: str, default: Any, value: Any) -> Any:
    """An argument that has another name among others."""
    given = others.pop(name, default)
    return value if given is default or (isinstance(given, str) and given == default) else given


def _refuse(others: dict[str, Any]) -> None:
    """Raise an error if there are others than those without effect."""
    unknown = [name for name in others if name not in ("silent", "enable_categorical")]
    if unknown:
        advice = "; init_model continues a model" if "init_score" in unknown or "base_margin" in unknown else ""
        advice += "".join(f"; {name} is {_others.OURS[name]} here" for name in unknown if name in _others.OURS)
        raise ArgumentError(f"Dataset has no argument {', '.join(map(repr, unknown))}; allowed: those of its documentation{advice}")


def _weighed(weight: Any, class_weight: Any, y: Any, collective: Collective | None) -> Any:
    """The weights of rows of weighted classes."""
    if class_weight is None:
        return weight
    if _soft.given(y):
        raise ArgumentError(f"class_weight is {class_weight!r} with soft labels; allowed: None here; train(..., class_weight=...) takes it")
    if collective is not None and class_weight == "balanced":
        raise ArgumentError("class_weight is 'balanced'; allowed: a dict, because each machine knows its own rows only")
    by_class = _labels.row_weights(y, class_weight, alone=collective is None)
    weights = _matrix.weights(weight, len(by_class))
    return by_class if weights is None else by_class * weights


def _check_model(model: Any) -> None:
    if not isinstance(model, Booster):
        raise ArgumentError(f"init_model is a {type(model).__name__}; allowed: a Booster")
