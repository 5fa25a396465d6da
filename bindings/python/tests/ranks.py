"""Data and rows of ranks, for the tests of all engines. As a program, a rank of MPI, torch or TCP."""

import contextlib
import functools
import gzip
import itertools
import os
import queue
import sys
import threading
from pathlib import Path

import numpy as np

import aoso

LETTER = Path(__file__).resolve().parents[3] / "testdata/letter.csv.gz"


def letter(rows=6000):
    """The first rows of Letter, as options of a dataset."""
    with gzip.open(LETTER, "rt") as file:
        next(file)
        table = [line.strip().split(",") for line in file][:rows]
    return {"x": np.array([row[:-1] for row in table], float), "y": np.array([row[-1] for row in table])}


def mixed(n=900):
    """n rows with categories, weights, missing values and row ids; a class and some categories are on one rank only."""
    rng = np.random.default_rng(7)
    colour = rng.choice(["red", "blue", "green", None], n).astype(object)
    colour[:10] = "violet"
    numbers = rng.normal(size=(n, 3))
    numbers[rng.random((n, 3)) < 0.1] = np.nan
    y = (np.nan_to_num(numbers[:, 0]) > 0) + 2 * (colour == "red")
    y[-9:] = 4
    x = np.empty((n, 4), object)
    x[:, 0], x[:, 1:] = colour, numbers
    return {"x": x, "y": y, "weight": rng.random(n) + 0.1, "row_id": rng.permutation(n) * 3}


def letter_frame(rows):
    """The first rows of Letter as a data frame."""
    import pandas as pd

    data = letter(rows)
    return pd.DataFrame(data["x"], columns=[f"x{j}" for j in range(16)]).assign(label=data["y"], id=np.arange(rows))


def mixed_frame():
    import pandas as pd

    data = mixed()
    frame = pd.DataFrame({"colour": data["x"][:, 0], **{name: data["x"][:, j + 1].astype(float) for j, name in enumerate("abc")}})
    return frame.assign(label=data["y"], weight=data["weight"], id=data["row_id"])


DATA = {"letter": letter, "mixed": mixed}
PARAMS = {"letter": {"n_estimators": 2, "nthread": 1}, "mixed": {"n_estimators": 4, "nthread": 1}}


def part(data, rank, size):
    """The rows of a rank: unequal parts."""
    n = len(data["y"])
    first, last = (int(n * (r / size) ** 1.5) for r in (rank, rank + 1))
    return {name: values[first:last] for name, values in data.items()}


def trained(name, collective=None):
    data = DATA[name]()
    if collective is not None:
        data = part(data, collective.rank, collective.size)
    x, y = data.pop("x"), data.pop("y")
    return aoso.train(PARAMS[name], aoso.Dataset(x, y, collective=collective, nthread=1, **data))


class LocalCollective(aoso.Collective):
    """A rank that is a thread of this process."""

    seconds = 20  # to wait for another

    def __init__(self, rank, meeting):
        self._rank, self._meeting = rank, meeting

    rank = property(lambda self: self._rank)
    size = property(lambda self: len(self._meeting.queues))

    def all_gather(self, data):
        queues = self._meeting.queues
        for to in queues[self._rank]:
            to.put(data)
        try:
            given = [sent[self._rank].get(timeout=self.seconds) for sent in queues]
        except queue.Empty:
            raise ConnectionError("a rank does not answer") from None
        if self._meeting.reason:
            raise ConnectionError(self._meeting.reason)
        return given

    def all_reduce(self, op, values):
        given = [np.frombuffer(b, np.int64) for b in self.all_gather(values.tobytes())]
        values[:] = functools.reduce(np.add if op == "sum" else np.maximum, given)

    def abort(self, reason):
        self._meeting.reason = self._meeting.reason or reason
        for to in itertools.chain(*self._meeting.queues):
            to.put(b"")


class Meeting:
    """What ranks have sent: queues[i][j] is from rank i to rank j. These take less time than a barrier."""

    def __init__(self, size):
        self.queues = [[queue.SimpleQueue() for _ in range(size)] for _ in range(size)]
        self.reason = ""


def on_threads(size, work, kind=LocalCollective):
    """What work returns on each rank, or the error that it raises."""
    meeting, results = Meeting(size), [None] * size

    def run(rank):
        try:
            results[rank] = work(kind(rank, meeting))
        except BaseException as e:
            results[rank] = e

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def engine(name):
    if name == "mpi":
        import aoso.mpi

        return aoso.mpi.MPICollective(timeout=20)
    if name == "tcp":
        import aoso.tcp

        return aoso.tcp.TCPCollective.from_env(timeout=20)
    import torch.distributed

    import aoso.torch

    torch.distributed.init_process_group("gloo")
    return aoso.torch.TorchCollective(timeout=20)


def workers(command):
    """The processes of this command that have loaded the library."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it has ended
            if command in Path(f"/proc/{process}/cmdline").read_text() and "libaoso.so" in Path(f"/proc/{process}/maps").read_text():
                found.append(int(process))
    return found


def say(line):
    """Print a line at once, so that those of several ranks do not mix."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    collective = engine(sys.argv[1])
    if sys.argv[2] == "fails":
        failing = collective.size - 1
        y = np.arange(50) % 2 if collective.rank < failing else ["wrong"]
        try:
            aoso.Dataset(np.ones((50, 2)), y, collective=collective)
        except aoso.AosoError as e:
            say(f"{collective.rank} {type(e).__name__} {e}")
    else:
        for name in DATA:
            say(f"{name} {trained(name, collective).fingerprint}")
        if sys.argv[1] == "torch":  # which aborts a process whose connections are open when it ends
            import torch.distributed

            torch.distributed.barrier()
            torch.distributed.destroy_process_group()
