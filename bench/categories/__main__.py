"""``python -m bench.categories`` trains each library with its defaults, on one thread, on tables with categorical columns, and
writes the table of bench/README.md. It skips what bench/results already has.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import harness, readme
from bench.categories.frames import BUILT, SETS
from bench.peers.run import deviation
from bench.readme import machine_lines, number, table
from bench.results import Results

TITLES = {
    "aoso": "aoso",
    "aoso, codes": "aoso, plain numbers",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "catboost": "CatBoost",
    "sklearn": "scikit-learn",
}
PEERS = ("lightgbm", "xgboost", "catboost", "sklearn")


class Categories(harness.Benchmark):
    name, worker = "categories", "bench.categories.worker"
    quick = "one generated table only, without CatBoost"

    def jobs(self) -> Iterator[harness.Job]:
        for name in ["20 categories"] if self.options.quick else BUILT:
            for system in TITLES:
                if not (self.options.quick and system == "catboost"):
                    yield harness.Job("tables", f"{name}: {system}", {"table": name, "system": system}, SETS.get(name, ""), system)

    def line(self, run: dict[str, Any]) -> str:
        return f"log loss {run['logloss']}, {run['errors']} errors, {run['seconds']} s"

    def report(self, folder: Path) -> None:
        sections = {"categories": text(Results(folder, self.name, "tables"))}
        readme.fill(sections, folder, nothing="Not measured yet: `make bench-categories`.")


def text(store: Results) -> str:
    rows = []
    for name in BUILT:
        runs = {system: run for system in TITLES if (run := store.runs.get(f"{name}: {system}"))}
        if not runs:
            continue
        least = min(run["logloss"] for run in runs.values())
        cells = []
        for system in TITLES:
            run = runs.get(system)
            if run is None:
                cells.append("–")
                continue
            loss = f"{run['logloss']:.4f}"
            elsewhere = "‡" * ("aoso" in runs and run["machine"] != runs["aoso"]["machine"])
            cells.append(f"{f'**{loss}**' if run['logloss'] == least else loss} / {run['errors']} / {number(run['seconds'])}{elsewhere}")
        rows.append([name, *cells])
    if not rows:
        return ""
    head = ["log loss / errors / CPU s", *TITLES.values()]
    machines = machine_lines({name: run["machine"] for name, run in store.runs.items()}, names=False)
    notes = ["‡ Another machine measured it than aoso."] if len(machines) > 1 else []
    return "\n\n".join([table(head, rows), *notes, "\n".join(machines), *verdicts(store)])


def verdicts(store: Results) -> list[str]:
    """How aoso compares with the best of the others, a sentence for each figure."""
    losses, errors, quick, timed, shown = 0, 0, 0, 0, 0
    for name in BUILT:
        runs = {system: run for system in TITLES if (run := store.runs.get(f"{name}: {system}"))}
        peers = [runs[system] for system in PEERS if system in runs]
        if "aoso" not in runs or not peers:
            continue
        ours = runs["aoso"]
        shown += 1
        losses += ours["logloss"] <= min(run["logloss"] for run in peers)
        fewest = min(run["errors"] for run in peers)
        errors += ours["errors"] <= fewest + 0.5 * deviation(fewest, ours["test_rows"])
        rivals = [runs[system] for system in ("lightgbm", "xgboost") if system in runs]
        if rivals and all(run["machine"] == ours["machine"] for run in rivals):
            timed += 1
            quick += ours["seconds"] <= min(run["seconds"] for run in rivals)
    if not shown:
        return []
    return [
        f"aoso has the least log loss on {losses} of {shown} tables, no more errors than the best library and half a standard"
        f" deviation on {errors}. It takes no more CPU time than the quicker of LightGBM and XGBoost on {quick} of {timed} tables that"
        " one machine measured with all three."
    ]


if __name__ == "__main__":
    Categories().main()
