"""What the documents say is so."""

import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import aoso
from aoso import callback, collective, plotting
from aoso._parameters import ALIASES

HERE = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", ["README.md", "docs/migration.md", "docs/parameters.md"])
def test_python_blocks_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (HERE / name).read_text(), re.DOTALL)
    exec(compile("\n".join(blocks), name, "exec"), {"__name__": name})


def test_the_page_on_tuning_runs():
    """Its blocks build on one another, but for that with Optuna, which few have."""
    text = (HERE.parents[1] / "docs/tuning.md").read_text()
    names = {"__name__": "tuning"}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        if "import optuna" in block:
            pytest.importorskip("optuna")
        exec(compile(block, "docs/tuning.md", "exec"), names)


def test_the_page_on_constraints_runs():
    text = (HERE.parents[1] / "docs/constraints.md").read_text()
    rng = np.random.default_rng(3)
    x = pd.DataFrame(rng.uniform(0, 10, (300, 3)), columns=["income", "debt", "age"])
    names = {"aoso": aoso, "AOSOClassifier": aoso.AOSOClassifier, "x": x, "y": x["debt"] - x["income"] + rng.normal(size=300) > 0}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "docs/constraints.md", "exec"), names)
    assert names["booster"].params["monotone_constraints"] == {"income": -1, "debt": 1}
    for model in (names["booster"], names["model"].booster_):
        for name, sign in (("income", -1), ("debt", 1)):
            rows = x[:40].assign(**{name: np.linspace(0, 10, 40)}).assign(**{other: 5.0 for other in x if other != name})
            assert (sign * np.diff(model.predict_raw(rows)[:, 1]) >= 0).all()


def test_links_lead_somewhere():
    for document in (HERE / "README.md", *(HERE / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#]+)", document.read_text()):
            assert link.startswith("http") or (document.parent / link).exists(), f"{document.name}: {link}"


def rows(document):
    """The rows of the tables in a document, by what is in backquotes in their first cells."""
    table = [line.strip("|").split("|") for line in (HERE / document).read_text().splitlines() if line.startswith("| `")]
    return {re.search(r"`(\w+)`", row[0])[1]: row for row in table}


def test_the_tables_of_parameters_are_complete():
    """Both name each parameter; the second has what the others call it, as the errors say."""
    constructor = set(inspect.signature(aoso.AOSOClassifier).parameters)
    with pytest.raises(ValueError) as error:
        aoso.train({"no_such_parameter": 1}, aoso.Dataset([[1], [2]], [0, 1]))
    library = set(str(error.value).split("allowed: ")[1].split(", "))
    assert library <= set(rows("docs/parameters.md"))
    assert constructor - {"n_jobs", "random_state", "others"} <= set(rows("docs/parameters.md"))
    others = rows("docs/migration.md")
    for name, aliases in ALIASES.items():
        assert set(aliases.split()) <= set(re.findall(r"`(\w+)`", " ".join(others[name]))), name


@pytest.mark.parametrize("module", [aoso, aoso.errors, callback, collective, plotting], ids=lambda module: module.__name__)
def test_everything_public_has_a_docstring(module):
    for name in module.__all__:
        thing = getattr(module, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                assert member.startswith("_") or not callable(value) or inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize(
    "thing",
    [aoso.Dataset, aoso.AOSOClassifier, aoso.train, aoso.tune, aoso.cv, aoso.suggest_params, aoso.AOSOClassifier.fit],
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
