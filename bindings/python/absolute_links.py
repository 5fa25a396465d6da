"""Makes the README of the wheel from README.md: links to files of the repository become links to its web page, as package indexes show
the README without these files."""

import os.path
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

FOLDER = "bindings/python"  # of the README, in the repository


class AbsoluteLinks(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        page = f"{metadata['urls']['Repository']}/blob/v{metadata['version']}"

        def absolute(link: re.Match[str]) -> str:
            return f"]({page}/{os.path.normpath(f'{FOLDER}/{link[1]}')}"

        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": re.sub(r"\]\((?!https?:|#)([^)]+)", absolute, text)}
