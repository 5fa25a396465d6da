"""The ctypes declarations are those of aoso.h, and the library that is loaded fits them."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import aoso
from aoso import _capi, _input, _library, _struct_base, _structs

ABI = (ROOT / "capi/abi.txt").read_text()
STRUCTS = {
    "aoso_" + re.sub(r"(?<!^)(?=[A-Z])", "_", struct.__name__).lower(): struct
    for struct in (*_struct_base.Struct.__subclasses__(), _structs.Evaluation)
}


@pytest.mark.parametrize("name", STRUCTS)
def test_structs(name):
    layout = {field: (int(at), int(size)) for field, at, size in re.findall(rf"^{name}\.(\w+): (\d+)\+(\d+)$", ABI, re.MULTILINE)}
    struct = STRUCTS[name]
    ours = {field: (getattr(struct, field).offset, getattr(struct, field).size) for field, *_ in struct._fields_}
    ours.pop("reserved", None)
    layout.pop("reserved", None)
    assert ours == layout
    assert f"\n{name}: {ctypes.sizeof(struct)}\n" in ABI


def test_pair_importance():
    layout = dict(re.findall(r"^aoso_pair_importance\.(\w+): (\d+\+\d+)$", ABI, re.MULTILINE))
    assert layout == {name: f"{at}+{dtype.itemsize}" for name, (dtype, at) in _structs.PAIR_IMPORTANCE.fields.items()}


def test_confusion():
    layout = dict(re.findall(r"^aoso_confusion\.(\w+): (\d+\+\d+)$", ABI, re.MULTILINE))
    assert layout == {name: f"{at}+{dtype.itemsize}" for name, (dtype, at) in _structs.CONFUSION.fields.items()}


def test_suspicious_row():
    layout = dict(re.findall(r"^aoso_suspicious_row\.(\w+): (\d+\+\d+)$", ABI, re.MULTILINE))
    fields = {name: f"{at}+{dtype.itemsize}" for name, (dtype, at) in _structs.SUSPICIOUS_ROW.fields.items()}
    assert fields.pop("reserved") and layout == fields


@pytest.mark.parametrize("name", _library._FUNCTIONS)
def test_functions(name):
    (arguments,) = re.findall(rf"^aoso_status aoso_{name}\((.*)\);$", ABI, re.MULTILINE)
    assert len(_library._FUNCTIONS[name]) == len(arguments.split(", "))


def test_constants():
    def constant(name):
        return int(re.search(rf"^AOSO_{name} = (\d+)$", ABI, re.MULTILINE)[1])

    for name in ("DENSE", "COLUMNS", "CSR", "CSC", "ARROW", "ARROW_STREAM", "TABLE"):
        assert getattr(_input, "_" + name) == constant(name)
    for name in ("OK", "BUFFER_TOO_SMALL"):
        assert getattr(_library, "_" + name) == constant(name)
    for ours, theirs in (("f", "FLOAT"), ("i", "INT"), ("u", "UINT")):
        for dtype, number in _input._DTYPES.items():
            if dtype[0] == ours:
                assert number == constant(f"{theirs}{8 * int(dtype[1])}")
    errors = ("INVALID_ARGUMENT", "IO", "BAD_FORMAT", "OUT_OF_MEMORY", "BUSY", "FORKED", "COLLECTIVE")
    assert list(_library._ERRORS) == [constant(name) for name in errors]
    for number, name in enumerate(_capi._STOPPED_BY):
        assert constant(f"STOPPED_BY_{name.upper()}" if name else "RUNNING") == number
    for number, name in enumerate(_capi.IMPORTANCES):
        assert constant(f"IMPORTANCE_{name.upper()}") == number


def test_what_the_library_tells():
    info = aoso.build_info()
    assert info["abi"] == _library.ABI_VERSION and info["version"] == aoso.version() == aoso.__version__
    assert info["level"] in info["levels"] and info["threads"] >= 1


def loaded(program="import aoso; aoso.version()", **environment):
    """What a new process says of loading the library."""
    text = f"try:\n exec({program!r})\n print('loaded')\nexcept ImportError as e: print(type(e).__name__, e)"
    env = {name: value for name, value in os.environ.items() if name != "AOSO_LIBRARY"} | environment
    return subprocess.run([sys.executable, "-c", text], env=env, check=True, capture_output=True, text=True).stdout.strip()


def test_the_environment_names_a_library(tmp_path):
    text = tmp_path / "text.so"
    text.write_text("no library")
    for library in (text, tmp_path / "nothing.so", "libc.so.6"):
        assert loaded(AOSO_LIBRARY=str(library)).startswith(f"LibraryError {library} cannot be loaded: ")
    assert loaded(AOSO_LIBRARY=str(ROOT / "build/lib/libaoso.so")) == "loaded"


def test_a_library_is_looked_for(tmp_path):
    package = Path(aoso.__file__).parent
    copy = tmp_path / "bindings/python/src/aoso"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("*.so"))
    environment = {"PYTHONPATH": str(copy.parent)}
    assert loaded(**environment) == (
        f"LibraryError libaoso.so is not in {copy} or {tmp_path}/build/lib; set AOSO_LIBRARY to its path"
    )
    (tmp_path / "build").mkdir()
    (tmp_path / "build/lib").symlink_to(ROOT / "build/lib")
    assert loaded(**environment) == "loaded"
    shutil.copy(ROOT / "build/lib/libaoso.so", copy)
    (tmp_path / "build/lib").unlink()
    assert loaded(**environment) == "loaded"


def test_a_library_of_another_abi():
    message = loaded("import aoso; aoso._library.ABI_VERSION = 99; aoso.version()")
    assert re.fullmatch(rf"LibraryError .*libaoso.so has ABI version {_library.ABI_VERSION}; this package needs 99", message)


@pytest.mark.parametrize("status", [*range(1, 10), 42])
def test_errors_of_the_library(monkeypatch, status):
    """What it says reaches the user without the name of the library, nothing added about what can go on."""

    class Library:
        aoso_call = staticmethod(lambda *arguments: status)
        aoso_last_error = staticmethod(lambda: "aoso: a defect showed in an earlier call with the booster: Grüße\xff".encode())

    monkeypatch.setattr(_library, "_loaded", Library)
    with pytest.raises(aoso.AosoError, match="^a defect showed in an earlier call with the booster: Grüße\xff$") as error:
        _library._call("call", 1, 2)
    assert type(error.value) is _library._ERRORS.get(status, aoso.errors.InternalError)


def test_a_bogus_handle_is_an_error():
    with pytest.raises(aoso.errors.InternalError):
        _library._call("dataset_get_info", 12345, _structs.DatasetInfo())
