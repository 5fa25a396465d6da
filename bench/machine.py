"""The machine and the memory of this process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import subprocess
from pathlib import Path


def describe() -> dict[str, str]:
    """A description of the machine."""
    cpu = _field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()
    features = (_field("/proc/cpuinfo", "flags") or "").split()
    widest = next((name for name in ("avx512f", "avx2") if name in features), platform.machine())
    memory = int((_field("/proc/meminfo", "MemTotal") or "0 kB").split()[0]) / 2**20
    return {
        "cpu": f"{cpu}, family {_field('/proc/cpuinfo', 'cpu family') or '?'}, {widest}",
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
    }


def version() -> str:
    """The version of aoso and, inside git, the commit of the working tree, with a + if files other than results have changed."""
    import aoso

    try:
        commit = _git("rev-parse", "--short", "HEAD")
        return f"{aoso.version()} {commit}" + ("+" if _git("status", "--porcelain", "--untracked-files=no", ":/", ":!/bench/results") else "")
    except (OSError, subprocess.CalledProcessError):
        return str(aoso.version())


def resident() -> int | None:
    """Resident memory of the process in bytes, or None if the system does not report it."""
    return _kilobytes("VmRSS")


def forget_peak() -> None:
    """Resets :func:`peak`. Also returns freed memory from the allocator to the system."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak() -> int | None:
    """Peak of the resident memory in bytes, or None if the system does not report it."""
    return _kilobytes("VmHWM")


def _git(*arguments: str) -> str:
    root = Path(__file__).resolve().parent
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def _kilobytes(name: str) -> int | None:
    value = _field("/proc/self/status", name)
    return 1024 * int(value.split()[0]) if value else None


def _field(path: str, name: str) -> str | None:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return None
    return next((line.split(":", 1)[1].strip() for line in lines if line.split(":")[0].strip() == name), None)
