"""``python -m bench.large`` measures training on more rows than fit into memory.

It writes rows to a CSV and a Parquet file, makes a dataset file of each with ``aoso bin`` and trains 20 trees on it, with and
without a limit of memory. Then other libraries train on the same rows. It skips what bench/results already has.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import harness, readme
from bench.large.measure import Limits, run
from bench.readme import number, table
from bench.results import Results
from bench.sets import ROOT

ROWS = 20_000_000  # of the tables in docs/; results for other numbers of rows are only noted
TREES = 20
PEER_LIMITS = Limits(memory=24 * 2**30, cpu=1800)  # 15 minutes of two cores
PAGE = ROOT / "docs/large-data.md"
TITLES = {
    "lightgbm": "LightGBM, from an array in memory",
    "xgboost": "XGBoost, from an array in memory",
    "xgboost-external": "XGBoost, external memory",
}
LIMITS = {"free": "no limit", "limited": "2.5 GB"}


class Large(harness.Benchmark):
    name = "large"

    def flags(self, parser: argparse.ArgumentParser) -> None:
        help = "of the files: 1 kB for 5 rows while it runs"
        parser.add_argument("--folder", type=Path, default=ROOT / "build/bench/large", help=help)
        parser.add_argument("--rows", type=int, default=ROWS)
        parser.add_argument("--limit", type=float, default=2.5e9, help="of memory, in bytes")

    def jobs(self) -> Iterator[harness.Job]:
        """A format, a preset and "limited" or "free", or another library."""
        for form in ("csv", "parquet"):
            for preset in ("auto", "paper"):
                for limit in ("limited", "free"):
                    yield harness.Job(f"{self.options.rows}", f"{form} {preset} {limit}", {"form": form, "preset": preset, "limit": limit})
        for peer in TITLES:
            yield harness.Job(f"{self.options.rows}", peer, {}, system=peer)

    def measure(self, job: harness.Job, run: dict[str, Any]) -> dict[str, Any]:
        self.options.folder.mkdir(parents=True, exist_ok=True)
        for program in ("./bench/large", "./cmd/aoso"):
            subprocess.run(["go", "build", "-o", self.options.folder, program], cwd=ROOT, check=True)
        measured = self._own(**job.content) if job.content else self._peer(job.system)
        return measured | {"shape": {"rows": self.options.rows, "features": 50, "classes": 10}}

    def _own(self, form: str, preset: str, limit: str) -> dict[str, Any]:
        folder = self.options.folder
        program, dataset, model = folder / "aoso", folder / f"{form}.aosod", folder / "model.aoso"
        steps = {
            "bin": [program, "bin", "--data", self._rows(form), "--out", dataset, "--json"],
            "train": [program, "train", "--data", dataset, "--preset", preset, "--n-estimators", TREES, "--model", model, "--json"],
        }
        measured = {}
        for step, command in steps.items():
            one = run([str(word) for word in command], Limits(memory=self.options.limit if limit == "limited" else 0))
            output = one.pop("output")
            measured[step] = one
            if one["ended"] != "done":
                break
            one["fingerprint"] = json.loads(output.splitlines()[-1]).get("fingerprint")
        dataset.unlink(missing_ok=True)
        return measured

    def _peer(self, system: str) -> dict[str, Any]:
        script = str(Path(__file__).with_name("peers.py"))
        measured = run([sys.executable, script, str(self._rows("parquet")), system], PEER_LIMITS)
        lines = [line for line in measured.pop("output").splitlines() if line.startswith("{")]
        return measured | {"iterations": [json.loads(line) for line in lines]}

    def _rows(self, form: str) -> Path:
        """The file of the rows, which is made if it is not there."""
        path: Path = self.options.folder / f"{self.options.rows}.{form}"
        if not path.exists():
            new = path.with_suffix(".new")
            subprocess.run([self.options.folder / "large", "-rows", str(self.options.rows), form, new], check=True)
            new.rename(path)
        return path

    def line(self, run: dict[str, Any]) -> str:
        return str(run)

    def report(self, folder: Path) -> None:
        store = Results(folder, self.name, f"{ROWS}")
        readme.fill({"large": own(store), "large peers": peers(store)}, folder, PAGE)


def own(store: Results) -> str:
    """Time and memory of the steps, for each format and limit."""
    rows = []
    for name in ("csv", "parquet"):
        for limit, title in LIMITS.items():
            if (run := store.runs.get(f"{name} auto {limit}")) and run["train"]["ended"] == "done":
                steps = [run[step] for step in ("bin", "train")]
                rows.append([name, title, *(cell for step in steps for cell in (number(step["cpu"]), gigabytes(step["peaks"]["anonymous"])))])
    head = ["from", "memory", "`aoso bin`: CPU s", "peak, GB", "20 trees: CPU s", "peak, GB"]
    return f"{table(head, rows, left=2)}\n\n{conditions(store, [key for key in store.runs if ' auto ' in key])}"


def peers(store: Results) -> str:
    """How far other libraries came on the same rows."""
    rows = []
    for system, title in TITLES.items():
        if not (run := store.runs.get(system)):
            continue
        first, *iterations = run["iterations"]
        each = (iterations[-1]["cpu"] - first["cpu"]) / len(iterations) if iterations else None
        rows.append([title, number(first["cpu"]), number(each), str(len(iterations)), gigabytes(max(step["peak"] for step in run["iterations"])), run["ended"]])
    head = ["", "CPU s to make the dataset", "CPU s per iteration", "iterations done", "peak memory, GB", "how it ended"]
    return f"{table(head, rows)}\n\n{conditions(store, list(TITLES))}"


def conditions(store: Results, keys: list[str]) -> str:
    machines: dict[str, dict[str, Any]] = {key: store.runs[key]["machine"] for key in keys if key in store.runs}
    return "\n".join(readme.machine_lines(machines))


def gigabytes(size: float) -> str:
    return f"{size / 1e9:.2f}"


if __name__ == "__main__":
    Large().main()
