"""Training on several machines without an engine: the ranks connect by TCP.

Every process has some of the rows. Start them in terminals, by Slurm, in a Kubeflow TrainJob, or in any other way that tells each its
rank, the number of ranks, and where rank 0 listens::

    import aoso, aoso.tcp

    collective = aoso.tcp.TCPCollective.from_env()
    x, y = read_rows(collective.rank, collective.size)
    booster = aoso.train({}, aoso.Dataset(x, y, collective=collective))
    if collective.rank == 0:
        booster.save("model.aoso")
"""

from __future__ import annotations

import ctypes as c
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _structs as structs
from ._apart import apart
from ._scalars import integer
from ._input import Array
from ._library import _call, _create, error
from .collective import Collective
from .errors import ArgumentError

__all__ = ["TCPCollective"]

_OPS = {"sum": 0, "max": 1}


class TCPCollective(Collective):
    """Processes that are connected by TCP, each with each.

    They prove to one another that they know the secret. What they send is not encrypted: use a network that others cannot read. While
    they connect, rank 0 listens at ``address``, and the others at any free port of the address from which they reach rank 0. Then
    none listens any more. If a rank is lost or does not answer in time, the calls of all others raise an error that names it.

    Parameters
    ----------
    rank : int
        The number of this process, from 0.
    size : int
        The number of processes.
    address : str, optional
        Where rank 0 listens, such as "node7:4000" or "[2001:db8::7]:4000". The others may start earlier. Without an address, rank 0 listens
        at any free port of all its addresses. Tell the others :attr:`port`, and call :meth:`connect` on all.
    secret : str or bytes, optional
        The same on all ranks, 16 bytes or more; ``secrets.token_hex()`` makes one. It may be absent if rank 0 listens at a loopback
        address, such as 127.0.0.1.
    timeout : float, default 600
        Seconds that a process waits for the others, when it connects and in each call.
    """

    def __init__(
        self, rank: int, size: int, address: str | None = None, *, secret: str | bytes | None = None, timeout: float = 600
    ) -> None:
        self._rank, self._size = integer("rank", rank, 0), integer("size", size, 1)
        host, port = ("", 0) if address is None else _split(address)
        key = secret.encode() if isinstance(secret, str) else secret or b""
        if not timeout > 0:
            raise ArgumentError(f"timeout is {timeout!r}; allowed: above 0")
        options = structs.TcpOptions(
            rank=self._rank, size=self._size, host=host.encode(), port=port, timeout=timeout, num_secret=len(key)
        )
        options.secret = c.cast(c.c_char_p(key), c.c_void_p)
        self._handle = _create("tcp_create", c.byref(options))
        self._struct: Any = None  # until it is connected
        if address is not None:
            self.connect(address)

    @classmethod
    def from_env(cls, timeout: float = 600, environ: Mapping[str, str] = os.environ) -> TCPCollective:
        """Connect as environment variables say, or ``environ`` in their place. ``timeout`` is that of the class.

        They are ``AOSO_RANK``, ``AOSO_WORLD_SIZE``, ``AOSO_MASTER_ADDR`` and ``AOSO_MASTER_PORT``, where rank 0 listens, and
        ``AOSO_SECRET``. With one rank, the last three do not count.
        """

        def value(name: str, allowed: str) -> str:
            if not (text := environ.get(name)):
                raise ArgumentError(f"the environment variable {name} is unset; allowed: {allowed}")
            return text

        def number(name: str, least: int, most: int) -> int:
            allowed = f"{least} to {most}"
            text = value(name, allowed)
            if not text.isdecimal() or not least <= int(text) <= most:
                raise ArgumentError(f"the environment variable {name} is {text!r}; allowed: {allowed}")
            return int(text)

        size = number("AOSO_WORLD_SIZE", 1, 1 << 20)
        rank = number("AOSO_RANK", 0, size - 1)
        if size == 1:
            return cls(rank, size, "127.0.0.1:0", timeout=timeout)
        host = value("AOSO_MASTER_ADDR", "the host name or address of rank 0")
        address = f"{_bracketed(host)}:{number('AOSO_MASTER_PORT', 1, 65535)}"
        return cls(rank, size, address, secret=environ.get("AOSO_SECRET"), timeout=timeout)

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""
        return self._rank

    @property
    def size(self) -> int:
        """The number of processes."""
        return self._size

    @property
    def port(self) -> int:
        """The port where rank 0 listens; 0 for other ranks."""
        port = c.c_int32()
        _call("tcp_port", self._handle, c.byref(port))
        return port.value

    def connect(self, address: str) -> None:
        """Connect with the others, which all do so at the same time. ``address`` is where they reach rank 0."""
        host, port = _split(address)
        struct = structs.Collective()
        handle = self._handle
        apart(lambda: _call("tcp_connect", handle, host.encode(), port, c.byref(struct)), lambda: _call("tcp_interrupt", handle))
        self._struct = struct

    @property
    def _address(self) -> int:
        """The address of the collective in C."""
        if self._struct is None:
            raise ArgumentError("the collective is not connected; allowed: after connect")
        return c.addressof(self._struct)

    def all_reduce(self, op: str, values: Array) -> None:
        """Replace numbers by those of all processes, summed or the greatest."""
        self._do("all_reduce", _OPS[op], values.ctypes.data, len(values))

    def reduce_scatter(self, values: Array, counts: Array) -> Array:
        """Return the sums over all processes of this process's part of ``values``."""
        sums, parts = np.empty(counts[self.rank], np.int64), np.ascontiguousarray(counts, np.int64)
        self._do("reduce_scatter", values.ctypes.data, parts.ctypes.data, sums.ctypes.data)
        return sums

    def all_gather(self, data: bytes) -> list[bytes]:
        """Return what every process gives, by rank."""
        sizes = np.empty(self.size, np.int64)
        self._do("gather_sizes", data, len(data), sizes.ctypes.data)
        out = c.create_string_buffer(int(sizes.sum()))
        self._do("gather", data, len(data), sizes.ctypes.data, out)
        everything, ends = out.raw, np.cumsum(sizes).tolist()
        return [everything[end - n : end] for n, end in zip(sizes.tolist(), ends)]

    def abort(self, reason: str) -> None:
        """Tell the other processes that this one gives up, and why."""
        if self._struct is not None:
            self._struct.abort(self._struct.context, reason.encode())

    def _do(self, function: str, *arguments: Any) -> None:
        struct = self._struct
        if struct is None:
            raise ArgumentError("the collective is not connected; allowed: after connect")
        if status := getattr(struct, function)(struct.context, *arguments):
            raise error(status)


def _split(address: str) -> tuple[str, int]:
    """The host and the port of an address."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal() or int(port) > 65535 or (":" in host and not (host.startswith("[") and host.endswith("]"))):
        raise ArgumentError(f"address is {address!r}; allowed: such as 'node7:4000' or '[2001:db8::7]:4000'")
    return host.strip("[]"), int(port)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
