"""Runs a program and measures it: time, and the memory that it needs, without the pages of files that it maps."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

INTERVAL = 0.02  # seconds between two looks at the memory


@dataclass
class Limits:
    """What a program may use. The system enforces ``memory``, in bytes of private memory that can be written to, touched or
    not (RLIMIT_DATA): a program that asks for more gets none. Mapped files do not count."""

    memory: float = 0  # 0: no limit
    cpu: int = 0  # seconds; 0: no limit

    def apply(self) -> None:
        if self.memory:
            resource.setrlimit(resource.RLIMIT_DATA, (int(self.memory), int(self.memory)))
        if self.cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (self.cpu, self.cpu))


@dataclass
class Watch:
    """The most memory that a process has had, in bytes."""

    pid: int
    peaks: dict[str, int] = field(default_factory=lambda: {"anonymous": 0, "files": 0})
    done: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        names = {"RssAnon": "anonymous", "RssFile": "files"}
        while not self.done.wait(INTERVAL):
            with contextlib.suppress(OSError):
                for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
                    key, _, value = line.partition(":")
                    if name := names.get(key):
                        self.peaks[name] = max(self.peaks[name], 1024 * int(value.split()[0]))


def run(command: Sequence[str], limits: Limits) -> dict[str, Any]:
    """What a command printed, how it ended, its seconds, CPU seconds and peaks of memory."""
    start = time.perf_counter()
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=limits.apply
    )
    watch = Watch(child.pid)
    watcher = threading.Thread(target=watch.run)
    watcher.start()
    assert child.stdout
    output = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    watch.done.set()
    watcher.join()
    # The limit counts a little more than wait4.
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL) and used.ru_utime + used.ru_stime >= limits.cpu - 3 > 0:
        ended = f"stopped after {limits.cpu} s of CPU time"
    elif child.returncode:
        lines = output.strip().splitlines() or [f"exit status {child.returncode}"]
        ended = next((line for line in lines if "error" in line.lower()), lines[-1])
    else:
        ended = "done"
    return {"ended": ended, "seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "peaks": watch.peaks, "output": output}
