"""``python -m bench.serving`` measures how long trained models take to predict one row and a batch, in several ways to serve them.

It writes the table of docs/serving.md. It skips what bench/results already has. One thread; libraries that only Python can call for one
row are called from Python, all others from C.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import harness, readme
from bench.readme import number, table
from bench.results import Results
from bench.sets import ROOT

PAGE = ROOT / "docs/serving.md"
SETS = {"pendigits": 100, "letter": 100, "mixture30k": 10}  # iterations of LightGBM, at most
TREES = (50, 100, 500)
TITLES = {
    "aoso": "aoso",
    "libaoso_predict": "`libaoso_predict`",
    "onnx": "ONNX Runtime, aoso's export",
    "lightgbm": "LightGBM",
    "tl2cgen": "TL2cgen (treelite), LightGBM's model",
    "lleaves": "lleaves, LightGBM's model",
}


class Serving(harness.Benchmark):
    name, worker = "serving", "bench.serving.worker"
    quick, quick_sets = "small models of one set", ("letter",)

    def flags(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--compiled", type=int, default=0, metavar="TREES", help="also compile this many trees of LightGBM's model with TL2cgen and lleaves (300: minutes)")

    def jobs(self) -> Iterator[harness.Job]:
        for name, rounds in SETS.items():
            job = {"set": name, "trees": TREES, "rounds": rounds, "rows": 2000, "single": 500, "repeats": 9, "compiled": self.options.compiled}
            if self.options.quick:
                job |= {"trees": (10,), "rounds": 5, "repeats": 1, "compiled": 130}
            yield harness.Job(name, "", job, name)

    def line(self, run: dict[str, Any]) -> str:
        return ", ".join(f"{key} {one['one']:.1f} µs" for key, one in run["runs"].items())

    def report(self, folder: Path) -> None:
        readme.fill({"latency": latencies(folder)}, folder, PAGE, nothing="Not measured yet: `make bench-serving`.")


def latencies(folder: Path) -> str:
    rows, machines, versions = [], {}, set()
    for name in SETS:
        store = Results(folder, "serving", name)
        keys = [(trees, system) for trees in TREES for system in TITLES if f"{trees} {system}" in store.runs]
        for trees, system in keys:
            run = store.runs[f"{trees} {system}"]
            if run["errors"] > 2 * store.runs[f"{trees} aoso"]["errors"]:
                continue
            title = f"{name}, {store.shape['classes']} classes" if system == "aoso" else ""
            rows.append([title, TITLES[system], f"{run['trees']:,}", f"{run['errors']:,}", number(run["one"]), number(run["batch"])])
            machines[name] = run["machine"]
            if system not in ("aoso", "libaoso_predict"):
                versions.add(run["version"])
    if not rows:
        return ""
    head = ["set", "served by", "trees", "test errors", "one row, µs", "batch, µs per row"]
    lines = [*readme.machine_lines(machines), f"- {'; '.join(sorted(versions))}"]
    return table(head, rows, left=2) + "\n\n" + "\n".join(lines)


if __name__ == "__main__":
    Serving().main()
