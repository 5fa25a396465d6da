import numpy as np
import pytest

import aoso


def fingerprint(dataset):
    return aoso.train({"preset": "paper", "n_estimators": 5}, dataset).fingerprint


@pytest.fixture(scope="module")
def rows(letters):
    x, y, names = letters
    return x[:3000], y[:3000], names


@pytest.mark.parametrize("size", [100, 999, 3000])
@pytest.mark.parametrize("in_file", [False, True])
def test_same_dataset(rows, tmp_path, size, in_file):
    x, y, names = rows
    path = tmp_path / "letters.aosod" if in_file else None

    def blocks():
        for first in range(0, len(x), size):
            yield x[first : first + size].astype(np.float32), y[first : first + size]

    got = aoso.Dataset.from_blocks(blocks, feature_names=names, path=path, sample_rows=1000)
    want = aoso.Dataset(x, y, feature_names=names, sample_rows=1000)
    assert (got.num_rows, got.feature_names, got.classes.tolist()) == (3000, names, want.classes.tolist())
    assert fingerprint(got) == fingerprint(want)
    if path:
        assert fingerprint(aoso.Dataset.load(path)) == fingerprint(want)


def test_frames_and_weights(tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    columns = {"size": rng.normal(size=600), "colour": rng.choice(["red", "blue", "green"], 600), "zip": rng.integers(0, 9, 600)}
    frame = pandas.DataFrame(columns)
    y, weight = rng.integers(0, 3, 600), rng.random(600)
    frame.loc[frame.index % 7 == 0, "colour"] = None
    blocks = [(frame[first : first + 250], y[first : first + 250], weight[first : first + 250]) for first in (0, 250, 500)]
    got = aoso.Dataset.from_blocks(blocks, categorical_features=["colour", "zip"], path=tmp_path / "d.aosod")
    want = aoso.Dataset(frame, y, weight=weight, categorical_features=["colour", "zip"])
    assert got.categories == want.categories
    assert got.classes.tolist() == [0, 1, 2]
    assert fingerprint(got) == fingerprint(want)


def test_row_ids(rows):
    x, y, _ = rows
    ids = np.random.default_rng(5).permutation(3000)
    blocks = [(x[first : first + 800], y[first : first + 800], None, ids[first : first + 800]) for first in range(0, 3000, 800)]
    got = aoso.Dataset.from_blocks(blocks, sample_rows=500)
    assert fingerprint(got) == fingerprint(aoso.Dataset(x, y, row_id=ids, sample_rows=500))
    assert fingerprint(got) != fingerprint(aoso.Dataset(x, y, sample_rows=500))


def test_memmap(rows, tmp_path):
    x, y, _ = rows
    x.astype(np.float32).tofile(tmp_path / "x")
    mapped = np.memmap(tmp_path / "x", np.float32, "r", shape=x.shape)
    dataset = aoso.Dataset(mapped, y, path=tmp_path / "d.aosod")
    assert fingerprint(dataset) == fingerprint(aoso.Dataset(x, y))
    assert (tmp_path / "d.aosod").stat().st_size > x.size


def test_errors(rows, tmp_path):
    x, y, _ = rows
    for blocks, text in [
        (3, "blocks is a int"),
        (((x, y) for _ in range(2)), "read only once"),
        ([], "no blocks"),
        ([x], "block 0 is a ndarray"),
        ([(x, y), (x[:, :5], y)], "5 columns"),
        ([(x, y), (x, y, np.ones(len(y)))], "with every chunk, or with none"),
        ([(x, y[:9])], "9 labels"),
    ]:
        with pytest.raises(aoso.errors.ArgumentError, match=text):
            aoso.Dataset.from_blocks(blocks, path=tmp_path / "none.aosod")
    passes = iter([[(x, y)], [(x[:100], y[:100])]])
    with pytest.raises(aoso.errors.ArgumentError, match="rows is 100; allowed: 3000, as the first time"):
        aoso.Dataset.from_blocks(lambda: next(passes), path=tmp_path / "none.aosod")
    model = aoso.train({"n_estimators": 1}, aoso.Dataset(x, y))
    with pytest.raises(aoso.errors.ArgumentError, match="path"):
        aoso.Dataset(x, y, init_model=model, path=tmp_path / "none.aosod")
    with pytest.raises(aoso.errors.FileError, match="cannot write"):
        aoso.Dataset(x, y, path=tmp_path / "no" / "set.aosod")

    def interrupted():
        yield x[:50], y[:50]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        aoso.Dataset.from_blocks(interrupted, path=tmp_path / "none.aosod")
    assert not list(tmp_path.iterdir())
