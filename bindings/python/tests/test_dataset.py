import concurrent.futures
import copy
import gc
import os
import pickle
import weakref

import numpy as np
import pytest

import aoso
from aoso import _capi, _library, _structs, _trainer


def test_what_it_tells(small):
    x, y = small
    dataset = aoso.Dataset(x, y, feature_names=list("abcd"))
    assert (dataset.num_rows, len(dataset), dataset.num_features, dataset.num_unknown) == (150, 150, 4, 0)
    assert dataset.feature_names == list("abcd")
    assert dataset.classes.tolist() == [0, 1, 2]
    assert dataset.nbytes >= x.size
    assert repr(dataset) == "Dataset(150 rows, 4 features, 3 classes)"


def test_it_keeps_nothing_of_its_input(small):
    x, y = (a.copy() for a in small)
    dataset = aoso.Dataset(x, y)
    wanted = aoso.train({"n_estimators": 5}, dataset).fingerprint
    x[:], y[:] = 0, 0
    assert aoso.train({"n_estimators": 5}, dataset).fingerprint == wanted


def test_unknown_labels_of_a_validation_set(small):
    x, y = small
    valid = aoso.Dataset(x, y).aligned(x, y * 2)
    assert valid.num_unknown == 50
    assert valid.classes.tolist() == [0, 1, 2]


def test_weights(small):
    x, y = small
    plain = aoso.train({"n_estimators": 5}, aoso.Dataset(x, y)).fingerprint
    assert aoso.train({"n_estimators": 5}, aoso.Dataset(x, y, weight=[1] * 150)).fingerprint == plain
    assert aoso.train({"n_estimators": 5}, aoso.Dataset(x, y, weight=y + 1)).fingerprint != plain


@pytest.mark.parametrize("options", [{"max_bin": 4}, {"sample_rows": 30}, {"sample_rows": 30, "seed": 7}])
def test_options_change_the_model(small, options):
    x, y = small
    plain = aoso.train({"n_estimators": 5}, aoso.Dataset(x, y)).fingerprint
    assert aoso.train({"n_estimators": 5}, aoso.Dataset(x, y, **options)).fingerprint != plain


@pytest.mark.parametrize("options", [{"nthread": 1}, {"dense_only": True}, {"sample_rows": -1}])
def test_options_do_not_change_the_model(small, options):
    x, y = small
    plain = aoso.train({"n_estimators": 5}, aoso.Dataset(x, y)).fingerprint
    assert aoso.train({"n_estimators": 5}, aoso.Dataset(x, y, **options)).fingerprint == plain


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_bin": 1}, "max_bin is 1; allowed: 2 to 255"),
        ({"max_bin": 2**40}, "max_bin is 1099511627776; allowed: an integer, -2147483648 to"),
        ({"max_bin": "many"}, "max_bin is 'many'; allowed: an integer"),
        ({"nthread": -2}, "nthread is -2"),
        ({"seed": -1}, "seed is -1; allowed: an integer, 0 to 18446744073709551615"),
        ({"weight": [1, 2]}, r"weight has shape \(2,\); allowed: \(150,\)"),
        ({"weight": ["heavy"] * 150}, "weight is of dtype <U5; allowed: numbers and bools"),
        ({"weight": [-1] * 150}, r"weights\[0\] is -1; allowed: 0, or"),
        ({"weight": [np.nan] * 150}, r"weights\[0\] is NaN"),
        ({"row_id": range(149)}, r"row_id has shape \(149,\); allowed: \(150,\)"),
        ({"row_id": np.arange(150.0)}, "row_id is of dtype float64.*; allowed: integers"),
        ({"row_id": [True, *range(149)]}, r"row_ids\[2\] is 1; allowed: an id of its own; row_ids\[0\] is the same"),
        ({"row_id": [None, *range(149)]}, "row_id is of dtype object, or has missing values"),
        ({"row_id": np.ma.masked_equal(np.arange(150), 7)}, "has missing values"),
        ({"row_id": [5] * 2 + [*range(148)]}, r"row_ids\[1\] is 5; allowed: an id of its own; row_ids\[0\] is the same"),
        ({"init_model": "m.aoso"}, "init_model is a str; allowed: a Booster"),
        ({"feature_names": ["a", "\udc80", "b", "c"]}, "feature name .* has half a surrogate pair"),
        ({"feature_names": ["a", "a", "b", "c"]}, "feature name 'a' is given twice"),
    ],
)
def test_bad_options(small, options, message):
    with pytest.raises(ValueError, match=message) as error:
        aoso.Dataset(*small, **options)
    assert isinstance(error.value, aoso.AosoError)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint64, "list", "pandas", "Int64", "polars", "pyarrow", "objects"])
def test_row_ids_of_any_kind(small, kind):
    x, y = small
    x = x + np.random.default_rng(0).normal(size=x.shape)
    ids = np.random.default_rng(1).permutation(150).astype(np.int64)
    if not isinstance(kind, str):
        given = ids.astype(kind)
    elif kind == "list":
        given = ids.tolist()
    elif kind == "objects":
        given = ids.astype(object)
    elif kind in ("pandas", "Int64"):
        given = pytest.importorskip("pandas").Series(ids, dtype="Int64" if kind == "Int64" else None)
    elif kind == "polars":
        given = pytest.importorskip("polars").Series(ids)
    else:
        given = pytest.importorskip("pyarrow").chunked_array([ids[:50], ids[50:]])
    params = {"n_estimators": 5, "subsample": 0.5}
    fingerprints = {aoso.train(params, aoso.Dataset(x, y, row_id=i, sample_rows=40)).fingerprint for i in (ids, given)}
    assert len(fingerprints) == 1
    assert aoso.train(params, aoso.Dataset(x, y, sample_rows=40)).fingerprint not in fingerprints


def test_row_ids_that_are_positions(small):
    x, y = small
    params = {"n_estimators": 5, "subsample": 0.5}
    plain = aoso.train(params, aoso.Dataset(x, y, sample_rows=40)).fingerprint
    assert aoso.train(params, aoso.Dataset(x, y, sample_rows=40, row_id=range(150))).fingerprint == plain


def test_negative_row_ids(small):
    x, y = small
    params = {"n_estimators": 5, "subsample": 0.5}
    ids = np.arange(150) - 70
    wrapped = ids.astype(np.uint64)
    assert len({aoso.train(params, aoso.Dataset(x, y, row_id=i)).fingerprint for i in (ids, wrapped)}) == 1


def test_row_ids_are_saved(small, tmp_path):
    x, y = small
    params = {"n_estimators": 5, "subsample": 0.5}
    dataset = aoso.Dataset(x, y, row_id=np.arange(150) * 7)
    dataset.save(tmp_path / "d.bin")
    loaded = aoso.Dataset.load(tmp_path / "d.bin")
    assert aoso.train(params, loaded).fingerprint == aoso.train(params, dataset).fingerprint


def test_save_and_load(small, tmp_path):
    x, y = small
    names = np.array(["ash", "beech", "cedar"])[y]
    dataset = aoso.Dataset(x, names, weight=y + 1)
    dataset.save(tmp_path / "d.bin")
    loaded = aoso.Dataset.load(tmp_path / "d.bin")
    assert loaded.classes.tolist() == ["ash", "beech", "cedar"]
    assert aoso.train({"n_estimators": 5}, loaded).fingerprint == aoso.train({"n_estimators": 5}, dataset).fingerprint
    valid = loaded.aligned(x, names)
    history = {}
    aoso.train({"n_estimators": 5}, loaded, valid=valid, callbacks=[aoso.record_evaluation(history)])
    assert list(history) == ["train", "valid"]


def test_load_without_map(small, tmp_path):
    dataset = aoso.Dataset(*small)
    dataset.save(tmp_path / "d.bin")
    loaded = aoso.Dataset.load(tmp_path / "d.bin", mmap=False)
    os.truncate(tmp_path / "d.bin", 0)  # of a mapped file the end of Python
    assert aoso.train({"n_estimators": 5}, loaded).fingerprint == aoso.train({"n_estimators": 5}, dataset).fingerprint


def test_files_that_are_none(tmp_path):
    with pytest.raises(OSError, match="no such file"):
        aoso.Dataset.load(tmp_path / "nothing")
    with pytest.raises(OSError, match="no such file"):
        aoso.Dataset([[1], [2]], [0, 1]).save(tmp_path / "no" / "where")
    (tmp_path / "text").write_text("not a dataset")
    with pytest.raises(aoso.errors.FormatError):
        aoso.Dataset.load(tmp_path / "text")


def test_it_cannot_be_copied_by_accident(small):
    for use in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled or copied; save it"):
            use(aoso.Dataset(*small))


def test_it_is_freed_and_what_uses_it_lives_on(small):
    dataset = aoso.Dataset(*small)
    freed = weakref.ref(dataset._handle)
    number = dataset._handle._as_parameter_
    training = _trainer.create(dataset._handle, _capi.Params({"n_estimators": 3}), None, [], 1)
    del dataset
    gc.collect()
    assert freed() is None
    with pytest.raises(aoso.AosoError):
        _library._call("dataset_get_info", number, _structs.DatasetInfo())
    assert _trainer.step(training).iteration == 1


def test_training_brings_parameters_of_the_dataset_along(small):
    x, y = small
    params = {"n_estimators": 4, "max_leaves": 4, "calibration": "none"}
    wanted = aoso.train(params, aoso.Dataset(x, y, max_bin=7), valid=(x, y))
    train_set = aoso.Dataset(x, y)
    valid = aoso.Dataset(x, y, reference=train_set)
    assert (train_set.num_rows, train_set.num_features, len(valid)) == (150, 4, 150) and "3 classes" in repr(train_set)
    assert aoso.train({**params, "max_bin": 7}, train_set, valid=valid).fingerprint == wanted.fingerprint
    assert aoso.train({**params, "max_bin": 7}, train_set).num_trees == 4  # as it was quantized
    message = r"max_bin is 9 for training, 7 for train_set, which is quantized already; write Dataset\(x, y, max_bin=9\)"
    with pytest.raises(ValueError, match=message):
        aoso.train({**params, "max_bin": 9}, train_set)
    with pytest.raises(ValueError, match="max_bin is 9 for training, 8 for train_set; write"):
        aoso.train({**params, "max_bin": 9}, aoso.Dataset(x, y, max_bin=8))


def test_training_brings_categories_along(small):
    codes = np.random.default_rng(0).permutation(9)[small[1] * 3 + np.arange(150) % 3]
    train_set = aoso.Dataset(codes[:, np.newaxis].astype(float), small[1])
    with pytest.raises(ValueError, match="categorical_features has 1; allowed: 0 to 0"):
        aoso.train({"categorical_feature": [1]}, train_set)
    booster = aoso.train({"categorical_feature": [0], "n_estimators": 2, "calibration": "none"}, train_set)
    assert list(booster.categories) == list(train_set.categories) == ["f0"]


def test_the_data_are_held_unless_freed(small):
    params = {"n_estimators": 2, "max_leaves": 4}
    frame = pytest.importorskip("pandas").DataFrame(small[0])
    result = aoso.cv(params, aoso.Dataset(frame.to_numpy(), small[1].tolist()).construct(), folds=3)
    again = aoso.cv(params, frame.to_numpy(), small[1].tolist(), folds=3)
    np.testing.assert_array_equal(result["logloss-mean"], again["logloss-mean"])
    x = np.array(small[0])
    held, freed = weakref.ref(x), aoso.Dataset(x, small[1], free_raw_data=True)
    del x
    assert held() is not None
    freed.construct()
    assert held() is None
    with pytest.raises(ValueError, match="the data of train_set are gone; allowed: a Dataset\\(x, y\\) without free_raw_data"):
        aoso.cv(params, freed, folds=3)


def test_it_is_quantized_once_for_all_threads(small):
    dataset = aoso.Dataset(np.tile(small[0], (50, 20)), np.tile(small[1], 50))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        handles = list(pool.map(lambda _: dataset._handle, range(8)))
    assert len(set(map(id, handles))) == 1
