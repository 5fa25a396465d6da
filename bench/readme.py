"""Fills README.md and bench/README.md, which contain generated tables between marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.results import FOLDER
from bench.sets import ROOT

FRONT_PAGE, PAGE = ROOT / "README.md", ROOT / "bench/README.md"
END = "<!-- end -->"


def fill(sections: dict[str, str], folder: Path, original: Path = PAGE, nothing: str = "") -> None:
    """Puts text between ``<!-- begin NAME -->`` and ``<!-- end -->``: in the page itself, or in a copy of it if the results
    are in another folder. ``nothing`` replaces empty sections."""
    page = original if folder == FOLDER else folder / original.relative_to(ROOT)
    page.parent.mkdir(parents=True, exist_ok=True)
    text = (page if page.exists() else original).read_text()
    for name, section in sections.items():
        mark = f"<!-- begin {name} -->"
        before, found, rest = text.partition(mark)
        if not found:
            raise ValueError(f"{page} has no {mark}")
        text = f"{before}{mark}\n{section.strip() or nothing}\n{END}{rest.partition(END)[2]}"
    page.write_text(text)
    print(f"written: {page}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A Markdown table. Its first ``left`` columns are aligned to the left."""
    line = ["---" if i < left else "---:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, line, *rows])


def machine_lines(machines: dict[str, dict[str, str]], names: bool = True) -> list[str]:
    """A line for each machine, with the names of what was measured there or with their number. If one machine measured all, its
    line has neither."""
    on: dict[str, list[str]] = {}
    for name, here in machines.items():
        on.setdefault(f"{here['cpu']}; {here['cores']} cores; {here['memory']}; {here['system']}", []).append(name)
    what = {here: "; ".join(there) if names else f"{len(there)} measurements" for here, there in on.items()}
    return [f"- {here}" + (f" ({what[here]})" if len(on) > 1 else "") for here in on]


def by_systems(machines: dict[tuple[str, str], dict[str, str]]) -> dict[str, dict[str, str]]:
    """The machines of (set, system), as :func:`machine_lines` takes them: the sets in which a machine measured the same systems are
    listed together."""
    systems: dict[tuple[str, str], list[str]] = {}
    for (name, title), machine in machines.items():
        systems.setdefault((name, str(machine)), []).append(title)
    sets: dict[tuple[str, str], list[str]] = {}
    for (name, machine), titles in systems.items():
        sets.setdefault((machine, ", ".join(titles)), []).append(name)
    found = {str(machine): machine for machine in machines.values()}
    return {f"{titles}: {', '.join(names)}": found[machine] for (machine, titles), names in sets.items()}


def number(value: float | None) -> str:
    """A measured number, rounded to the significant digits."""
    if value is None:
        return "–"
    return f"{value:.2g}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def bold(value: float, best: float, form: str = "") -> str:
    """A value, in bold if it is the best."""
    return f"**{value:{form}}**" if value == best else f"{value:{form}}"
