"""Checks exported models in the programs that they are for.

Trains models with the command aoso, exports them, and compares what
onnxruntime, LightGBM, treelite and jpmml-evaluator predict with what aoso
predicts of rows in float64:

  onnx         given float32, and onnx_double, given float64: the same class on
               every row of the test set, probabilities to 1e-5
  lightgbm     the same raw scores, bit for bit, and SHAP values to 1e-9; where
               the model has linear scores, both to 1e-5
  treelite     the same class on every row, probabilities to 1e-6
  pmml         the same class on every row, probabilities to 1e-7
  on decimals  lightgbm and treelite, given float32: the same class on every
               row, probabilities to 1e-5

usage: check.py AOSO DATA LETTER PMML [SET...]
  AOSO    the command
  DATA    a folder of SET.train.csv.gz and SET.test.csv.gz, the label last
  LETTER  the embedded Letter data, for want of the folder
  PMML    a folder of the jars of jpmml-evaluator
  SET     check these sets only
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
import treelite

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
LIGHTGBM_ROWS, SHAP_ROWS, PMML_ROWS, PMML_BYTES = 2000, 20, 300, 20e6
# A feature of more categories becomes several columns, to which SHAP values are attributed one by one. LightGBM sees one
# feature of sets.
MOST_SETS = 4


class Check:
    def __init__(self, aoso, folder, jars):
        self.aoso, self.folder, self.jars, self.failed = aoso, folder, jars, 0
        if not os.path.isdir(jars):
            print(f"PMML IS NOT CHECKED: {jars} is not there (it needs Java and Maven)")

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
        x, linear = x[:LIGHTGBM_ROWS], options[-2:] == LINEAR
        self.lightgbm(model, x, lambda rows: self.write(x[:rows]), temperature, linear)
        self.treelite(model, self.write(x), x)
        few = x[:PMML_ROWS]
        self.pmml(model, self.write(few), [["" if v != v else repr(float(v)) for v in row] for row in few])
        print(f"  {time.time() - start:.0f} s", flush=True)

    def check_decimals(self, options):
        """Trains on decimals, and gives others, which are often midpoints of these, to programs in float32."""
        r, model = numpy.random.default_rng(1), self.path("model.aoso")
        classes = r.integers(5, size=3000)
        x = numpy.round(0.005 + 0.003 * numpy.sin(numpy.outer(classes, numpy.arange(1, 9))) + 0.002 * r.normal(size=(3000, 8)), 5)
        train = self.path("decimals.csv")
        numpy.savetxt(train, numpy.column_stack([x, classes])[:600], delimiter=",", fmt="%.9g")
        self.run("train", "--data", train, "--model", model, "--n-estimators", "100", *options)
        print(" ".join(["decimals", *options]), f"({len(x)} rows)", flush=True)
        test, single = self.write(x), x.astype(numpy.float32)
        self.onnx(model, test, x)
        self.lightgbm(model, x, lambda rows: self.write(x[:rows]), True, options == LINEAR)
        self.treelite(model, test, x)
        for format, predict in [
            ("lightgbm", lambda file: lightgbm.Booster(model_file=file).predict(single)),
            ("treelite", lambda file: treelite.gtil.predict(treelite.Model.deserialize(file), single.astype(float))[:, 0]),
        ]:
            self.compare(f"{format:9} in float32", None, predict(self.export(model, format)), model, self.write(x), 1e-5)

    def check_categories(self, categories, classes, options):
        """Trains on texts, exports, and compares on rows of which some have missing or new texts."""
        model = self.path("model.aoso")
        train, test = (self.write_texts(categories, classes, seed) for seed in (1, 2))
        self.run("train", "--data", self.save(train, len(train)), "--model", model, "--n-estimators", "100", "--calibration", "none", *options)
        places = [{name: i for i, name in enumerate(names)} for names in self.categories(model)[:2]]
        place = lambda j, name: numpy.nan if name == "" else places[j].get(name, len(places[j]))
        x = numpy.array([[place(0, row[0]), place(1, row[1]), row[2]] for row in test])
        print(f"{categories} categories, {classes} classes", *options, f"({len(x)} rows)", flush=True)
        self.onnx(model, self.save(test, len(test)), x)
        self.lightgbm(model, x, lambda rows: self.save(test, rows), False, options[-2:] == LINEAR)
        test = test[:PMML_ROWS]
        file = self.save(test, len(test))
        self.treelite(model, file, x[:PMML_ROWS])
        self.pmml(model, file, [[*row[:2], repr(row[2])] for row in test])

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

    def export(self, model, format):
        """Exports a model and returns the file."""
        exported = self.path(f"model.{format}")
        self.run("export", "--model", model, "--format", format, "--out", exported, "--force")
        return exported

    def compare(self, what, labels, probabilities, model, test, tolerance):
        """Compares labels, or else the most likely classes, and probabilities with those that aoso predicts."""
        expected = self.table("predict", "--model", model, "--data", test, "--output", "proba")
        if labels is None:
            other = (probabilities.argmax(axis=1) != expected.argmax(axis=1)).sum()
        else:
            other = (labels.astype(str) != numpy.array(self.run("predict", "--model", model, "--data", test).split())).sum()
        far = numpy.abs(probabilities - expected).max()
        print(f"  {what}  {other} other classes, probabilities to {far:.1e}")
        self.expect(other == 0 and far <= tolerance, f"{what} predicts something else")

    def onnx(self, model, test, x):
        for format, number in [("onnx", numpy.float32), ("onnx_double", numpy.float64)]:
            exported = self.export(model, format)
            onnx.checker.check_model(exported, full_check=True)
            session = onnxruntime.InferenceSession(exported, providers=["CPUExecutionProvider"])
            labels, probabilities = session.run(["label", "probabilities"], {"X": x.astype(number)})
            self.compare(f"{format:11}", labels, probabilities, model, test, 1e-5)

    def treelite(self, model, test, x):
        probabilities = treelite.gtil.predict(treelite.Model.deserialize(self.export(model, "treelite")), x)[:, 0]
        self.compare("treelite   ", None, probabilities, model, test, 1e-6)

    def pmml(self, model, test, rows):
        if not os.path.isdir(self.jars):
            return
        exported = self.export(model, "pmml")
        if os.path.getsize(exported) > PMML_BYTES:
            print(f"  pmml         not evaluated: {os.path.getsize(exported) / 1e6:.0f} MB")
            return
        names = json.loads(self.run("export", "--model", model, "--format", "json"))["features"]
        text = "".join("\t".join(row) + "\n" for row in [names, *rows])
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Evaluate.java")
        done = subprocess.run(["java", "-cp", os.path.join(self.jars, "*"), program, exported], input=text, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"jpmml-evaluator: {done.stderr}")
        cells = [line.split("\t") for line in done.stdout.splitlines()]
        labels, probabilities = numpy.array([row[0] for row in cells]), numpy.array([row[1:] for row in cells], float)
        self.compare("pmml       ", labels, probabilities, model, test, 1e-7)

    def lightgbm(self, model, x, write, temperature, linear):
        test, booster = write(len(x)), lightgbm.Booster(model_file=self.export(model, "lightgbm"))
        if temperature:
            self.compare("lightgbm   ", None, booster.predict(x), model, test, 1e-5 if linear else 1e-12)
            return
        far = numpy.abs(booster.predict(x, raw_score=True) - self.table("predict", "--model", model, "--data", test, "--output", "raw")).max()
        print(f"  lightgbm     raw scores to {far:.1e}")
        self.expect(far <= (1e-5 if linear else 0), "LightGBM predicts something else")
        if max(map(len, filter(None, self.categories(model))), default=0) > MOST_SETS:
            return
        few = x[:SHAP_ROWS]
        values = self.table("explain", "--model", model, "--data", write(len(few)), "--top", "0", skip=2)
        apart = numpy.abs(booster.predict(few, pred_contrib=True).reshape(values.shape) - values).max()
        print(f"  lightgbm     SHAP values to {apart:.1e}")
        self.expect(apart <= (1e-5 if linear else 1e-9), "LightGBM explains something else")

    def categories(self, model):
        """The categories of each feature, None for a number."""
        return json.loads(self.run("export", "--model", model, "--format", "json")).get("categories", [])

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
    aoso, data, letter, jars, *only = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(aoso, folder, jars)
        for options in [[], ["--leaf", "pair"], LINEAR]:
            check.check_decimals(options)
        for categories in [2, MOST_SETS, 60, 100, 400]:
            for classes, options in [(2, []), (4, []), (4, ["--leaf", "pair", "--pairs", "1"]), (3, ["--method", "abc"]), (2, LINEAR)]:
                check.check_categories(categories, classes, options)
        if not os.path.isdir(data):
            print(f"{data} is not there: only the embedded Letter data are checked")
            for options in [[], *VARIANTS, LINEAR, ["--leaf", "sparse", *LINEAR]]:
                check.check("letter", letter, letter, ["--n-estimators", "260", *options])
            check.check("letter", letter, letter, ["--n-estimators", "100"], temperature=True)
        else:
            parts = lambda name: [os.path.join(data, f"{name}.{part}.csv.gz") for part in ["train", "test"]]
            chosen = lambda names: [name for name in names if not only or name in only]
            for name in chosen(PAPER + OTHERS):
                train, test = reversed(parts(name)) if name == "mnist" else parts(name)
                check.check(name, train, test, ["--n-estimators", "500"])
            for name in chosen(["letter", "soybean", "adult", "covertype93k"]):
                for options in [*VARIANTS, LINEAR]:
                    check.check(name, *parts(name), ["--n-estimators", "520", *options])
                check.check(name, *parts(name), ["--n-estimators", "100"], temperature=True)
    if check.failed > 0:
        sys.exit(f"{check.failed} failed")
    print("all exported models predict what aoso predicts")


if __name__ == "__main__":
    main()
