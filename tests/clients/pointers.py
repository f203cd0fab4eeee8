"""Follows a reference within a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def pointed(root: Mapping[str, Any], reference: str) -> Any:
    """Return the value in *root* at *reference*, which is ``#`` and a JSON pointer.

    Raises :class:`KeyError` if there is none.
    """
    found: Any = root
    for key in reference.split("/")[1:]:
        found = found[key.replace("~1", "/").replace("~0", "~")]
    return found
