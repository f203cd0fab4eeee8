"""Counts the characters that a function reads, as a measure of its cost that is the same on any machine."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def note_lengths(patch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[int]:
    """Return a list that gets the length of each text which *module*'s function *name* is given."""
    lengths: list[int] = []
    function = getattr(module, name)

    def noting(text: str | bytes, *others: Any) -> Any:
        lengths.append(len(text))
        return function(text, *others)

    patch.setattr(module, name, noting)
    return lengths
