"""The references of Python, R, C and C++, as Markdown."""

from __future__ import annotations

import ast
import re
from pathlib import Path

# Modules whose public names are explained; those of the package itself come first.
MODULES = ("callback", "codes", "collective", "confusion", "contributions", "dask", "errors", "mpi", "plotting", "probability", "ray", "spark", "suspicious", "tcp", "torch", "training", "tuning")


def public(module: Path) -> list[str]:
    """The names in ``__all__``."""
    for node in ast.parse(module.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


def python(package: Path) -> str:
    """Directives for mkdocstrings: every public name once, in the module where users find it."""
    names = [name for name in public(package / "__init__.py") if name not in MODULES]
    imports = [node for node in ast.walk(ast.parse((package / "__init__.py").read_text())) if isinstance(node, ast.ImportFrom)]
    sources = {alias.name: f"aoso.{node.module}" for node in imports for alias in node.names}
    lines = ["# Python reference", "", "Every public name, from the docstrings. [aoso for Python](../python.md) is the overview.", ""]
    lines += [f"::: {sources[name]}.{name}" for name in names]
    for module in MODULES:
        rest = [name for name in public(package / f"{module}.py") if name not in names]
        if rest:
            lines += ["", f"## aoso.{module} {{ #module-{module} }}", ""]
            lines += [f"::: aoso.{module}.{name}\n    options: {{heading_level: 3}}" for name in rest]
    return "\n".join(lines) + "\n"


# Help pages in the order of a reader; others follow.
HELP = ("aoso", "predict.aoso", "summary.aoso")


def r(man: Path) -> str:
    """The help pages of R."""
    pages = sorted(man.glob("[a-z]*.Rd"), key=lambda page: (HELP.index(page.stem) if page.stem in HELP else len(HELP), page.stem))
    texts = [help_page(page.read_text()) for page in pages if page.stem != "aoso-package"]
    return "\n\n".join(["# R reference", "Every function, from the help pages. [aoso for R](../r.md) is the overview.", *texts]) + "\n"


def help_page(rd: str) -> str:
    """A help page as Markdown."""
    parts = {name: text for name, text in commands(rd)}
    usage = re.sub(r"\\method\{(\w+)\}\{([\w.]+)\}\(", r"\1(", parts.get("usage", "")).replace("\\dots", "...")
    usage = re.sub(r"\n{3,}", "\n\n", usage).strip()
    lines = [f"## {parts['name']}", f"**{parts['title']}.** {prose(parts['description'])}"]
    lines += [f"```r\n{usage}\n```"] if usage else []
    lines += [prose(parts["arguments"])] if "arguments" in parts else []
    lines += [f"**{name.title()}**\n\n{prose(parts[name])}" for name in ("details", "value") if name in parts]
    lines += [f"**Example**\n\n```r\n{parts['examples'].strip()}\n```"]
    return "\n\n".join(lines)


def commands(rd: str):
    """The commands of the outermost level with their arguments; those of \\item have two."""
    at = 0
    while start := re.compile(r"\\([a-zA-Z]+)\{").search(rd, at):
        argument, at = braces(rd, start.end())
        yield start[1], argument


def braces(text: str, start: int) -> tuple[str, int]:
    """What stands before the brace that closes the one just before start, and the place behind it."""
    depth, at = 1, start
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 2 if text[at] == "\\" else 1
    return text[start : at - 1], at


def prose(rd: str) -> str:
    """Paragraphs and lists."""
    out, at = "", 0
    while item := re.compile(r"\\(item|describe)\{").search(rd, at):
        out += plain(rd[at : item.start()])
        argument, at = braces(rd, item.end())
        if item[1] == "describe":
            out += "\n\n" + prose(argument) + "\n\n"
            continue
        text, at = braces(rd, at + 1)
        names = ", ".join(f"`{name.strip()}`" for name in re.sub(r"\\code\{([^}]*)\}", r"\1", argument).replace("\\dots", "...").split(","))
        out += f"\n\n- {names}: {plain(text)}".rstrip()
    return re.sub(r" *\n *", "\n", out + plain(rd[at:])).strip()


def plain(rd: str) -> str:
    """Text without commands that contain text."""
    rd = re.sub(r"\n[ \t]+", "\n", rd.replace("\\dots", "..."))
    rd = re.sub(r"\\doi\{([^}]*)\}", r"[doi:\1](https://doi.org/\1)", rd)
    rd = re.sub(r"\\url\{([^}]*)\}", r"<\1>", rd)
    rd = re.sub(r"\\code\{\\link\{([^}]*)\}\}", r"`\1`", rd)
    rd = re.sub(r"\\code\{([^}]*)\}", r"`\1`", rd)
    rd = re.sub(r"\\(?:emph|pkg)\{([^}]*)\}", r"*\1*", rd)
    rd = re.sub(r"\\bold\{([^}]*)\}", r"**\1**", rd)
    return re.sub(r"(?<!\n)\n(?!\n)", " ", rd)


def c(include: Path) -> str:
    headers = [include / "aoso.h", *sorted(include.glob("aoso/*.h")), include / "aoso_predict.h", include / "aoso_ffi.h"]
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


# A function with a body of several lines, and the private part of a class.
BODY = re.compile(
    r"^( *)((?!(?:class|enum|extern|for|if|namespace|struct|typedef|union)\b)\S(?:[^\n{};]|\{\})*(?:\n(?:[^\n{};]|\{\})+){0,4}) \{\n(?:(?!\1\}).*\n)*\1\}\n",
    re.MULTILINE,
)
PRIVATE = re.compile(r"^\n?private:\n(?:.*\n)*?(?=\};)", re.MULTILINE)


def declarations(text: str) -> str:
    """A header without what only compilers need: guards, includes, bodies of several lines, private parts, the namespace detail."""
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.DOTALL)
    text = re.sub(r"#if defined\(__GNUC__\)\n.*?#endif\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^namespace detail \{.*?^\} // namespace detail\n", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^#(?:ifndef AOSO\w*_HP?P?|define AOSO\w*_HP?P?|include.*|endif.*)\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", BODY.sub(r"\1\2;\n", PRIVATE.sub("", text))).strip()
