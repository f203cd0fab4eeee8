"""The characters that a function reads, which stand for the cost of a large text on any machine."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def note_lengths(patch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[int]:
    """Let *module*'s function *name* note the length of each text that it is given. Return the notes."""
    lengths: list[int] = []
    function = getattr(module, name)

    def noting(text: str | bytes, *others: Any) -> Any:
        lengths.append(len(text))
        return function(text, *others)

    patch.setattr(module, name, noting)
    return lengths
