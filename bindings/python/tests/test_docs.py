"""What the documents say is so."""

import inspect
import re
from pathlib import Path

import pytest

import aoso
from aoso import callback, plotting
from aoso.training import ALIASES

HERE = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", ["README.md", "docs/migration.md", "docs/parameters.md"])
def test_python_blocks_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (HERE / name).read_text(), re.DOTALL)
    exec(compile("\n".join(blocks), name, "exec"), {"__name__": name})


def test_links_lead_somewhere():
    for document in (HERE / "README.md", *(HERE / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#]+)", document.read_text()):
            assert link.startswith("http") or (document.parent / link).exists(), f"{document.name}: {link}"


def test_the_parameter_table_is_complete():
    """One row a parameter: ours, the classifier's, and what the others call it, as the errors say."""
    table = (HERE / "docs/parameters.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| ")][1:]
    ours = {row[0].strip("`"): row for row in rows}
    constructor = inspect.signature(aoso.AOSOClassifier).parameters
    with pytest.raises(ValueError) as error:
        aoso.train({"no_such_parameter": 1}, aoso.Dataset([[1], [2]], [0, 1]))
    library = set(str(error.value).split("allowed: ")[1].split(", ")) - {"level"}
    assert library <= set(ours)
    assert {row[1].strip("`") for row in rows if row[1] and " " not in row[1]} == set(constructor)
    for name, aliases in ALIASES.items():
        others = re.findall(r"`(\w+)`", " ".join(ours[name][3:]))
        assert set(aliases.split()) <= set(others) | {name}, name


@pytest.mark.parametrize("module", [aoso, aoso.errors, callback, plotting], ids=lambda module: module.__name__)
def test_everything_public_has_a_docstring(module):
    for name in module.__all__:
        thing = getattr(module, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                assert member.startswith("_") or not callable(value) or inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize(
    "thing",
    [aoso.Dataset, aoso.AOSOClassifier, aoso.train, aoso.cv, aoso.suggest_params, aoso.AOSOClassifier.fit],
    ids=lambda thing: thing.__qualname__,
)
def test_every_argument_is_explained(thing):
    text = inspect.getdoc(thing)
    section = text.split("Parameters\n----------\n")[1]
    explained = [
        name.strip("* ")
        for line in re.findall(r"^(\w[\w, ]*|\*\*\w+)(?: : .*)?$", section, re.MULTILINE)
        for name in line.split(",")
    ]
    for name in inspect.signature(thing).parameters:
        assert name == "self" or name in explained, name
