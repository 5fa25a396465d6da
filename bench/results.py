"""The measurements, in a JSON file for each set."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from bench import machine
from bench.sets import ROOT, Set

FOLDER = ROOT / "bench/results"
QUICK_FOLDER = ROOT / "build/bench/quick"


class Results:
    """The runs on a set by name. They are saved whenever one is added."""

    def __init__(self, folder: Path, kind: str, name: str) -> None:
        self.set = name
        self.path = folder / f"{kind}-{name}.json"
        content = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.shape: dict[str, Any] = content.get("shape", {})
        self.runs: dict[str, dict[str, Any]] = content.get("runs", {})

    def add(self, key: str, run: dict[str, Any]) -> None:
        """Adds a run of this machine, unless it names another, or replaces the run with the same name."""
        self.runs[key] = {"machine": machine.describe()} | run
        lines = [f"{json.dumps(k)}: {json.dumps(run, sort_keys=True)}" for k, run in sorted(self.runs.items())]
        head = f'{{"shape": {json.dumps(self.shape)},\n"runs": {{\n'
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        new.write_text(head + ",\n".join(lines) + "\n}}\n")
        os.replace(new, self.path)


def shape(data: Set) -> dict[str, Any]:
    """The size of a set."""
    rows, features = data.x.shape
    return {
        "rows": rows,
        "test_rows": len(data.y_test),
        "features": features,
        "classes": data.classes,
        "note": data.note,
    }
