"""``python -m bench.messages`` measures the all-reduce of ranks on this machine: by TCP, MPI and gloo. It writes the table of docs/distributed.md.

Each of 2 or 4 ranks is a process. The ranks add up 8 and 131,072 numbers of 8 bytes with the collectives that training uses. A time is the best
mean of twenty batches of calls, in the best of five runs in turn, so that other programs on the machine count little. Needs mpi4py, mpich and torch.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import harness, readme, sets
from bench.results import Results

PAGE = sets.ROOT / "docs/distributed.md"
TITLES = {"tcp": "TCP", "mpi": "MPI", "gloo": "gloo"}
SIZES = {"64 bytes": (8, 100), "1 MiB": (1 << 17, 5)}  # numbers, and calls in a batch
RANKS = (2, 4)
RUNS, BATCHES = 5, 20


class Messages(harness.Benchmark):
    name, worker = "messages", "bench.messages"

    def jobs(self) -> Iterator[harness.Job]:
        for ranks in RANKS:
            yield harness.Job("loopback", f"{ranks} ranks", {"ranks": ranks})

    def line(self, run: dict[str, Any]) -> str:
        return "; ".join(f"{TITLES[system]} {', '.join(f'{us:,.0f}' for us in run[system].values())} µs" for system in TITLES)

    def report(self, folder: Path) -> None:
        runs = Results(folder, self.name, "loopback").runs
        head = ["ranks", *(f"{size}, {title}" for size in SIZES for title in TITLES.values())]
        rows = [
            [str(ranks), *(f"{run[system][size]:,.0f}" for size in SIZES for system in TITLES)]
            for ranks in RANKS
            if (run := runs.get(f"{ranks} ranks"))
        ]
        readme.fill({"messages": readme.table(head, rows, left=0)}, folder, PAGE)


def measure(job: dict[str, Any]) -> dict[str, Any]:
    best: dict[str, Any] = {system: dict.fromkeys(SIZES, np.inf) for system in TITLES}
    for _ in range(RUNS):
        for system, times in best.items():
            times.update({size: min(times[size], us) for size, us in run(system, job["ranks"]).items()})
    return best


def run(system: str, ranks: int) -> dict[str, float]:
    """The microseconds of a call that rank 0 prints."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    program = [sys.executable, "-m", "bench.messages", system]
    if system == "mpi":
        done = subprocess.run([Path(sys.executable).with_name("mpiexec"), "-n", str(ranks), *program], capture_output=True, text=True, check=True)
        return dict(json.loads(done.stdout))
    shared = {"WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "SECRET": secrets.token_hex()}
    processes = []
    for rank in range(ranks):
        given = {"RANK": str(rank), **shared}
        names = given | {f"AOSO_{name}": value for name, value in given.items()}  # as torch has them, and as this library does
        processes.append(subprocess.Popen(program, env=os.environ | names, stdout=subprocess.PIPE, text=True))
    outs = [process.communicate()[0] for process in processes]
    return dict(json.loads(outs[0]))


def connected(system: str) -> Any:
    if system == "tcp":
        import aoso.tcp

        return aoso.tcp.TCPCollective.from_env()
    if system == "mpi":
        import aoso.mpi

        return aoso.mpi.MPICollective()
    import torch.distributed

    import aoso.torch

    torch.distributed.init_process_group("gloo")
    return aoso.torch.TorchCollective()


def rank(system: str) -> None:
    collective = connected(system)
    found = {}
    for size, (numbers, calls) in SIZES.items():
        values, best = np.zeros(numbers, np.int64), np.inf
        for _ in range(BATCHES):
            start = time.perf_counter()
            for _ in range(calls):
                collective.all_reduce("sum", values)
            best = min(best, (time.perf_counter() - start) / calls)
        found[size] = 1e6 * best
    if collective.rank == 0:
        print(json.dumps(found), flush=True)
    if system == "gloo":  # which aborts a process whose connections are open when it ends
        import torch.distributed

        torch.distributed.barrier()
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in TITLES:
        rank(sys.argv[1])
    else:
        Messages().main()
