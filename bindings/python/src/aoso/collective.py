"""Training on several machines."""

from __future__ import annotations

import abc

from ._input import Array

__all__ = ["Collective"]


class Collective(abc.ABC):
    """The machines of a training, called ranks, as an engine such as MPI connects them.

    Each rank has some of the rows. All ranks make the same calls in the same order: they make a :class:`Dataset` with their
    rows and their collective, and train on it. The model is that which one machine would train on all rows, to the last bit,
    and every rank gets it. :mod:`aoso.tcp`, :mod:`aoso.mpi`,
    :mod:`aoso.torch`, :mod:`aoso.dask` and :mod:`aoso.ray` have collectives that are ready to use.

    The library calls the methods during its calls, one at a time, in the same order on all ranks, from a thread that may be
    another one than that of the caller. A call returns when all ranks have made it. It raises an error if a rank is lost or
    does not answer in time; after that, only :meth:`abort` is called. The error is the cause (``__cause__``) of the
    :class:`~aoso.errors.CollectiveError` that the caller gets.
    """

    @property
    @abc.abstractmethod
    def rank(self) -> int:
        """The number of this rank, from 0."""

    @property
    @abc.abstractmethod
    def size(self) -> int:
        """The number of ranks."""

    @abc.abstractmethod
    def all_reduce(self, op: str, values: Array) -> None:
        """Replace numbers by those of all ranks, summed or the greatest.

        Parameters
        ----------
        op : "sum" or "max"
            Sums are modulo 2**64, as numpy adds.
        values : array of int64 of shape (n,)
            Changed in place. ``op`` and ``n`` are the same on all ranks.
        """

    def reduce_scatter(self, values: Array, counts: Array) -> Array:
        """Return the sums over all ranks of this rank's part of ``values``.

        An engine that can do so sends less here than in :meth:`all_reduce`, which is called otherwise.

        Parameters
        ----------
        values : array of int64 of shape (n,)
            The parts of all ranks, one after another. May be overwritten.
        counts : array of int64 of shape (size,)
            The lengths of the parts, which sum to n; the same on all ranks.

        Returns
        -------
        array of int64 of shape (counts[rank],)
            Sums modulo 2**64.
        """
        self.all_reduce("sum", values)
        first = int(counts[: self.rank].sum())
        return values[first : first + int(counts[self.rank])]

    @abc.abstractmethod
    def all_gather(self, data: bytes) -> list[bytes]:
        """Return the ``data`` of every rank, by rank. Lengths may differ, and may be 0."""

    @abc.abstractmethod
    def abort(self, reason: str) -> None:
        """Tell the other ranks that this one gives up, and the ``reason``, so that their calls fail rather than wait."""
