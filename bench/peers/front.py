"""The comparison on the front page: errors and log losses, on how many sets aoso is ahead, and where it is behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.peers.run import TITLES, Measured, Run
from bench.readme import bold, by_systems, machine_lines, table

FIGURES: dict[str, Callable[[Run], float | None]] = {
    "test errors": lambda run: run.last,
    "test log loss": lambda run: run.logloss[-1],
    "Brier score": lambda run: run.brier,
    "CPU time of training": lambda run: run.seconds,
    "peak memory of training": lambda run: run.content["memory"] or 0,
    "model size": lambda run: run.content["bytes"],
    "predicting many rows": lambda run: run.median("batch_microseconds"),
    "predicting one row": lambda run: run.median("row_microseconds"),
}

# What depends on the machine: compared only with the peers that aoso's machine measured.
TIMED = ("CPU time of training", "predicting many rows", "predicting one row")
FRONT = ("test errors", "test log loss", "CPU time of training")
QUALITY = ("test errors", "test log loss", "Brier score")

# Of a peer that predicts about as well: its log loss, as a multiple of aoso's.
AS_GOOD = 1.01


def standing(sets: Sequence[Measured]) -> str:
    """On how many sets no peer is better: aoso is best, or equal to the best."""
    behind = {name: _behind(sets, name) for name in FRONT}
    if not all(compared for _, compared in behind.values()):
        return ""
    ahead = {name: f"{compared - len(where)} of {compared}" for name, (where, compared) in behind.items()}
    return (
        "All with their default parameters, aoso has the fewest test errors on"
        f" {ahead['test errors']} data sets, the lowest test log loss\non {ahead['test log loss']}, and the least CPU time of training, among the"
        f" libraries that the same machine measured, on {ahead['CPU time of training']}.\n[Where others are better](#where-others-are-better) lists"
        " the other sets. The others are LightGBM, XGBoost, CatBoost and scikit-learn."
    )


def summary(sets: Sequence[Measured]) -> str:
    """Errors and log loss with the defaults, and the machines that measured them."""
    rows, machines, cut = [], {}, {}
    for s in sets:
        runs = {system: run for system in TITLES if (run := s.find(system, "default"))}
        if "aoso" not in runs or len(runs) == 1:
            continue
        rows.append([s.name, str(s.store.shape["classes"]), *_marked(runs)])
        machines |= {(s.name, run.title): run.machine for run in runs.values()}
        cut |= {f"{s.name}, {run.title}": run.content["budget"] for run in runs.values() if run.cut}
    if not rows:
        return ""
    text = [table(["set", "classes", *TITLES.values()], rows)]
    if cut:
        limits = "; ".join(f"{name}: {budget:,.0f}" for name, budget in cut.items())
        text.append(f"† A limit of CPU seconds ended the training ({limits}).")
    text.append("One thread. The machines of these runs, as the result files name them:")
    text.append("\n".join(machine_lines(by_systems(machines))))
    return "\n\n".join(text)


def front_losses(sets: Sequence[Measured]) -> str:
    """Where peers are better, the rest as counts."""
    shown = losses(sets)
    if not shown:
        return ""
    (memory, sets_all), (size, _) = (_behind(sets, name) for name in ("peak memory of training", "model size"))
    (memory_as_good, as_good), (size_as_good, _) = (_behind(sets, name, as_good=True) for name in ("peak memory of training", "model size"))
    return (
        f"{shown}\n\nAnother library needs less memory to train on {len(memory)} of {sets_all} sets, and writes a smaller model on {len(size)}."
        f"\nAmong the {as_good} sets on which the log loss of another is at most 1 % higher, such a library needs less memory on"
        f" {len(memory_as_good)}, and writes a smaller model on {len(size_as_good)}."
    )


def losses(sets: Sequence[Measured], names: Sequence[str] = FRONT) -> str:
    """The sets on which a peer is better, for each kind of measurement."""
    rows = []
    for name in names:
        where, compared = _behind(sets, name)
        if compared:
            rows.append([name, f"{len(where)} of {compared}", ", ".join(where), "–"])
            if name not in QUALITY:
                where, compared = _behind(sets, name, as_good=True)
                rows[-1][-1] = f"{len(where)} of {compared}" + ": " * bool(where) + ", ".join(where)
    head = ["", "sets where a peer is better", "aoso's figure as a multiple of the best peer's", "the same, of peers whose log loss is at most 1 % higher"]
    return table(head, rows, left=4) if rows else ""


def _behind(sets: Sequence[Measured], name: str, as_good: bool = False) -> tuple[list[str], int]:
    """The sets on which a peer is better, with how much, and the number of sets compared. as_good: only peers that predict about as well."""
    figure, where, compared = FIGURES[name], [], 0
    for s in sets:
        ours = s.find("aoso", "default")
        peers = [run for run in s.peers("default") if figure(run) is not None]
        if ours and as_good:
            peers = [run for run in peers if run.logloss[-1] <= AS_GOOD * ours.logloss[-1]]
        if ours and name in TIMED:
            peers = [run for run in peers if run.machine == ours.machine]
        if not ours or not peers:
            continue
        compared += 1
        peer = min(peers, key=figure)
        if figure(ours) > figure(peer):
            where.append(f"{s.name} {_ratio(figure(ours), figure(peer))} ({peer.title})")
    return where, compared


def _marked(runs: dict[str, Run]) -> list[str]:
    """Errors and log loss of each system; the least are bold."""
    fewest, lowest = min(run.last for run in runs.values()), min(run.logloss[-1] for run in runs.values())
    return [
        f"{bold(run.last, fewest)} / {bold(run.logloss[-1], lowest, '.3f')}{'†' * run.cut}" if (run := runs.get(k)) else "–"
        for k in TITLES
    ]


def _ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.{3 if ours < 1.01 * theirs else 2 if ours < 2 * theirs else 1}f} ×" if theirs else "against none"
