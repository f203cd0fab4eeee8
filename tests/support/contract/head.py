"""Judges the fields that an answer and each chunk begin with, which stay the same in all chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def judge_head(value: Mapping[str, Any], kind: str, notes: list[str]) -> None:
    """Note wrong values of the fields that every chunk and every whole answer begins with."""
    if value.get("object") != kind:
        notes.append(f"object: is {value.get('object')!r}")
    for name in ("id", "model"):
        if not isinstance(value.get(name), str) or not value[name]:
            notes.append(f"{name}: is {value.get(name)!r}")
    created = value.get("created")
    if type(created) is not int or created <= 0:
        notes.append(f"created: is {created!r}")


def judge_same(chunks: list[dict[str, Any]], notes: list[str]) -> None:
    """Note each of the fields `id`, `created` and `model` that is not the same in all chunks."""
    for name in ("id", "created", "model"):
        if len({repr(chunk.get(name)) for chunk in chunks}) > 1:
            notes.append(f"{name}: is not the same in all chunks")
