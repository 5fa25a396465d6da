"""Calls of the library that call Python functions, each in a thread of its own.

In the main thread, the exception of a signal handler, such as KeyboardInterrupt, could be raised between C and the Python
function, where ctypes prints it and continues. Handlers run in the main thread alone.
"""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Callable


def apart(call: Callable[[], None], interrupt: Callable[[], None]) -> None:
    """Make a call in another thread, and raise what it raises.

    If a signal handler raises an exception in the meantime, ``interrupt`` is called, which should end the call soon. When the
    call has ended, the exception is raised. ``call`` must refer to all that it uses: the thread keeps it.
    """
    worker = _Worker(call)
    try:
        worker.start()
        worker.wait()
    except BaseException:
        interrupt()
        worker.outlast()
        raise
    if worker.raised is not None:
        raise worker.raised


class _Worker:
    """A thread that makes a call.

    It is not a ``Thread``: before Python 3.13, a ``join`` that a signal handler interrupts marks the thread as ended, so that the
    next one returns at once, and an exception in ``start`` becomes a KeyError.
    """

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._taken, self._working = threading.Lock(), threading.Lock()
        self._ended = False
        self.raised: BaseException | None = None
        self._working.acquire()

    def start(self) -> None:
        _thread.start_new_thread(self._work, ())

    def _work(self) -> None:
        if not self._taken.acquire(blocking=False):
            return
        try:
            sys.settrace(threading.gettrace())  # debuggers and coverage, as a Thread does
            sys.setprofile(threading.getprofile())
            self._call()
        except BaseException as e:
            self.raised = e
        finally:
            self._ended = True
            self._working.release()

    def wait(self) -> None:
        while not self._ended:
            self._working.acquire()

    def outlast(self) -> None:
        """Wait until the call has ended, whatever else is raised. Prevent the call if it has not begun."""
        if self._taken.acquire(blocking=False):
            return
        while not self._ended:
            try:
                self.wait()
            except BaseException:  # the first exception counts
                continue
