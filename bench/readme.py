"""Fills README.md and bench/README.md, which contain generated tables between marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.results import FOLDER
from bench.sets import ROOT

FRONT_PAGE, PAGE = ROOT / "README.md", ROOT / "bench/README.md"
END = "<!-- end -->"


def fill(sections: dict[str, str], folder: Path, original: Path = PAGE) -> None:
    """Puts text between ``<!-- begin NAME -->`` and ``<!-- end -->``: in the page itself, or in a copy of it if the results
    are in another folder."""
    page = original if folder == FOLDER else folder / original.relative_to(ROOT)
    page.parent.mkdir(parents=True, exist_ok=True)
    text = (page if page.exists() else original).read_text()
    for name, section in sections.items():
        mark = f"<!-- begin {name} -->"
        before, found, rest = text.partition(mark)
        if not found:
            raise ValueError(f"{page} has no {mark}")
        text = f"{before}{mark}\n{section.strip()}\n{END}{rest.partition(END)[2]}"
    page.write_text(text)
    print(f"written: {page}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A Markdown table. Its first ``left`` columns are aligned to the left."""
    line = ["---" if i < left else "---:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, line, *rows])


def number(value: float | None) -> str:
    """A measured number, rounded to the significant digits."""
    if value is None:
        return "–"
    return f"{value:.2g}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
