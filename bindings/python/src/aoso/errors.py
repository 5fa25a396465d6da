"""What can go wrong."""

from __future__ import annotations

__all__ = [
    "AosoError",
    "ArgumentError",
    "BusyError",
    "DTypeError",
    "FileError",
    "ForkError",
    "FormatError",
    "InternalError",
    "LibraryError",
    "OutOfMemoryError",
]


class AosoError(Exception):
    """Base of every error that this package raises of its own."""


class ArgumentError(AosoError, ValueError):
    """A value that is not allowed; the text names it and what is."""


class DTypeError(ArgumentError, TypeError):
    """What should be numbers is not; the text names the column, its dtype and what is allowed."""


class FileError(AosoError, OSError):
    """A file could not be read or written."""


class FormatError(AosoError, ValueError):
    """Not a file of aoso's, or one that is truncated, corrupt or of a newer version."""


class OutOfMemoryError(AosoError, MemoryError):
    """There is not enough memory."""


class BusyError(AosoError, RuntimeError):
    """Another thread uses what one thread at a time may."""


class ForkError(AosoError, RuntimeError):
    """The process was made by ``fork`` from one that had loaded the library.

    Use ``spawn``, ``forkserver`` or loky (joblib's default) instead.
    """


class InternalError(AosoError, RuntimeError):
    """A defect of the library.

    The training or row predictor in use when it showed cannot be used any more; models, datasets and other trainings go on. The
    text says so where that is not the case.
    """


class LibraryError(AosoError, ImportError):
    """``libaoso.so`` is missing, cannot be loaded or does not fit this package."""
