"""The wheel that ``make wheel`` built, alone in an empty virtual environment."""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

import aoso


@pytest.fixture(scope="module")
def wheel():
    wheels = list((ROOT / "build/wheel").glob("aoso-*.whl"))
    assert len(wheels) == 1, f"build/wheel has {len(wheels)} wheels: run make wheel"
    return wheels[0]


def test_platform_is_that_of_the_library(wheel):
    assert re.fullmatch(r"aoso-[0-9.]+-py3-none-manylinux_2_\d+_\w+\.whl", wheel.name)
    platform = wheel.stem.split("-")[-1]
    shown = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True, check=True).stdout
    assert f'consistent with the following platform tag: "{platform}"' in " ".join(shown.split())


def test_contents_and_size(wheel):
    assert wheel.stat().st_size <= 4_000_000
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.startswith("aoso-")}
    sources = {f"aoso/{path.name}" for path in (ROOT / "bindings/python/src/aoso").iterdir() if path.suffix in (".py", ".typed")}
    assert names == sources | {"aoso/libaoso.so", "aoso/libaoso_predict.so"}


def test_notices_of_all_that_the_library_contains(wheel, tmp_path):
    archive = zipfile.ZipFile(wheel)
    licenses = {Path(name).name: archive.read(name) for name in archive.namelist() if ".dist-info/licenses/" in name}
    assert licenses == {name: (ROOT / name).read_bytes() for name in ("LICENSE", "THIRD_PARTY_NOTICES")}
    notices = licenses["THIRD_PARTY_NOTICES"].decode()
    library = archive.extract("aoso/libaoso.so", tmp_path)
    contents = subprocess.run(["go", "version", "-m", library], capture_output=True, text=True, check=True).stdout
    modules = re.findall(r"^\tdep\t(\S+)\t(\S+)", contents, re.MULTILINE)
    assert modules
    for module in ("Go", *map(" ".join, modules)):
        assert re.search(rf"^-+\n{re.escape(module)}, in libaoso.*\n-+\n\n.*Copyright", notices, re.MULTILINE | re.DOTALL), module


@pytest.mark.long
def test_notices_are_installed_with_the_library(tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    install = ["make", "-s", "-o", "lib", "install", f"DESTDIR={tmp_path}", "PREFIX=/usr"]
    subprocess.run(install, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    for name in ("LICENSE", "THIRD_PARTY_NOTICES"):
        assert (tmp_path / "usr/share/licenses/aoso" / name).read_bytes() == (ROOT / name).read_bytes()


def test_version_is_the_librarys(wheel):
    header = (ROOT / "capi/include/aoso/base.h").read_text()
    version = ".".join(re.search(rf"#define AOSO_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    assert wheel.name.split("-")[1] == version


def test_the_readmes_links_lead_to_files_of_the_repository(wheel):
    archive = zipfile.ZipFile(wheel)
    (metadata,) = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    links = re.findall(r"\]\(([^)#]+)", metadata)
    files = [link.split(f"/blob/v{aoso.__version__}/")[1] for link in links if link.startswith("https://github.com/libaoso/aoso/")]
    assert all(link.startswith("https:") for link in links)
    assert "docs/categories.md" in files and "bindings/python/docs/parameters.md" in files
    assert all((ROOT / file).is_file() for file in files)


def test_the_sdist_has_what_builds_the_library(tmp_path):
    """make release builds and installs it; here, the files that the Go tool needs must be there."""
    sdist = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path]
    subprocess.run(sdist, cwd=ROOT / "bindings/python", check=True, capture_output=True)
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    library = path.with_suffix("").with_suffix("") / "library"
    subprocess.run(["go", "build", "-mod=readonly", "-n", "-o", os.devnull, "./capi"], cwd=library, check=True, capture_output=True)


@pytest.fixture
def apart(tmp_path):
    """Runs Python commands in a virtual environment of its own."""
    venv.create(tmp_path / "venv", with_pip=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AOSO"))}

    def run(*command):
        done = subprocess.run([tmp_path / "venv/bin/python", *command], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "bindings/python/README.md").read_text(), re.DOTALL)


@pytest.mark.long
def test_the_readmes_first_example_runs_with_numpy_alone(wheel, tmp_path, apart):
    apart("-m", "pip", "install", "-q", "--no-compile", wheel)
    installed = apart("-m", "pip", "list", "--format=freeze").split()
    assert sorted(line.split("==")[0] for line in installed if not line.startswith(("pip", "setuptools"))) == ["aoso", "numpy"]
    apart("-c", BLOCKS[0])
    assert Path(apart("-c", "import aoso; print(aoso.__file__)").strip()).is_relative_to(tmp_path)


@pytest.mark.long
def test_the_readmes_examples_run_with_scikit_learn_and_pandas(wheel, apart):
    apart("-m", "pip", "install", "-q", "--no-compile", f"{wheel}[sklearn]", "pandas")
    apart("-c", "\n".join(BLOCKS))
