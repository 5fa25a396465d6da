"""What the documents say is so."""

import ast
import inspect
import re
from pathlib import Path

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


# Those of aoso.dask, aoso.mpi and aoso.torch need an engine; the source is enough.
SOURCES = sorted((HERE / "src/aoso").glob("[a-z]*.py"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_everything_public_has_a_docstring(source):
    """Public classes, their public methods and properties, and public functions."""
    for thing in ast.parse(source.read_text()).body:
        if not isinstance(thing, (ast.ClassDef, ast.FunctionDef)) or thing.name.startswith("_"):
            continue
        assert ast.get_docstring(thing), thing.name
        for member in thing.body if isinstance(thing, ast.ClassDef) else ():
            explained = {"overload", "setter"} & {name.id if isinstance(name, ast.Name) else getattr(name, "attr", "")
                                                  for name in getattr(member, "decorator_list", ())}  # fmt: skip
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_") and not explained:
                assert ast.get_docstring(member), f"{thing.name}.{member.name}"


@pytest.mark.parametrize("module", [aoso, aoso.errors, callback, collective, plotting], ids=lambda module: module.__name__)
def test_every_public_name_has_a_docstring(module):
    for name in module.__all__:
        assert inspect.getdoc(getattr(module, name)), name


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


def public_functions():
    """The public functions and methods, with their docstrings: those of the class or of a base class count too."""
    classes = {}
    for source in SOURCES:
        tree = ast.parse(source.read_text())
        named = {name for thing in tree.body if isinstance(thing, ast.Assign) and getattr(thing.targets[0], "id", "") == "__all__"
                 for name in ast.literal_eval(thing.value)}  # fmt: skip
        for thing in tree.body:
            if isinstance(thing, ast.ClassDef) and not thing.name.startswith("_"):
                classes[thing.name] = thing
            elif isinstance(thing, ast.FunctionDef) and thing.name in named:
                yield thing.name, thing, ast.get_docstring(thing)
    for name, thing in classes.items():
        bases = [thing, *(classes[base.id] for base in thing.bases if getattr(base, "id", "") in classes)]
        for method in thing.body:
            if not isinstance(method, ast.FunctionDef) or (method.name.startswith("_") and method.name != "__init__"):
                continue
            if method.name == "__init__" and "Parameters\n---" not in ast.get_docstring(thing):
                continue  # the library makes such objects
            texts = [ast.get_docstring(base) for base in bases]
            texts += [ast.get_docstring(same) for base in bases for same in base.body if getattr(same, "name", "") == method.name]
            yield f"{name}.{method.name}", method, "\n".join(text for text in texts if text)


def signature_defaults(function):
    """The defaults of the arguments, as they are written; None: there is none."""
    a = function.args
    positional, keyword = [*a.posonlyargs, *a.args], a.kwonlyargs
    values = [None] * (len(positional) - len(a.defaults)) + a.defaults + a.kw_defaults
    return {argument.arg: value and ast.unparse(value) for argument, value in zip([*positional, *keyword], values)}


def documented_defaults(text, signature):
    """The defaults that the site shows, by the rules of griffe, its parser: the first of {choices}, or what stands behind
    "default", or else that of the first of the names in the signature."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n\w+\n---|\Z)", text, re.MULTILINE | re.DOTALL)
    for names, kind in re.findall(r"^(\w+(?:, \w+)*)(?: : (.+))?$", section[1] if section else "", re.MULTILINE):
        names = names.split(", ")
        if choices := re.match(r"\{(.+)\}", kind):
            shown = choices[1].split(", ", 1)[0]
        elif default := re.match(r".+,\s+default(?: |: |=)(.+)$", kind):
            shown = default[1]
        else:
            shown = next((signature[name] for name in names if name in signature), None)
        yield from ((name, shown) for name in names if name in signature)


def test_the_site_shows_the_defaults_of_the_signatures():
    def value(text):
        return text and ast.literal_eval(text)

    wrong, count = [], 0
    for name, function, text in public_functions():
        if any(getattr(decorator, "id", "") == "overload" for decorator in function.decorator_list):
            continue  # the implementation has the defaults
        if function.name != "__init__":  # which the docstring of the class explains
            text = ast.get_docstring(function) or ""
        signature = signature_defaults(function)
        for argument, shown in documented_defaults(text, signature):
            count += 1
            if (shown is None) != (signature[argument] is None) or value(shown) != value(signature[argument]):
                wrong.append(f"{name}: {argument} is {signature[argument]}; shown: {shown}")
    assert not wrong
    assert count > 200


def test_the_site_explains_every_public_name(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE.parents[1] / "site"))
    import reference

    explained = re.findall(r"^::: [\w.]+\.(\w+)$", reference.python(HERE / "src/aoso"), re.MULTILINE)
    assert set(explained) >= {name for name in aoso.__all__ if not inspect.ismodule(getattr(aoso, name))}


def test_every_argument_is_named():
    """The docstring of each public function and method names all its arguments."""
    count = 0
    for name, function, text in public_functions():
        a = function.args
        for argument in [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]:
            if argument.arg not in ("self", "cls") and not argument.arg.startswith("_"):
                count += 1
                assert re.search(rf"\b{argument.arg}\b", text), f"{name}: {argument.arg}"
    assert count > 250
