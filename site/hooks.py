"""What MkDocs does beside rendering docs/: it adds pages from elsewhere in the repository, generates the references, and
mends the links, which are written for GitHub."""

from __future__ import annotations

import json
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "site"))

import reference  # noqa: E402

SOURCE = "https://github.com/libaoso/aoso/blob/main/"
DEMO = ROOT / "build/web"  # the page that trains in the browser, if it was built

# Files of the repository, by their places on the site.
ELSEWHERE = {
    "python.md": "bindings/python/README.md",
    "r.md": "bindings/r/README.md",
    "parameters.md": "bindings/python/docs/parameters.md",
    "migration.md": "bindings/python/docs/migration.md",
    "benchmarks.md": "bench/README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "assets/site.css": "site/assets/site.css",
    **{f"results/{picture.name}": f"bench/results/{picture.name}" for picture in (ROOT / "bench/results").glob("*.png")},
}
PLACES = {path: place for place, path in ELSEWHERE.items()}

FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
TIGHT = re.compile(r"^(?!\s|[-*|#>]|\d+\. )(.*\S.*\n)(?=- |\d+\. )", re.MULTILINE)  # a paragraph, and a list without a blank line
MERMAID = re.compile(r"^```mermaid\n.*?^```$", re.MULTILINE | re.DOTALL)
ROLE = re.compile(r":(?:attr|class|exc|func|meth|mod):<code>[.~]?")
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files, config):
    for place, path in ELSEWHERE.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    pages = {
        "go": subprocess.run(["go", "run", "./tools/reference"], cwd=ROOT, check=True, capture_output=True, text=True).stdout,
        "python": reference.python(ROOT / "bindings/python/src/aoso"),
        "r": reference.r(ROOT / "bindings/r/man"),
        "c": reference.c(ROOT / "capi/include"),
        "cpp": reference.cpp(ROOT / "capi/include"),
    }
    for name, text in pages.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    place = page.file.src_uri
    if place.startswith("reference/"):
        return markdown
    if place == "index.md" and (DEMO / "index.html").exists():
        markdown = markdown.replace("<!-- demo -->", "[Train on your own table, in this browser](demo/index.html){ .md-button }")
    if place.startswith("tutorials/"):
        name = place.removesuffix(".md").rpartition("/")[2]
        markdown = markdown.replace("\n\n", f"\n\n[Download this page as a notebook]({name}.ipynb){{ .md-button }}\n\n", 1)
    markdown = MERMAID.sub(lambda chart: arrows(chart[0]), markdown)
    return outside_code(markdown, lambda text: LINK.sub(lambda link: mended(link, place), TIGHT.sub(r"\1\n", text)))


def on_page_content(html, page, config, files):
    """Roles of Sphinx in docstrings, such as :meth:, are no text."""
    return ROLE.sub("<code>", html) if page.file.src_uri == "reference/python.md" else html


def arrows(chart):
    """A flow chart as a table: the program that draws it would come from another host."""
    names = dict(re.findall(r'(\w+)\["(.*?)"\]', chart))
    lines = ["| from | to |", "|---|---|"]
    for start, end in re.findall(r"^ +(\w+)\S*.*?--> *(\w+)", chart, re.MULTILINE):
        lines.append(f"| {names[start]} | {names[end]} |")
    return "\n".join(lines)


def outside_code(markdown, change):
    """Changes all but the fenced blocks."""
    parts, end = [], 0
    for block in FENCE.finditer(markdown):
        parts += [change(markdown[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, change(markdown[end:])])


def mended(link, place):
    """A link of a page at a place of the site: to another page, or to the repository."""
    target, anchor = link[1], link[2] or ""
    if re.match(r"[a-z]+:", target) or target.endswith(".ipynb") or target.startswith(("demo/", "reference/")):
        return link[0]
    here = ELSEWHERE.get(place, "docs/" + place)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
    if path in ("bindings/python", "bindings/r"):
        path += "/README.md"
    if path in PLACES or path.startswith("docs/"):
        there = PLACES.get(path, path.removeprefix("docs/"))
        return f"]({posixpath.relpath(there, posixpath.dirname(place))}{anchor})"
    if path == "README.md":
        return f"]({posixpath.relpath('index.md', posixpath.dirname(place))}{anchor})"
    if not (ROOT / path).exists():
        raise ValueError(f"{here}: there is no {target}")
    return f"]({SOURCE}{path}{anchor})"


def on_post_build(config):
    site = Path(config["site_dir"])
    for page in (ROOT / "docs/tutorials").glob("*.md"):
        (site / "tutorials" / f"{page.stem}.ipynb").write_text(json.dumps(notebook(page.read_text()), indent=1) + "\n")
    if DEMO.is_dir():
        shutil.copytree(DEMO, site / "demo", dirs_exist_ok=True)
    for name in ("LICENSE", "THIRD_PARTY_NOTICES"):
        shutil.copy(ROOT / name, site / f"{name}.txt")


def notebook(markdown):
    """The page as a notebook, in the format of Jupyter (nbformat 4). Expected outputs become outputs."""
    cells = []
    for number, part in enumerate(re.split(r"```(python|text)\n(.*?)```\n", markdown, flags=re.DOTALL)):
        kind, lines = number % 3, part.strip("\n").splitlines(keepends=True)
        if kind == 1:
            language = part
        elif kind == 0 and lines:
            cells.append({"cell_type": "markdown", "id": f"c{number}", "metadata": {}, "source": lines})
        elif kind == 2 and language == "python":
            cells.append(
                {"cell_type": "code", "id": f"c{number}", "metadata": {}, "execution_count": None, "source": lines, "outputs": []}
            )
        elif kind == 2:
            cells[-1]["outputs"].append({"output_type": "stream", "name": "stdout", "text": lines})
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": python}, "nbformat": 4, "nbformat_minor": 5}
