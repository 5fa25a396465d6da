"""Puts libaoso.so and libaoso_predict.so into the wheel, and the platform that it runs on into the wheel's name."""

import os
import platform
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformWheel(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        library = Path(os.environ.get("AOSO_LIBRARY") or Path(self.root).parents[1] / "build/lib/libaoso.so").resolve()
        libraries = library, library.with_name("libaoso_predict.so").resolve()
        for file in libraries:
            if not file.is_file():
                raise FileNotFoundError(f"{file} is missing: run make wheel, which builds it")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_2_{max(map(newest_glibc, libraries))}_{platform.machine()}"
        for file in libraries:
            build_data["force_include"][str(file)] = f"aoso/{file.name.split('.')[0]}.so"


def newest_glibc(library: Path) -> int:
    """The x of the newest GLIBC_2.x that a library needs a symbol of; 17 at least, as every machine has."""
    needed = re.findall(rb"\0GLIBC_2\.(\d+)(?=[.\0])", library.read_bytes())
    return max(17, *map(int, needed))
