"""The references of Python, C and C++, as Markdown."""

from __future__ import annotations

import ast
import re
from pathlib import Path

# Modules whose public names are explained; those of the package itself come first.
MODULES = ("callback", "collective", "contributions", "dask", "errors", "mpi", "plotting", "probability", "torch", "training", "tuning")


def public(module: Path) -> list[str]:
    """The names in ``__all__``."""
    for node in ast.parse(module.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


def python(package: Path) -> str:
    """Directives for mkdocstrings: every public name once, in the module where users find it."""
    names = [name for name in public(package / "__init__.py") if name not in MODULES]
    sources = {name: f"aoso.{module.stem}" for module in sorted(package.glob("[a-z]*.py")) for name in public(module)}
    sources |= {"AOSOClassifier": "aoso.sklearn"}
    sources |= {name: "aoso._capi" for name in ("build_info", "export_formats", "version")}
    lines = ["# Python reference", "", "Every public name, from the docstrings. [aoso for Python](../python.md) is the overview.", ""]
    lines += [f"::: {sources[name]}.{name}" for name in names]
    for module in MODULES:
        rest = [name for name in public(package / f"{module}.py") if name not in names]
        if rest:
            lines += ["", f"## aoso.{module} {{ #module-{module} }}", ""]
            lines += [f"::: aoso.{module}.{name}\n    options: {{heading_level: 3}}" for name in rest]
    return "\n".join(lines) + "\n"


def c(include: Path) -> str:
    headers = [include / "aoso.h", *sorted(include.glob("aoso/*.h")), include / "aoso_predict.h"]
    return page("C declarations", "Every declaration of the C headers. [The C API](../c-api.md) explains each function by an example.",
                include, headers, "c")  # fmt: skip


def cpp(include: Path) -> str:
    headers = [include / "aoso.hpp", *sorted(include.glob("aoso/*.hpp"))]
    return page("C++ declarations", "Every declaration of the C++ headers. [The C API](../c-api.md#c) has the overview.",
                include, headers, "cpp")  # fmt: skip


def page(title: str, intro: str, include: Path, headers: list[Path], language: str) -> str:
    lines = [f"# {title}", "", intro, ""]
    for header in headers:
        lines += [f"## {header.relative_to(include)}", "", f"```{language}", declarations(header.read_text()), "```", ""]
    return "\n".join(lines)


def declarations(text: str) -> str:
    """A header without what only compilers need: guards, includes, and the namespace detail."""
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^namespace detail \{.*?^\} // namespace detail\n", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^#(?:ifndef AOSO\w*_HP?P?|define AOSO\w*_HP?P?|include.*|endif.*)\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text).strip()
