"""The pictures of the documentation: what is shown is there, what is there is shown, and all of it is small."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHOWING = ("README.md", "docs/inspector.md")
PICTURES = ROOT / "docs" / "pictures"
MAX_OCTETS = 120_000


def shown(document: str) -> set[Path]:
    """Return the files that a document shows as pictures."""
    path = ROOT / document
    found: list[str] = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", path.read_text("utf-8"))
    return {(path.parent / one).resolve() for one in found if "://" not in one}


def test_pictures_are_there_and_shown() -> None:
    """A renamed picture would leave a hole on the first screen of the README."""
    there = set(PICTURES.glob("*"))

    assert shown("README.md")
    assert set().union(*map(shown, SHOWING)) == there


def test_pictures_are_small() -> None:
    """They are a part of every clone for ever."""
    assert {path.name for path in PICTURES.glob("*") if path.stat().st_size >= MAX_OCTETS} == set()
