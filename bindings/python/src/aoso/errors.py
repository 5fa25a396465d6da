"""The errors of this package."""

from __future__ import annotations

__all__ = [
    "AosoError",
    "ArgumentError",
    "BusyError",
    "CollectiveError",
    "DTypeError",
    "FileError",
    "ForkError",
    "FormatError",
    "InternalError",
    "LibraryError",
    "OutOfMemoryError",
]


class AosoError(Exception):
    """Base class of all errors of this package."""


class ArgumentError(AosoError, ValueError):
    """A value that is not allowed. The message names the argument, the value and what is allowed."""


class DTypeError(ArgumentError, TypeError):
    """Data of a type that is not allowed. The message names the column, its dtype and what is allowed."""


class FileError(AosoError, OSError):
    """A file could not be read or written."""


class FormatError(AosoError, ValueError):
    """Not an aoso file, or one that is truncated, corrupt or of a newer version."""


class OutOfMemoryError(AosoError, MemoryError):
    """There is not enough memory."""


class BusyError(AosoError, RuntimeError):
    """Another thread is using an object that only one thread at a time may use."""


class CollectiveError(AosoError, ConnectionError):
    """A machine of the training is lost, has given up or has not answered in time. None of them can go on."""


class ForkError(AosoError, RuntimeError):
    """The process was created by ``fork`` from one that had loaded the library. Models can predict there, and nothing else.

    Use ``spawn``, ``forkserver`` or loky (joblib's default) instead.
    """


class InternalError(AosoError, RuntimeError):
    """A bug in the library.

    The training or row predictor of the failed call cannot be used any more. Models, datasets and other trainings still work,
    unless the message says otherwise.
    """


class LibraryError(AosoError, ImportError):
    """``libaoso.so`` is missing, cannot be loaded or has another version than this package needs."""
