"""Measures what the package costs beside Go: run it on a quiet machine, after make build and make wheel.

python figures.py [figure ...]       training, prediction, row, import, memory, pickle; all by default
"""

import argparse
import gzip
import json
import os
import pickle
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import aoso

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("AOSO_DATA", ROOT.parent / "shared" / "data"))

# Times PredictProba on a file of float64 rows × 16 as often as it is told to.
PREDICT = """package main

import (
	"bufio"
	"fmt"
	"log"
	"math"
	"encoding/binary"
	"os"
	"time"

	"github.com/libaoso/aoso"
)

func main() {
	model, err := aoso.Load(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	bytes, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	values := make([]float64, len(bytes)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*i:]))
	}
	x := aoso.RowMajor(values, len(values)/16, 16)
	for line := bufio.NewScanner(os.Stdin); line.Scan(); {
		start := time.Now()
		if _, err := model.PredictProba(x, aoso.PredictOptions{Threads: 1}); err != nil {
			log.Fatal(err)
		}
		fmt.Println(time.Since(start).Seconds())
	}
}
"""


def rows_of(path):
    with gzip.open(path, "rt") as file:
        data = np.loadtxt(file, delimiter=",", dtype=np.float64)
    return data[:, :-1], data[:, -1].astype(np.int32)


def compared(name, go, python, pairs):
    """Prints the medians and the least of two measurements taken in turn; the least say more on a busy machine."""
    times = list(zip(*((go(), python()) for _ in range(pairs))))
    for what, of in (("median", statistics.median), ("least", min)):
        by_go, by_python = map(of, times)
        print(
            f"{name}, {what} of {pairs}: Go {by_go:.3f} s, Python {by_python:.3f} s, {100 * (by_python / by_go - 1):+.1f} %",
            flush=True,
        )


def training():
    for name, file, trees in (("Letter", "letter.train", 200), ("Mnist10k", "mnist.test", 20)):
        path = DATA / f"{file}.csv.gz"
        train_set = aoso.Dataset(*rows_of(path), nthread=1)

        def go(path=path, trees=trees):
            # Without evaluations, of which there are none in Python.
            flags = ["--preset", "paper", "--nthread", "1", "--n-estimators", str(trees), "--eval-every", "1000000", "--json"]
            with tempfile.NamedTemporaryFile() as model:
                command = [ROOT / "bin/aoso", "train", "--data", path, "--model", model.name, *flags]
                return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["seconds"]

        def python(train_set=train_set, trees=trees):
            start = time.perf_counter()
            aoso.train({"preset": "paper", "n_estimators": trees, "nthread": 1}, train_set)
            return time.perf_counter() - start

        compared(f"training, {name}, {trees} trees, one thread", go, python, 21)


def prediction():
    x, y = rows_of(DATA / "letter.train.csv.gz")
    booster = aoso.train({"preset": "paper", "n_estimators": 300}, aoso.Dataset(x, y))
    x = np.ascontiguousarray(np.resize(x, (100_000, 16)))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        booster.save(folder / "m.aoso")
        x.tofile(folder / "x")
        (folder / "predict.go").write_text(PREDICT)
        subprocess.run(["go", "build", "-o", folder / "predict", folder / "predict.go"], cwd=ROOT, check=True)
        pipe = subprocess.Popen([folder / "predict", folder / "m.aoso", folder / "x"], stdin=-1, stdout=-1, text=True, bufsize=1)

        def go():
            pipe.stdin.write("\n")
            return float(pipe.stdout.readline())

        def python():
            start = time.perf_counter()
            booster.predict_proba(x, nthread=1)
            return time.perf_counter() - start

        compared("predict_proba, 100,000 × 16, 300 trees, one thread", go, python, 15)
        pipe.stdin.close()
        pipe.wait()


def single_rows():
    x, y = rows_of(DATA / "letter.train.csv.gz")
    booster = aoso.train({"preset": "paper"}, aoso.Dataset(x, y))
    predictor = booster.row_predictor()
    for name, predict in (
        ("RowPredictor.predict_proba", predictor.predict_proba),
        ("RowPredictor.predict", predictor.predict),
        ("Booster.predict_proba", lambda row: booster.predict_proba(row[None])),
    ):
        times = []
        for row in x[:4000]:
            start = time.perf_counter()
            predict(row)
            times.append(time.perf_counter() - start)
        print(f"a row of Letter, 1000 trees, {name}: {1e6 * statistics.median(times):.1f} µs (median of {len(times)})", flush=True)


def import_time():
    program = "import time, numpy; start = time.perf_counter(); import aoso; print(time.perf_counter() - start)"
    times = [float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout) for _ in range(15)]
    print(f"import beyond numpy: {1000 * statistics.median(times):.1f} ms (median of 15)", flush=True)


def memory():
    x = np.empty((128, 1 << 21), np.float32)
    np.random.default_rng(0).random(out=x, dtype=np.float32)
    dataset = aoso.Dataset(x.T, (x[0] > 0.5).astype(np.int32))
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    share = (peak - dataset.nbytes) / x.nbytes
    print(
        f"{x.nbytes / 2**30:.0f} GB of column-major float32: peak {peak / 2**30:.2f} GB, {share:.3f} × the matrix + the dataset",
        flush=True,
    )


def pickle_size():
    x, y = rows_of(DATA / "letter.train.csv.gz")
    booster = aoso.train({"preset": "paper", "n_estimators": 300}, aoso.Dataset(x, y))
    print(f"pickle: {len(pickle.dumps(booster)) / len(booster.to_bytes()):.4f} × the model file", flush=True)


FIGURES = {"memory": memory, "import": import_time, "pickle": pickle_size, "prediction": prediction, "row": single_rows, "training": training}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", nargs="*", choices=[[], *FIGURES])
    for figure in parser.parse_args().figure or FIGURES:
        FIGURES[figure]()
