"""How the modules of the package import each other."""

import ast
import graphlib
from pathlib import Path

import aoso


def imported(source):
    """The modules of the package that a source imports anywhere, also for types only."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from [node.module] if node.module else (alias.name for alias in node.names)


def test_modules_do_not_import_each_other_in_a_circle():
    files = Path(aoso.__file__).parent.glob("[!_]*.py"), Path(aoso.__file__).parent.glob("_[!_]*.py")
    imports = {file.stem: set(imported(file.read_text())) for some in files for file in some}
    assert imports["training"] >= {"booster", "callback", "dataset"}
    graphlib.TopologicalSorter(imports).prepare()
