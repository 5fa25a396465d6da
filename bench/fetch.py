"""``python -m bench.fetch`` prints where the public data sets come from and which of them are available.

``python -m bench.fetch SET FOLDER`` converts a data set. It reads the original files from FOLDER and writes them to the folder
that AOSO_DATA names, in the format of this project: gzip-compressed CSV without a header, with the label in the last column as
an integer from 0.
"""

from __future__ import annotations

import argparse
import gzip
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bench import sets

Parts = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Source:
    """The origin of a data set. ``read`` makes its parts, with features and label as text, from the files in a folder."""

    where: str
    files: tuple[str, ...]
    read: Callable[[Path], Parts]
    makes: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.fetch", description=__doc__)
    parser.add_argument("set", nargs="?", choices=SOURCES, help="the set to convert; without it, list all sets")
    parser.add_argument("folder", nargs="?", type=Path, help="the folder that contains its files")
    options = parser.parse_args()
    if options.set is None:
        tell()
    elif options.folder is None:
        parser.error(f"{options.set} needs the folder that contains {', '.join(SOURCES[options.set].files)}")
    else:
        convert(options.set, options.folder)


def tell() -> None:
    print(f"AOSO_DATA: {sets.folder() or 'not set'}\n")
    print("letter\n  part of this repository, in testdata\n")
    for name, source in SOURCES.items():
        print(name)
        print(textwrap.fill(source.where, 110, initial_indent="  ", subsequent_indent="  "))
        print(f"  files: {', '.join(source.files)}")
        for made in source.makes:
            print(f"  {made}: {sets.missing(made) or 'available'}")
        print()


def convert(name: str, folder: Path) -> None:
    target = sets.folder()
    if target is None:
        raise SystemExit("AOSO_DATA is not set to an existing folder; the files are written there")
    for part, table in SOURCES[name].read(folder).items():
        path = target / f"{part}.csv.gz"
        table.to_csv(path, header=False, index=False, compression={"method": "gzip", "mtime": 0})
        print(f"{path}: {len(table)} rows, {table.shape[1] - 1} features, {table.iloc[:, -1].nunique()} classes")


# ------------------------------------------------------------------ readers --


def _text(path: Path, separator: str = ",", label: int = -1, lowest: int = 0) -> pd.DataFrame:
    """A text file, with the label moved to the last column and counted from 0."""
    table = pd.read_csv(path, sep=separator, header=None, dtype=str, skipinitialspace=True)
    labels = table.pop(table.columns[label]).astype(float).astype(int) - lowest
    return table.assign(label=labels)


def _two(name: str, train: str, test: str, **form: object) -> Callable[[Path], Parts]:
    return lambda folder: {f"{name}.train": _text(folder / train, **form), f"{name}.test": _text(folder / test, **form)}


def _images(path: Path) -> np.ndarray:
    """The images or labels in a file in the IDX format."""
    data = gzip.decompress(path.read_bytes())
    shape = np.frombuffer(data, ">i4", count=data[3], offset=4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape[0], -1)


def _mnist(folder: Path) -> Parts:
    return {
        f"mnist.{part}": pd.DataFrame(
            np.hstack([_images(folder / f"{of}-images-idx3-ubyte.gz"), _images(folder / f"{of}-labels-idx1-ubyte.gz")])
        )
        for part, of in (("train", "train"), ("test", "t10k"))
    }


def _covertype(folder: Path) -> Parts:
    """If there is an index of training rows, it determines the halves. Otherwise they are drawn with a fixed seed."""
    table = _text(folder / "covtype.data.gz", lowest=1)
    rng = np.random.default_rng(1)
    order = rng.permutation(len(table))
    train = np.zeros(len(table), bool)
    index = folder / "covertype290k.train-index.csv.gz"
    train[pd.read_csv(index, header=None)[0] - 1 if index.exists() else order[: len(table) // 2]] = True
    half, rest = table[train], table[~train]
    share = 46_481
    return {
        "covertype290k.train": half,
        "covertype290k.test": rest,
        "covertype145k.train": half.iloc[::2],
        "covertype145k.test": rest,
        "covertype93k.train": table.iloc[order[:share]],
        "covertype93k.test": table.iloc[order[share : 2 * share]],
    }


def _noise(folder: Path) -> Parts:
    parts = {}
    for level in range(1, 7):
        table = _text(folder / f"mnist_noise_variations_all_{level}.amat", r"\s+")
        parts |= {f"m-noise{level}.train": table[:10_000], f"m-noise{level}.test": table[10_000:]}
    return parts


def _variation(name: str, train: str, test: str, what: str) -> Source:
    where = (
        f"Larochelle, Erhan, Courville, Bergstra, Bengio: variations on the MNIST digits, {what}; from the page of the authors'"
        " laboratory."
    )
    return Source(where, (train, test), _two(name, train, test, separator=r"\s+"), (name,))


UCI = "the UCI Machine Learning Repository"

SOURCES = {
    "pendigits": Source(
        f"Pen-Based Recognition of Handwritten Digits, {UCI}.",
        ("pendigits.tra", "pendigits.tes"),
        _two("pendigits", "pendigits.tra", "pendigits.tes"),
        ("pendigits",),
    ),
    "optdigits": Source(
        f"Optical Recognition of Handwritten Digits, {UCI}.",
        ("optdigits.tra", "optdigits.tes"),
        _two("optdigits", "optdigits.tra", "optdigits.tes"),
        ("optdigits",),
    ),
    "zipcode": Source(
        "Zip code digits of the US Postal Service, from the page of the book The Elements of Statistical Learning (Hastie,"
        " Tibshirani, Friedman).",
        ("zip.train.gz", "zip.test.gz"),
        _two("zipcode", "zip.train.gz", "zip.test.gz", separator=r"\s+", label=0),
        ("zipcode",),
    ),
    "isolet": Source(
        f"ISOLET, {UCI}; the files decompressed.",
        ("isolet1+2+3+4.data", "isolet5.data"),
        _two("isolet", "isolet1+2+3+4.data", "isolet5.data", lowest=1),
        ("isolet",),
    ),
    "mnist": Source(
        "The MNIST database of handwritten digits (LeCun, Cortes, Burges), in its IDX format. Mnist10k trains on the test part and"
        " tests on the training part.",
        tuple(f"{of}-{what}-ubyte.gz" for of in ("train", "t10k") for what in ("images-idx3", "labels-idx1")),
        _mnist,
        ("mnist10k",),
    ),
    "poker": Source(
        f"Poker Hand, {UCI}. If the 1,000,000 test rows are missing, the paper's Poker sets test on generated hands.",
        ("poker-hand-training-true.data", "poker-hand-testing.data"),
        _two("poker", "poker-hand-training-true.data", "poker-hand-testing.data"),
        ("poker",),
    ),
    "covertype": Source(
        f"Covertype, {UCI}. The paper uses the halves of P. Li's abcboost package. If the file"
        " covertype290k.train-index.csv.gz lists the numbers of its training rows, counted from 1, the halves are the same;"
        " otherwise they are random. Covertype93k, two random parts of 46,481 rows, is not in the paper; the results here used"
        " other random rows.",
        ("covtype.data.gz",),
        _covertype,
        ("covertype290k", "covertype145k", "covertype93k"),
    ),
    "m-basic": _variation("m-basic", "mnist_train.amat", "mnist_test.amat", "basic"),
    "m-rotate": _variation(
        "m-rotate",
        "mnist_all_rotation_normalized_float_train_valid.amat",
        "mnist_all_rotation_normalized_float_test.amat",
        "rotated",
    ),
    "m-image": _variation(
        "m-image", "mnist_background_images_train.amat", "mnist_background_images_test.amat", "with images as background"
    ),
    "m-rand": _variation(
        "m-rand", "mnist_background_random_train.amat", "mnist_background_random_test.amat", "with noise as background"
    ),
    "m-noise": Source(
        "The same authors: six degrees of noise. The first 10,000 rows of each file are for training, the others for testing.",
        tuple(f"mnist_noise_variations_all_{level}.amat" for level in range(1, 7)),
        _noise,
        tuple(f"m-noise{level}" for level in range(1, 7)),
    ),
}

if __name__ == "__main__":
    main()
