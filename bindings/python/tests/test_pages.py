"""The pages of the documentation: their programs run, and their links lead somewhere."""

import contextlib
import gzip
import io
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "bench/*.md", "bindings/python/*.md", "bindings/r/*.md", "bindings/python/docs/*.md", "testdata/*.md")
    for path in ROOT.glob(pattern)
)
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)

# Less than the pages ask for, so that the tests take seconds.
SMALLER = {
    "letters[:2000]": "letters[:200]",
    '"n_estimators": 500': '"n_estimators": 5',
    "head -2001": "head -201",
    "--time-limit 60": "--time-limit 1",
    "--trials 100": "--trials 3",
    "--n-estimators 2000": "--n-estimators 20",
    "--trees 300": "--trees 3",
}

# Pages that use what their readers have: data, files, models.
TABLE = """
import numpy as np
import pandas as pd
import aoso
from aoso import AOSOClassifier
rng = np.random.default_rng(0)
X = x = rng.normal(size=(120, 3))
X_new = x_new = X[:5]
y = np.where(X[:, 0] > 0, "harmful", "harmless")
"""
GIVEN = {
    "docs/probabilities.md": TABLE,
    "docs/serving.md": TABLE + "import multiprocessing\naoso.train({'n_estimators': 3}, aoso.Dataset(x, y)).save('letters.aoso')\n",
    "docs/categories.md": TABLE
    + "pd.DataFrame({'city': rng.choice(['Bern', 'Oslo'], 120), 'income': y}).to_csv('people.csv', index=False)\n",
    "docs/constraints.md": TABLE
    + "x = pd.DataFrame(x, columns=['income', 'debt', 'age'])\ny = x['debt'] - x['income'] > 0\n",
    "docs/large-data.md": TABLE
    + """
import pandas
files = ["january.parquet", "february.parquet"]
for file in files:
    pandas.DataFrame({"a": x[:, 0], "b": x[:, 1], "class": y}).to_parquet(file)
""",
}
ENGINES = ("docs/distributed.md", "docs/ray.md", "docs/spark.md")  # need a cluster; test_mpi.py, test_dask.py, test_ray.py and test_spark.py train on one


def blocks(page, *languages):
    """The blocks of code of a page, by language, without the indentation of a list."""
    for indent, language, code in BLOCK.findall((ROOT / page).read_text()):
        if language in languages:
            code = re.sub(f"^{indent}", "", code, flags=re.MULTILINE)
            for long, short in SMALLER.items():
                code = code.replace(long, short)
            yield language, code


def pages_with(language):
    names = [path.relative_to(ROOT).as_posix() for path in DOCUMENTS if not path.is_relative_to(ROOT / "bindings")]
    return [name for name in names if any(blocks(name, language))]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("page", [page for page in pages_with("python") if page not in ENGINES])
def test_python_runs(page, tmp_path, monkeypatch):
    """The blocks of a page build on one another. A block of text right after one has what it prints."""
    monkeypatch.chdir(tmp_path)
    Path("testdata").symlink_to(ROOT / "testdata")
    names = {"__name__": page}
    exec(GIVEN.get(page, ""), names)
    printed = None
    for language, code in blocks(page, "python", "text", "go", "c", "cpp", "sh"):
        if language == "text":
            assert printed in (None, code)
        if language != "python":
            printed = None
            continue
        if "import optuna" in code:
            pytest.importorskip("optuna")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(code, page, "exec"), names)
        printed = out.getvalue()


@pytest.mark.parametrize("page", ENGINES)
def test_python_compiles(page):
    for _, code in blocks(page, "python"):
        compile(code, page, "exec")


@pytest.fixture
def command(tmp_path, monkeypatch):
    """A folder with the files that the pages name, and the command on the path."""
    assert (ROOT / "bin/aoso").exists(), "bin/aoso is missing: run make build"
    monkeypatch.chdir(tmp_path)
    Path("testdata").symlink_to(ROOT / "testdata")
    os.sched_setaffinity(0, {min(cores := os.sched_getaffinity(0))})  # many short commands: one thread each
    Path("letters").mkdir()
    Path("programs").mkdir()
    Path("programs/dot").write_text("#!/bin/sh\ncat\n")  # Graphviz
    Path("programs/dot").chmod(0o777)
    monkeypatch.setenv("PATH", f"{ROOT / 'bin'}:{tmp_path / 'programs'}:{os.environ['PATH']}")
    with gzip.open(ROOT / "testdata/letter.csv.gz", "rt") as file:
        head = next(file).replace("letter", "class")
        rows = [line for line in file if line[-2] in "ABD"]
    for name, some in {"train": rows[:150], "valid": rows[150:250], "test": rows[250:350], "new": rows[350:370]}.items():
        Path(f"{name}.csv").write_text(head + "".join(some))
        Path(f"{name}.csv.gz").write_bytes(gzip.compress(Path(f"{name}.csv").read_bytes()))
    for month in ("january.csv", "february.csv", "february.csv.gz"):
        Path(month).write_text(Path("train.csv").read_text())
    Path("people.csv").write_text("id,zip,job,income\n" + "".join(f"{i},{i % 3},{'ab'[i % 2]},{'xyz'[i % 3]}\n" for i in range(60)))
    Path("loans.csv").write_text("income,debt,class\n" + "".join(f"{i % 7},{i % 5},{'yes' if i % 7 > i % 5 else 'no'}\n" for i in range(60)))
    Path("votes.csv").write_text("weight,length,tabby,siamese,other\n" + "".join(f"{i % 7},{i % 5},{i % 7 / 10},{1 - i % 7 / 10:.1f},0\n" for i in range(60)))
    Path("costs.csv").write_text("class,A,B,ask\nA,0,1,0.2\nB,1,0,0.2\nD,1,1,0.2\n")
    for name in ("letters", "a", "b"):
        train = ["aoso", "train", "--quiet", "--data", "train.csv", "--model", f"{name}.aoso", "--n-estimators", "5"]
        subprocess.run(train, check=True, capture_output=True)
    yield
    os.sched_setaffinity(0, cores)


def commands(page):
    """Lines that begin with aoso, and those that make the files for them."""
    return [line for _, code in blocks(page, "sh") for line in code.splitlines() if re.match("aoso |zcat ", line)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("page", [page for page in pages_with("sh") if commands(page)])
def test_the_command_runs(page, command):
    for line in commands(page):
        ended = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
        assert ended.returncode == 0, f"{line}\n{ended.stderr}"


def anchors(document):
    """The anchors that GitHub gives to headings."""
    names = set()
    text = BLOCK.sub("", document.read_text())
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        number = 1
        while name in names:
            name, number = f"{name.rpartition('-')[0] if number > 1 else name}-{number}", number + 1
        names.add(name)
    return names


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document):
    for target, anchor in re.findall(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)", BLOCK.sub("", document.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        to = (document.parent / target).resolve() if target else document
        assert to.exists(), f"there is no {target}"
        if anchor and to.suffix == ".md":
            assert anchor in anchors(to), f"{target} has no heading #{anchor}"
