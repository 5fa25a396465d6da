"""Checks exported models in the programs that they are for.

Trains models with the command aoso, exports them, and compares what
onnxruntime and LightGBM predict with what aoso predicts:

  onnx      the same class on every row of the test set, probabilities to 1e-5
  lightgbm  the same raw scores, bit for bit, and SHAP values to 1e-9; where
            the model has linear scores, both to 1e-5

usage: check.py AOSO DATA LETTER
  AOSO    the command
  DATA    a folder of SET.train.csv.gz and SET.test.csv.gz, the label last
  LETTER  the embedded Letter data, for want of the folder
"""

import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import time

import lightgbm
import numpy
import onnx
import onnxruntime

# Mnist10k is mnist with its parts swapped.
PAPER = ["letter", "pendigits", "optdigits", "zipcode", "isolet", "mnist", "poker", "covertype93k"]
OTHERS = ["shuttle", "vowel", "soybean", "adult", "diabetes130", "higgs7k", "iris"]
VARIANTS = [
    ["--leaf", "pair"],
    ["--leaf", "pair", "--pairs", "1"],
    ["--leaf", "full", "--pairs", "1"],
    ["--method", "abc"],
    ["--method", "logitboost"],
]
LINEAR = ["--start", "linear"]
LIGHTGBM_ROWS, SHAP_ROWS = 2000, 20


class Check:
    def __init__(self, aoso, folder):
        self.aoso, self.folder, self.failed = aoso, folder, 0

    def run(self, *args):
        """Runs a command of aoso and returns its output."""
        done = subprocess.run([self.aoso, *args], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"aoso {' '.join(args)}: {done.stderr}")
        return done.stdout

    def table(self, *args, skip=0):
        """Runs a command that writes numbers under a header, and skips columns."""
        text = self.run(*args)
        columns = range(skip, text[: text.index("\n")].count(",") + 1)
        return numpy.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, usecols=columns, ndmin=2)

    def path(self, name):
        return os.path.join(self.folder, name)

    def expect(self, good, what):
        if not good:
            self.failed += 1
            print("  FAILED:", what)

    def check(self, name, train, test, options, temperature=False):
        """Trains on one file, exports, and compares on another."""
        start, model = time.time(), self.path("model.aoso")
        self.run("train", "--data", train, "--model", model, "--calibration", "none", *options)
        if temperature:
            self.run("calibrate", "--model", model, "--data", test, "--out", model)
        x = read(test)
        print(" ".join([name, *options]) + (", with temperature" if temperature else ""), f"({len(x)} rows)", flush=True)
        self.onnx(model, test, x)
        self.lightgbm(model, x[:LIGHTGBM_ROWS], lambda rows: self.write(x[:rows]), temperature, options[-2:] == LINEAR)
        print(f"  {time.time() - start:.0f} s", flush=True)

    def check_categories(self, categories, classes, options):
        """Trains on texts, exports, and compares on rows of which some have missing or new texts."""
        model = self.path("model.aoso")
        train, test = (self.write_texts(categories, classes, seed) for seed in (1, 2))
        self.run("train", "--data", self.save(train, len(train)), "--model", model, "--n-estimators", "100", "--calibration", "none", *options)
        lists = json.loads(self.run("export", "--model", model, "--format", "json"))["categories"]
        places = [{name: i for i, name in enumerate(names)} for names in lists[:2]]
        place = lambda j, name: numpy.nan if name == "" else places[j].get(name, len(places[j]))
        x = numpy.array([[place(0, row[0]), place(1, row[1]), row[2]] for row in test])
        print(f"{categories} categories, {classes} classes", *options, f"({len(x)} rows)", flush=True)
        self.onnx(model, self.save(test, len(test)), x)
        self.lightgbm(model, x, lambda rows: self.save(test, rows), False, options[-2:] == LINEAR)

    def write_texts(self, categories, classes, seed):
        """Rows of two texts, a number and a class that depends on the first text."""
        r = numpy.random.default_rng(seed)
        rows = []
        for _ in range(LIGHTGBM_ROWS):
            color, shape = r.integers(categories + (seed == 2), size=2)
            label = int(color) * 7919 % 101 % classes if r.random() < 0.8 else int(r.integers(classes))
            names = [f"c{color}" if r.random() < 0.9 else "", f"s{shape}" if r.random() < 0.9 else ""]
            rows.append([*names, float(numpy.float32(r.normal())), label])
        return rows

    def save(self, rows, count):
        file = self.path(f"texts{count}.csv")
        with open(file, "w") as f:
            f.write("color,shape,size,label\n")
            f.writelines(",".join(map(str, row)) + "\n" for row in rows[:count])
        return file

    def onnx(self, model, test, x):
        single, exported = x.astype(numpy.float32), self.path("model.onnx")
        if not numpy.array_equal(single, x, equal_nan=True):
            test = self.write(single)
        self.run("export", "--model", model, "--format", "onnx", "--out", exported)
        onnx.checker.check_model(exported, full_check=True)
        session = onnxruntime.InferenceSession(exported, providers=["CPUExecutionProvider"])
        labels, probabilities = session.run(["label", "probabilities"], {"X": single})
        expected = numpy.array(self.run("predict", "--model", model, "--data", test).split())
        other = int((labels.astype(str) != expected).sum())
        far = numpy.abs(probabilities - self.table("predict", "--model", model, "--data", test, "--output", "proba")).max()
        print(f"  onnx      {other} other classes, probabilities to {far:.1e}")
        self.expect(other == 0 and far <= 1e-5, "onnxruntime predicts something else")

    def lightgbm(self, model, x, write, temperature, linear):
        test, exported = write(len(x)), self.path("model.lgb")
        self.run("export", "--model", model, "--format", "lightgbm", "--out", exported)
        booster = lightgbm.Booster(model_file=exported)
        if temperature:
            far = numpy.abs(booster.predict(x) - self.table("predict", "--model", model, "--data", test, "--output", "proba")).max()
            print(f"  lightgbm  probabilities to {far:.1e}")
            self.expect(far <= (1e-5 if linear else 1e-12), "LightGBM predicts something else")
            return
        far = numpy.abs(booster.predict(x, raw_score=True) - self.table("predict", "--model", model, "--data", test, "--output", "raw")).max()
        few = x[:SHAP_ROWS]
        values = self.table("explain", "--model", model, "--data", write(len(few)), "--top", "0", skip=2)
        apart = numpy.abs(booster.predict(few, pred_contrib=True).reshape(values.shape) - values).max()
        print(f"  lightgbm  raw scores to {far:.1e}, SHAP values to {apart:.1e}")
        self.expect(max(far, apart) <= 1e-5 if linear else far == 0 and apart <= 1e-9, "LightGBM predicts something else")

    def write(self, x):
        """Writes features as CSV, NaN as a missing cell, and returns the file."""
        test = self.path("test.csv")
        numpy.savetxt(test, x, delimiter=",", fmt="%.17g")
        return test


def read(file):
    """Reads the features of a file, the label in its last column."""
    with gzip.open(file, "rt") as f:
        text = f.read()
    cells = text[: text.index("\n")].split(",")
    header = any(cell.strip('"')[:1].isalpha() for cell in cells[:-1])
    while ",," in text:
        text = text.replace(",,", ",nan,")
    text = text.replace("\n,", "\nnan,")
    return numpy.loadtxt(io.StringIO("nan" + text if text[0] == "," else text), delimiter=",", skiprows=int(header), usecols=range(len(cells) - 1), ndmin=2)


def main():
    aoso, data, letter = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(aoso, folder)
        for categories in [2, 60, 100, 400]:
            for classes, options in [(2, []), (4, []), (4, ["--leaf", "pair", "--pairs", "1"]), (3, ["--method", "abc"]), (2, LINEAR)]:
                check.check_categories(categories, classes, options)
        if not os.path.isdir(data):
            print(f"{data} is not there: only the embedded Letter data are checked")
            for options in [[], *VARIANTS, LINEAR, ["--leaf", "sparse", *LINEAR]]:
                check.check("letter", letter, letter, ["--n-estimators", "260", *options])
            check.check("letter", letter, letter, ["--n-estimators", "100"], temperature=True)
        else:
            parts = lambda name: [os.path.join(data, f"{name}.{part}.csv.gz") for part in ["train", "test"]]
            for name in PAPER + OTHERS:
                train, test = reversed(parts(name)) if name == "mnist" else parts(name)
                check.check(name, train, test, ["--n-estimators", "500"])
            for name in ["letter", "soybean", "adult", "covertype93k"]:
                for options in [*VARIANTS, LINEAR]:
                    check.check(name, *parts(name), ["--n-estimators", "520", *options])
                check.check(name, *parts(name), ["--n-estimators", "100"], temperature=True)
    if check.failed > 0:
        sys.exit(f"{check.failed} failed")
    print("all exported models predict what aoso predicts")


if __name__ == "__main__":
    main()
