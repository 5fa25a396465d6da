"""Ranks that are processes of MPI."""

import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import ranks
from test_collective import wanted

import aoso

pytest.importorskip("mpi4py")
ROOT = Path(__file__).resolve().parents[3]
MPIEXEC = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")


def run(size, *program):
    command = [MPIEXEC, "-n", str(size), sys.executable, *program]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=Path(__file__).parent)


@pytest.mark.parametrize("size", [1, 3])
def test_one_model(size):
    done = run(size, "ranks.py", "mpi", "trains")
    assert done.returncode == 0, done
    assert sorted(done.stdout.split("\n")[:-1]) == sorted(f"{name} {wanted(name)}" for name in ranks.DATA for _ in range(size))


def test_a_rank_that_fails():
    done = run(3, "ranks.py", "mpi", "fails")
    errors = sorted(done.stdout.split("\n")[:-1])
    assert [line.split(":")[0] for line in errors[:2]] == [f"{rank} CollectiveError rank {rank} of 3" for rank in (0, 1)] or all(
        "CollectiveError" in line and "rank 2: ArgumentError" in line for line in errors[:2]
    ), done
    assert errors[2].startswith("2 ArgumentError y has 1 labels"), done


def test_a_rank_that_hangs_is_named():
    program = """
        import sys, time
        import numpy as np, aoso, aoso.mpi
        collective = aoso.mpi.MPICollective(timeout=1)
        if collective.rank == 1:
            time.sleep(6)
            sys.exit()
        try:
            aoso.Dataset(np.ones((5, 2)), [0, 1, 0, 1, 0], collective=collective)
        except aoso.AosoError as e:
            print(type(e).__name__, e, flush=True)
            sys.exit(5)
    """
    start = time.monotonic()
    done = run(2, "-c", textwrap.dedent(program))
    assert "CollectiveError" in done.stdout and "waited 1 s for rank 1" in done.stdout, done
    assert time.monotonic() - start < 20


def test_an_error_that_is_not_caught_ends_all():
    """Each rank says what has happened, and none waits for the others."""
    program = """
        import sys
        import numpy as np, aoso, aoso.mpi
        collective = aoso.mpi.MPICollective(timeout=60)
        y = [0, 1, 0, 1, 0][: 5 - (collective.rank == 1)]
        aoso.Dataset(np.ones((5, 2)), y, collective=collective)
    """
    start = time.monotonic()
    done = run(3, "-c", textwrap.dedent(program))
    assert done.returncode != 0
    assert "ArgumentError: y has 4 labels" in done.stderr, done
    assert done.stderr.count("CollectiveError: ") >= 2 and "rank 1: ArgumentError" in done.stderr, done
    assert time.monotonic() - start < 20


def test_an_error_before_the_collective():
    program = "import aoso.mpi; from mpi4py import MPI; 1 / MPI.COMM_WORLD.rank; aoso.mpi.MPICollective()"
    start = time.monotonic()
    done = run(2, "-c", program)
    assert done.returncode != 0 and "ZeroDivisionError" in done.stderr
    assert time.monotonic() - start < 20


@pytest.mark.skipif(not (ROOT / "build/lib").exists(), reason="make lib has not been run")
def test_the_example_in_c(tmp_path):
    """It compiles, the model is the same on one rank and on two, and it is what the documentation shows."""
    source, program = ROOT / "capi/examples/train_mpi.c", tmp_path / "train_mpi"
    library = [f"-L{ROOT}/build/lib", "-laoso", f"-Wl,-rpath,{ROOT}/build/lib"]
    compiler = Path(MPIEXEC).with_name("mpicc")
    command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/build/include", source, "-o", program, *library]
    subprocess.run(command, check=True)
    for size in (1, 2):
        subprocess.run([MPIEXEC, "-n", str(size), program, tmp_path / f"model{size}"], check=True, timeout=100)
    assert aoso.Booster.load(tmp_path / "model1").fingerprint == aoso.Booster.load(tmp_path / "model2").fingerprint
    shown = (ROOT / "docs/distributed.md").read_text().split("```c\n")[1].split("```")[0]
    for function in shown.split("\n\n"):
        assert function.strip() in source.read_text()


def test_large_counts(tmp_path):
    program = """
        import numpy as np, aoso.mpi
        aoso.mpi._PIECE = 10
        collective = aoso.mpi.MPICollective()
        v = np.arange(35) * (1 + collective.rank)
        collective.all_reduce("sum", v)
        assert v.tolist() == [3 * i for i in range(35)]
        collective.all_reduce("max", v[:1])
        part = collective.reduce_scatter(np.arange(35) * (1 + collective.rank), np.array([1, 34]))
        aoso.mpi._PIECE = 100
        assert (part == collective.reduce_scatter(np.arange(35) * (1 + collective.rank), np.array([1, 34]))).all()
        assert part.tolist() == [[0], [3 * i for i in range(1, 35)]][collective.rank]
        assert collective.reduce_scatter(np.arange(3), np.array([3, 0])).tolist() == [[0, 2, 4], []][collective.rank]
        mine = [b"x" * 33, b""]
        assert collective.all_gather(mine[collective.rank]) == mine
        assert collective.all_gather(b"") == [b"", b""]
        for n in (1015, 1016, 1017, 1500):
            mine = [bytes(range(256)) * 6, b"y" * n]
            assert collective.all_gather(mine[collective.rank][:n]) == [part[:n] for part in mine]
    """
    done = run(2, "-c", textwrap.dedent(program))
    assert (done.returncode, done.stderr) == (0, ""), done
