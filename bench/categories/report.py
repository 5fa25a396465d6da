"""Writes the table of what each library makes of categorical columns."""

from __future__ import annotations

from bench import readme
from bench.categories.frames import BUILT
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


def write(store: Results) -> None:
    readme.fill({"categories": text(store) or "Not measured yet: `make bench-categories`."}, store.path.parent)


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
