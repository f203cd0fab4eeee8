"""Tests that the documents show exactly the pictures that exist, and that every picture is small."""

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
    """The documents show exactly the pictures in ``docs/pictures``, so that a renamed picture leaves no gap."""
    there = set(PICTURES.glob("*"))

    assert shown("README.md")
    assert set().union(*map(shown, SHOWING)) == there


def test_pictures_are_small() -> None:
    """Every picture is smaller than 120 kB, because pictures stay in every clone for ever."""
    assert {path.name for path in PICTURES.glob("*") if path.stat().st_size >= MAX_OCTETS} == set()
