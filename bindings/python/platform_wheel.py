"""Puts the C libraries into the wheel and the platform that they run on into the wheel's name; puts their sources into the source
distribution, from which a wheel builds them with Go and a C compiler."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NOTICES = ("LICENSE", "THIRD_PARTY_NOTICES")
SOURCES = ("Makefile", "go.mod", "go.sum", "*.go", "*.s", "capi", "internal", "kernel")
NOT_SOURCES = ("*_test.go", "*/testdata/*", "bench", "capi/examples", "capi/test", "cmd", "columnar", "tools")

MACHINES = {62: "x86_64", 183: "aarch64"}  # by the number in an ELF header


class PlatformWheel(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "sdist":
            files = build_data["force_include"]
            for name in NOTICES:
                del files[str(Path(self.root) / name)]  # a link to the file in the repository
            files.update(sources(Path(self.root).parents[1]))
            return
        library = self.library()
        libraries = library, library.with_name("libaoso_predict.so").resolve()
        for file in libraries:
            if not file.is_file():
                raise FileNotFoundError(f"{file} is missing: run make wheel, which builds it")
            build_data["force_include"][str(file)] = f"aoso/{file.name.split('.')[0]}.so"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_2_{max(map(newest_glibc, libraries))}_{machine(library)}"

    def library(self) -> Path:
        """AOSO_LIBRARY, or that of the checkout, or the one built from the sources in a source distribution."""
        if "AOSO_LIBRARY" in os.environ:
            return Path(os.environ["AOSO_LIBRARY"]).resolve()
        root = Path(self.root) / "library"
        if root.is_dir():
            for name in NOTICES:
                shutil.copy(Path(self.root) / name, root)  # make lib installs them
            subprocess.run(["make", "-C", root, "lib"], check=True)
        else:
            root = Path(self.root).parents[1]
        return (root / "build/lib/libaoso.so").resolve()


def sources(checkout: Path) -> dict[str, str]:
    """The files from which make lib builds the libraries, and their places in the source distribution."""
    command = ["git", "ls-files", "-z", "--", *SOURCES, *(f":!{pattern}" for pattern in NOT_SOURCES)]
    listed: str = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True).stdout
    files = {str(checkout / name): f"library/{name}" for name in listed.split("\0") if name}
    return files | {str(checkout / name): name for name in NOTICES}


def newest_glibc(library: Path) -> int:
    """The x of the newest GLIBC_2.x that a library needs a symbol of; 17 at least, as every machine has."""
    needed = re.findall(rb"\0GLIBC_2\.(\d+)(?=[.\0])", library.read_bytes())
    return max(17, *map(int, needed))


def machine(library: Path) -> str:
    """The processor that a library is for, as wheels name it."""
    return MACHINES[int.from_bytes(library.read_bytes()[18:20], "little")]
