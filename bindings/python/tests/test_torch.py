"""Ranks that are processes of torch.distributed, where PyTorch is installed: make test-python does not install it."""

import subprocess
import sys
from pathlib import Path

import pytest
import ranks
from test_collective import wanted

pytest.importorskip("torch")


def run(size, what):
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        f"--nproc-per-node={size}",
        "ranks.py",
        "torch",
        what,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=Path(__file__).parent)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_one_model(size):
    done = run(size, "trains")
    assert done.returncode == 0, done
    assert sorted(done.stdout.split("\n")[:-1]) == sorted(f"{name} {wanted(name)}" for name in ranks.DATA for _ in range(size))


def test_a_rank_that_fails():
    errors = sorted(run(3, "fails").stdout.split("\n"))
    failed = [line for line in errors if line[:1].isdigit()]
    assert [line.split()[:2] for line in failed] == [
        ["0", "CollectiveError"],
        ["1", "CollectiveError"],
        ["2", "ArgumentError"],
    ], errors
    assert "rank 0 of 3" in failed[0]
