"""Runs jobs in separate processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from bench.sets import ROOT


class Failed(Exception):
    """A process failed. The message is the last line that it wrote to stderr."""


def run(module: str, job: dict[str, Any], threads: int) -> dict[str, Any]:
    """The result that ``python -m MODULE JOB`` prints as JSON."""
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", module, json.dumps(job)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
