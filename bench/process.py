"""Jobs in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from bench.sets import ROOT


class Failed(Exception):
    """The last line that a process had to say."""


def run(module: str, job: dict[str, Any], threads: int) -> dict[str, Any]:
    """What ``python -m MODULE JOB`` prints."""
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", module, json.dumps(job)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"])[-1])
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
