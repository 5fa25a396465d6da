"""Ends a process that is stopped, so that the engine that started it hears of it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

# Waits a second more, because a machine that was asleep may wake this process first. Leaves another process of the same number alone.
_PROGRAM = """
import os, select, signal, sys
process, timeout = int(sys.argv[1]), float(sys.argv[2])
while select.select([0], [], [], timeout)[0] or select.select([0], [], [], 1)[0]:
    if not os.read(0, 4096):
        sys.exit()
if os.getppid() == process:
    os.kill(process, signal.SIGKILL)
"""


@contextlib.contextmanager
def watched(timeout: float) -> Iterator[None]:
    """Have another process kill this one if it is stopped for longer than a quarter more than ``timeout`` seconds.

    If one rank is stopped, the others end after ``timeout``. If all are, nobody else would end them.
    """
    command = [sys.executable, "-S", "-E", "-c", _PROGRAM, str(os.getpid()), str(1.25 * timeout)]
    watchdog = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended = threading.Event()
    stdin = watchdog.stdin
    assert stdin is not None

    def tick() -> None:
        with contextlib.suppress(OSError):  # the watchdog itself is gone
            while not ended.wait(min(1, timeout / 4)):
                os.write(stdin.fileno(), b".")

    ticking = threading.Thread(target=tick, daemon=True)
    ticking.start()
    try:
        yield
    finally:
        ended.set()
        ticking.join()
        stdin.close()
        watchdog.wait()
