"""Ranks that are processes connected by TCP."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
import ranks
from test_collective import wanted

import aoso
from aoso.errors import ArgumentError, CollectiveError
from aoso.tcp import TCPCollective

SECRET = "a secret of the ranks"
HERE = Path(__file__).parent


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(size, *program):
    """The processes of all ranks, connected as environment variables say."""
    port = str(free_port())
    return [
        subprocess.Popen(
            [sys.executable, *program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=HERE,
            env={**os.environ, "AOSO_RANK": str(rank), "AOSO_WORLD_SIZE": str(size), "AOSO_MASTER_ADDR": "127.0.0.1", "AOSO_MASTER_PORT": port},
        )
        for rank in range(size)
    ]


def ends(processes, timeout=60):
    """What each process has printed, when it has ended."""
    return [process.communicate(timeout=timeout) for process in processes]


@pytest.mark.parametrize("size", [1, 3])
def test_one_model(size):
    for out, errors in ends(start(size, "ranks.py", "tcp", "trains")):
        assert sorted(out.splitlines()) == sorted(f"{name} {wanted(name)}" for name in ranks.DATA), errors


def test_a_rank_that_fails():
    (first, _), (second, _) = ends(start(2, "ranks.py", "tcp", "fails"))
    assert "0 CollectiveError" in first and "rank 1 gave up: ArgumentError: y has 1 labels" in first
    assert "1 ArgumentError y has 1 labels" in second


PROGRAM = """
    import os, signal, sys
    import numpy as np, aoso, aoso.tcp, ranks
    how, where = getattr(signal, sys.argv[1]), sys.argv[2]
    collective = aoso.tcp.TCPCollective.from_env(timeout=2)
    print("connected", file=sys.stderr, flush=True)
    fails = collective.rank == 1

    def fail(progress=None):
        if fails and (progress is None or (where == "first") == (progress.phase == "holdout") and progress.iteration == (6 if where == "last" else 2)):
            os.kill(os.getpid(), how)

    try:
        if where == "binning":
            fail()
        part = ranks.part(ranks.mixed(), collective.rank, collective.size)
        train_set = aoso.Dataset(**part, collective=collective, nthread=1)
        aoso.train({"n_estimators": 6, "calibration": "holdout", "ensemble": 1, "nthread": 1}, train_set, callbacks=[fail])
    except aoso.AosoError as e:
        ranks.say(f"{type(e).__name__} {e}")
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("where", ["binning", "first", "last"])
@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_a_rank_is_killed_or_stopped(how, where):
    """The others end, and say which rank it was."""
    processes = start(3, "-c", textwrap.dedent(PROGRAM), how, where)
    try:
        for process in processes:
            assert "connected\n" in iter(process.stderr.readline, "")
        begin = time.monotonic()
        for rank in (0, 2):
            out, errors = processes[rank].communicate(timeout=20)
            assert out.startswith("CollectiveError"), errors
            assert "rank 1 (127.0.0.1:" in out and ("is lost" if how == "SIGKILL" else "has not answered in 2s") in out
        assert time.monotonic() - begin < 10
        assert processes[1].poll() is None or how == "SIGKILL"
    finally:
        processes[1].send_signal(signal.SIGCONT)
        processes[1].communicate(timeout=20)


def on_threads(size, work):
    """What work returns on each rank of this process, or the error that it raises."""
    first = TCPCollective(0, size, secret=SECRET, timeout=20)
    port = first.port

    def connected(rank, _):
        collective = first if rank == 0 else TCPCollective(rank, size, secret=SECRET, timeout=20)
        collective.connect(f"127.0.0.1:{port}")
        return collective

    return ranks.on_threads(size, work, connected)


def test_calls():
    def work(collective):
        v = np.arange(10_000) * (1 + collective.rank)
        collective.all_reduce("sum", v)
        most = np.array([collective.rank])
        collective.all_reduce("max", most)
        part = collective.reduce_scatter(np.arange(6), np.array([1, 2, 3]))
        return v[-1], most[0], part.tolist(), collective.all_gather(b"x" * collective.rank), collective.all_gather(b"")

    parts = [[0], [3, 6], [9, 12, 15]]
    assert on_threads(3, work) == [(6 * 9999, 2, part, [b"", b"x", b"xx"], [b""] * 3) for part in parts]


def test_rows_and_classes_of_one_rank():
    """A rank has no rows. Another alone has a class, a category and the values of a column."""
    data = ranks.mixed()
    whole = aoso.train(ranks.PARAMS["mixed"], aoso.Dataset(**data, nthread=1)).fingerprint

    def work(collective):
        share = {name: values[[slice(0, 0), slice(0, None)][collective.rank]] for name, values in data.items()}
        return aoso.train(ranks.PARAMS["mixed"], aoso.Dataset(**share, collective=collective, nthread=1)).fingerprint

    assert on_threads(2, work) == [whole] * 2


def test_another_parameter():
    def work(collective):
        part = ranks.part(ranks.mixed(), collective.rank, collective.size)
        return aoso.train({"n_estimators": 5 + collective.rank, "nthread": 1}, aoso.Dataset(**part, collective=collective))

    results = on_threads(2, work)
    assert all(isinstance(e, (ArgumentError, CollectiveError)) and "rank" in str(e) for e in results), results


def test_ctrl_c_while_connecting():
    program = "import aoso.tcp; aoso.tcp.TCPCollective(0, 2, '127.0.0.1:0')"
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, cwd=HERE)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=5)[1].endswith("KeyboardInterrupt\n")


def test_arguments():
    for arguments, message in [
        ({"rank": 2, "size": 2}, "rank is 2; allowed: 0 to 1"),
        ({"rank": 0, "size": 0}, "size is 0; allowed: an integer, 1 to"),
        ({"rank": 0, "size": 2, "address": "node"}, "address is 'node'; allowed: such as 'node7:4000'"),
        ({"rank": 0, "size": 2, "address": "::1:4000"}, "address is '::1:4000'; allowed"),
        ({"rank": 0, "size": 2, "timeout": -1}, "timeout is -1; allowed: above 0"),
        ({"rank": 0, "size": 2, "address": "0.0.0.0:0"}, "secret"),
    ]:
        with pytest.raises(ArgumentError, match="(?i)" + message):
            TCPCollective(**arguments)
    with pytest.raises(ArgumentError, match="not connected"):
        aoso.Dataset(np.ones((5, 2)), [0, 1, 0, 1, 0], collective=TCPCollective(0, 2))
    with pytest.raises(CollectiveError, match="rank 1 has not connected in 200ms"):
        TCPCollective(0, 2, "127.0.0.1:0", timeout=0.2)
    good = {"AOSO_RANK": "0", "AOSO_WORLD_SIZE": "2", "AOSO_MASTER_ADDR": "::1", "AOSO_MASTER_PORT": "1"}
    for name, value in [("AOSO_RANK", "2"), ("AOSO_WORLD_SIZE", ""), ("AOSO_MASTER_ADDR", ""), ("AOSO_MASTER_PORT", "http")]:
        with pytest.raises(ArgumentError, match=f"the environment variable {name} is"):
            TCPCollective.from_env(environ={**good, name: value})


@pytest.mark.skipif(not (command := shutil.which("aoso", path=str(HERE.parents[2] / "bin"))), reason="make build has not been run")
def test_the_command(tmp_path):
    """Two processes of the command train the model of one. A rank without its file ends the other."""
    lines = [",".join(map(str, [*x, y])) for x, y in zip(ranks.letter(2000)["x"].tolist(), ranks.letter(2000)["y"])]
    header = ",".join(f"x{j}" for j in range(16)) + ",y"
    for name, part in [("all", lines), ("0", lines[:700]), ("1", lines[700:])]:
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *part, ""]))

    def run(data, *more, **env):
        arguments = ["train", "--data", data, "--model", f"{data}.aoso", "--n-estimators", "3", "--quiet", *more]
        return subprocess.Popen([command, *arguments], cwd=tmp_path, env={**os.environ, **env}, stderr=subprocess.PIPE, text=True)

    env = {"AOSO_WORLD_SIZE": "2", "AOSO_MASTER_ADDR": "127.0.0.1"}
    env["AOSO_MASTER_PORT"] = str(free_port())
    processes = [run("all.csv"), run("0.csv", "--ranks", "env", AOSO_RANK="0", **env), run("1.csv", "--ranks", "env", AOSO_RANK="1", **env)]
    for process in processes:
        assert process.communicate(timeout=60)[1] == "" and process.returncode == 0
    assert aoso.Booster.load(tmp_path / "all.csv.aoso").fingerprint == aoso.Booster.load(tmp_path / "0.csv.aoso").fingerprint
    assert not (tmp_path / "1.csv.aoso").exists()
    env["AOSO_MASTER_PORT"] = str(free_port())
    first, second = run("0.csv", "--ranks", "env", AOSO_RANK="0", **env), run("none.csv", "--ranks", "env", AOSO_RANK="1", **env)
    assert "rank 1 gave up: none.csv: no such file or directory" in first.communicate(timeout=30)[1] and first.returncode != 0
    assert second.communicate(timeout=30)[1] == "aoso: none.csv: no such file or directory\n"
