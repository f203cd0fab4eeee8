"""The files of the inspector's page, with their content types and entity tags. The files hold no data of clients.

The files are read once, at the first request. A requested name is looked up among the read files, so no name leads to
another file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

INDEX = "index.html"

_TYPES: Mapping[str, str] = MappingProxyType(
    {
        ".css": "text/css; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".png": "image/png",
        ".svg": "image/svg+xml",
        ".webmanifest": "application/manifest+json",
    }
)
"""The content types that are served, by file suffix. Other files are not served."""


class PageFile(NamedTuple):
    """One file, ready to be sent."""

    content: bytes
    content_type: str
    etag: str


@lru_cache(maxsize=4)
def read_files(directory: Path) -> Mapping[str, PageFile]:
    """Return the files below *directory* whose type is served, by relative path.

    The result is empty where there is no such directory.
    """
    found: dict[str, PageFile] = {}
    for path in sorted(directory.rglob("*")) if directory.is_dir() else ():
        kind = _TYPES.get(path.suffix)
        if kind is not None and path.is_file():
            content = path.read_bytes()
            etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            found[path.relative_to(directory).as_posix()] = PageFile(content, kind, etag)
    return MappingProxyType(found)
