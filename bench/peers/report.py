"""Writes the tables and pictures of the comparison with the peers."""

from __future__ import annotations

import statistics
from pathlib import Path

from bench import readme
from bench.peers import defaults, front, plan, plots
from bench.peers.run import TITLES, Measured, Run, deviation
from bench.readme import bold, number, table
from bench.results import Results

NOTHING = "Not measured yet: `make bench-peers`."

# The aims: CPU time as a fraction of the best peer's, and the number of sets on which that must hold.
SHARE, SHARE_LARGE, SHARE_TWO_CLASSES, ENOUGH = 1 / 5, 1 / 20, 1 / 2, 5


def write(folder: Path) -> None:
    """Fills the page with the results in the folder."""
    names = (*plan.REAL, *plan.TABLES, *plan.SYNTHETIC, *plan.NOISY)
    sets = {name: Measured(store) for name in names if (store := Results(folder, "peers", name)).runs}
    kinds = (plan.REAL, plan.SYNTHETIC, plan.TABLES, plan.NOISY)
    real, synthetic, tables, noisy = ([sets[name] for name in kind if name in sets] for kind in kinds)
    sections = {
        "machine": machine(list(sets.values())),
        "time matched": time_to_best(real, "matched"),
        "time default": time_to_best(real, "default"),
        "defaults": defaults.tables([*real, *synthetic, *tables, *noisy]),
        "errors matched": errors_matched(real),
        "errors grid": best_of_grid(real),
        "mixture30k": many_classes(sets.get("mixture30k")),
        "mixture270k": equal_loss(sets.get("mixture270k")),
        "noisy": time_to_loss(noisy),
        "resources": resources(list(sets.values())),
        "behind": behind(list(sets.values())),
        "variants": variants(real),
    }
    plots.errors(real, folder / "peers.png")
    plots.mixtures(synthetic, folder / "peers-mixtures.png")
    plots.noisy(noisy, folder / "peers-noisy.png")
    readme.fill(sections, folder, nothing=NOTHING)
    compared = [s for s in [*real, *synthetic, *tables, *noisy] if s.find("aoso", "default") and s.peers("default")]
    front_page = {"standing": front.standing(compared), "peers": front.summary(real), "losses": front.front_losses(compared)}
    readme.fill(front_page, folder, readme.FRONT_PAGE, NOTHING)


def machine(sets: list[Measured]) -> str:
    if not sets:
        return ""
    on: dict[str, dict[str, set[str]]] = {}
    for s in sets:
        for run in s.runs:
            here = run.machine
            names = on.setdefault(f"{here['cpu']}; {here['cores']} cores; {here['memory']}; {here['system']}", {})
            names.setdefault(s.name, set()).add(run.setting)
    loads = [clock["load"] for s in sets for run in s.runs for clock in run.content["clocks"]]
    versions = sorted({f"{run.title} {run.content['version']}" for s in sets for run in s.runs})
    return "\n".join(
        [
            *(f"- {here}" + (f" ({_which(names)})" if len(on) > 1 else "") for here, names in on.items()),
            f"- {plan.THREADS} thread per run; load of the machine when the runs began: median"
            f" {statistics.median(loads):.1f}, at most {max(loads):.1f} (the harness itself causes a load of 1)",
            f"- {'; '.join(versions)}",
        ]
    )


def _which(names: dict[str, set[str]]) -> str:
    """The sets measured on a machine; in a parenthesis those of which it measured the defaults alone."""
    some = {name for name, settings in names.items() if settings <= {"default", plan.PAPER} and name not in plan.TABLES}
    text = ", ".join(name for name in names if name not in some)
    return text + ("; " * bool(text) + f"the defaults also on {', '.join(sorted(some))}" if some else "")


def time_to_best(sets: list[Measured], setting: str) -> str:
    """CPU time to reach the fewest errors of any peer."""
    rows, shares = [], {}
    for s in sets:
        ours, peers = s.find("aoso", setting), s.peers(setting)
        if not ours or not peers:
            continue
        peer = min(peers, key=lambda run: (run.best, run.reach(run.best)))
        theirs, own = peer.reach(peer.best), ours.reach(peer.best)
        comparable = peer.machine == ours.machine
        if comparable:
            shares[s.name] = own / theirs if own is not None else None
        rows.append(
            [
                s.name,
                str(peer.best),
                peer.title,
                number(theirs) + elsewhere(peer, ours),
                number(own) if own is not None else f"not reached ({ours.best} at best)",
                f"{theirs / own:.1f} ×" if own is not None and comparable else "–",
            ]
        )
    if not rows:
        return ""
    head = ["set", "fewest errors of a peer", "peer", "its CPU s", "aoso, CPU s to as few", "faster"]
    held = [name for name, share in shares.items() if share is not None and share <= SHARE]
    slower = [name for name, share in shares.items() if share is None or share > 1]
    return "\n\n".join(
        [
            table(head, rows),
            f"Where one machine measured both, aoso takes at most a fifth of the time on {len(held)} of {len(shares)} sets (the aim:"
            f" {ENOUGH} of {len(plan.REAL)}). It is slower than the peer, or does not reach its errors, on"
            f" {', '.join(slower) or 'none of them'}."
            + " ‡ Another machine measured it than aoso, so the times are not compared." * any("‡" in row[3] for row in rows),
        ]
    )


def errors_matched(sets: list[Measured]) -> str:
    """The fewest and the last test errors with the matched setting, and the times to reach them."""
    rows = []
    for s in sets:
        runs = {system: s.find(system, "matched") for system in TITLES}
        if any(runs.values()):
            best = min(run.best for run in runs.values() if run)
            rows.append([s.name, *(_best_and_last(run, best) if run else "–" for run in runs.values())])
    return table(["set", *TITLES.values()], rows) if rows else ""


def best_of_grid(sets: list[Measured]) -> str:
    """The setting with the fewest errors for each system, its defaults included."""
    rows = []
    for s in sets:
        if row := s.best():
            best = min(run.best for run in row.values())
            rows.append([s.name, *(f"{bold(row[k].best, best)} ({row[k].setting})" if k in row else "–" for k in TITLES)])
    return table(["set", *TITLES.values()], rows) if rows else ""


def many_classes(s: Measured | None) -> str:
    """All runs on the set with many classes, and our time to reach the errors of the best peer."""
    if s is None:
        return ""
    runs = [run for run in s.runs if run.setting == plan.BASE or run.setting not in plan.VARIANTS]
    ours = s.find("aoso", plan.BASE)
    rows = []
    for run in sorted(runs, key=lambda run: run.best):
        share = 100 / run.test_rows
        rows.append(
            [
                run.title,
                run.setting,
                f"{share * run.best:.1f} %",
                number(run.reach(run.best)) + (elsewhere(run, ours) if ours else ""),
                f"{share * run.last:.1f} %",
                number(run.seconds),
                f"{run.content['iterations']:,}",
            ]
        )
    rows += [[TITLES[key.split()[0]], key.split(" ", 1)[1], f"failed: {why}", "", "", "", ""] for key, why in s.failed.items()]
    text = [table(["system", "setting", "fewest errors", "CPU s", "last errors", "CPU s", "iterations"], rows, left=2)]
    peers = [run for run in runs if run.system != "aoso"]
    if ours and peers:
        text.append("base: aoso with preset=paper, measured with the peers. ‡ Measured on another machine than that.")
        text.append(_against(ours, min(peers, key=lambda run: run.best), "best peer of all settings"))
        if classic := [run for run in peers if run.system in ("lightgbm", "xgboost")]:
            text.append(_against(ours, min(classic, key=lambda run: run.best), "better of LightGBM and XGBoost"))
    return "\n\n".join(text)


def _against(ours: Run, peer: Run, what: str) -> str:
    own, theirs = ours.reach(peer.best), peer.reach(peer.best)
    found = f"The {what}, {peer.title} ({peer.setting}), needs {number(theirs)} CPU seconds to reach {peer.best} errors"
    if own is None:
        return f"{found}; aoso with preset=paper does not reach that: it has {ours.best} at best."
    if peer.machine != ours.machine:
        return f"{found}; aoso with preset=paper, on another machine, ends with {ours.last} errors."
    times = f"{theirs / own:.0f} times less (the aim: {1 / SHARE_LARGE:.0f})"
    return f"{found}; aoso with preset=paper needs {number(own)}, {times}, and ends with {ours.last} errors."


def equal_loss(s: Measured | None) -> str:
    """Time and memory of each run, and our time to reach its lowest log loss."""
    if s is None:
        return ""
    ours = [run for run in s.runs if run.system == "aoso"]
    rows = []
    for run in s.runs:
        loss = min(run.logloss)
        reached = [t for own in ours if own.machine == run.machine and (t := own.reach_loss(loss)) is not None]
        theirs = run.reach_loss(loss)
        measured = any(own.machine == run.machine for own in ours)
        rows.append(
            [
                run.title,
                run.setting,
                f"{run.content['iterations']:,}",
                f"{loss:.3f}",
                f"{100 * run.best / run.test_rows:.1f} %",
                number(theirs),
                _megabytes(run.content["memory"]),
                number(min(reached)) if reached else "not reached" if measured else "–‡",
                f"{theirs / min(reached):.1f} ×" if reached and theirs and run.system != "aoso" else "–",
            ]
        )
    rows += [[TITLES[k.split()[0]], k.split(" ", 1)[1], f"failed: {why}", *[""] * 6] for k, why in s.failed.items()]
    head = ["system", "setting", "iterations", "log loss", "errors", "CPU s", "peak MB", "aoso, CPU s to that loss", "faster"]
    note = "\n\n‡ aoso was not measured on this machine." * any("‡" in cell for row in rows for cell in row)
    return table(head, rows, left=2) + note


def time_to_loss(sets: list[Measured]) -> str:
    """Our CPU time to reach the lowest log losses of the peers, compared with the time of the best peer."""
    rows, shares, missed, suggestions = [], 0, [], []
    for s in sets:
        aim = SHARE_TWO_CLASSES if s.store.shape["classes"] == 2 else SHARE
        ours = {setting: s.find("aoso", setting) for setting in ("default", plan.SUGGESTED, plan.PAPER)}
        suggested = ours[plan.SUGGESTED]
        for setting in ("default", "matched"):
            best = min(s.peers(setting), key=lambda run: run.lowest, default=None)
            for peer in s.peers(setting):
                reached = {k: run.reach_loss(peer.lowest) if run else None for k, run in ours.items()}
                own, theirs = reached[plan.SUGGESTED], best.reach_loss(best.lowest)
                if peer is best and suggested:
                    shares += 1
                    if own is None or own > aim * theirs:
                        missed.append(f"{s.name} {setting}" + (f" ({own / theirs:.2f})" if own else " (not reached)"))
                rows.append(
                    [
                        *_losses(s, peer, bold=peer is best),
                        *(number(t) if t else "not reached" if ours[k] else "–" for k, t in reached.items()),
                        f"{own / theirs:.2f}" if own else "–",
                    ]
                )
        rows += [[*_losses(s, run, bold=False), *"––––"] for run in ours.values() if run]
        if suggested:
            suggestions.append(f"{s.name}: {', '.join(f'{k}={v}' for k, v in suggested.content['params'].items())}")
    if not rows:
        return ""
    head = ["set", "system", "setting", "last log loss", "CPU s", "lowest", "CPU s to it"]
    head += ["aoso default, CPU s to as low", "aoso suggested", f"aoso {plan.PAPER}", "share of suggested in the better peer's time"]
    text = [table(head, rows, left=3)]
    if shares:
        text.append(
            f"With the suggested parameters, aoso reaches the lowest log loss of the better peer in at most a fifth of its time"
            f" (with two classes: half of it) in {shares - len(missed)} of {shares} cases (the aim: all)."
            + (f" The exceptions: {', '.join(missed)}." if missed else "")
        )
        text.append(f"The suggested parameters: {'; '.join(suggestions)}.")
    return "\n\n".join(text)


def _losses(s: Measured, run: Run, bold: bool) -> list[str]:
    lowest = f"**{run.lowest:.4f}**" if bold else f"{run.lowest:.4f}"
    times = number(run.seconds) + "†" * run.cut, number(run.reach_loss(run.lowest))
    return [s.name, run.title, run.setting, f"{run.logloss[-1]:.4f}", times[0], lowest, times[1]]


def resources(sets: list[Measured]) -> str:
    """Memory, model size and prediction time with the default setting."""
    figures = {
        "Peak memory of training in addition to the rows, MB": lambda run: _megabytes(run.content["memory"]),
        "Trees": lambda run: f"{run.content['trees']:,}",
        "Model file, MB": lambda run: f"{run.content['bytes'] / 1e6:.1f}",
        "Predicting many rows, CPU µs per row": lambda run: number(run.median("batch_microseconds")),
        "Predicting one row, µs": lambda run: f"{run.median('row_microseconds'):,.0f}",
    }
    text = []
    for title, figure in figures.items():
        rows = []
        for s in sets:
            runs = [s.find(system, "default") for system in TITLES]
            if ours := runs[0]:
                marks = [elsewhere(run, ours) if run and title.startswith("Predicting") else "" for run in runs]
                rows.append([s.name, *(figure(run) + mark if run else "–" for run, mark in zip(runs, marks))])
        if rows:
            text += [f"{title}:", table(["set", *TITLES.values()], rows)]
    return "\n\n".join(text)


def behind(sets: list[Measured]) -> str:
    """The sets on which a peer is better with the defaults, for each kind of measurement."""
    return front.losses(sets, front.FIGURES)


def variants(sets: list[Measured]) -> str:
    """Test errors and CPU time of the settings that change preset=paper, compared with that preset."""
    bases = {s.name: base for s in sets if (base := s.find("aoso", plan.BASE))}
    rows = []
    for setting in plan.VARIANTS:
        cells, distances, ratios = [], [], []
        for s in sets:
            run, base = s.find("aoso", setting), bases.get(s.name)
            cells.append(str(run.last) if run else "–")
            if run and base:
                distances.append((run.last - base.last) / max(deviation(base.last, base.test_rows), 1))
                if run.machine == base.machine:
                    ratios.append(run.seconds / base.seconds)
        if distances:
            rows.append([setting, *cells, f"{statistics.mean(distances):+.2f}", f"{statistics.median(ratios):.2f} ×" if ratios else "–"])
    return table(["", *(s.name for s in sets), "mean change in standard deviations", "median CPU time"], rows) if rows else ""


def elsewhere(run: Run, ours: Run) -> str:
    """A mark for times measured on another machine than ours."""
    return "‡" * (run.machine != ours.machine)


def _best_and_last(run: Run, best: int) -> str:
    return f"{bold(run.best, best)} in {number(run.reach(run.best))} s; {run.last} in {number(run.seconds)} s"


def _megabytes(size: int | None) -> str:
    return "–" if size is None else f"{size / 1e6:,.0f}"
