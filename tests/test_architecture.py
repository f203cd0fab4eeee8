"""The picture of the rooms is the tree: ``docs/architecture.md`` names each room once, and no other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOMS = {path.parent.name for path in (ROOT / "proxy").glob("*/__init__.py")}


def test_the_table_has_every_room_and_no_other() -> None:
    """One row each, in the order of the contract."""
    listed = re.findall(r"^\| `(\w+)/` \|", DOCUMENT, flags=re.MULTILINE)

    assert sorted(listed) == sorted(ROOMS)


def test_the_picture_has_every_room_and_no_other() -> None:
    """The arrows go from the room that imports to the one below it."""
    picture = DOCUMENT.split("flowchart TB\n")[1].split("```")[0]
    drawn = set(re.findall(r"\b[a-z]+\b", re.sub(r"\[\[.*?\]\]", "", picture)))

    assert drawn - {"sanitizers"} == ROOMS


def test_the_contract_has_every_room() -> None:
    """Its order is the picture's."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    [rooms] = [one for one in contracts["contracts"] if one["type"] == "layers"]
    names = [name for layer in rooms["layers"] for name in layer.split(" | ")]

    assert sorted(names) == sorted(ROOMS)
    assert len(rooms["layers"]) <= 14
    assert rooms["exhaustive"]
    assert "ignore_imports" not in rooms


def test_nothing_but_rooms_lies_in_the_package() -> None:
    """Three files stand beside them."""
    files = {path.name for path in (ROOT / "proxy").iterdir() if path.is_file()}

    assert files == {"__init__.py", "__main__.py", "py.typed"}


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:proxy|sanitizers)/[\w/.]+)`", DOCUMENT))))
def test_a_file_that_is_named_is_there(path: str) -> None:
    """The answers of "Where to look" do not grow old."""
    assert (ROOT / path).exists()


@pytest.mark.parametrize("room", sorted(ROOMS - {"emulator"}))
def test_a_room_lists_its_files(room: str) -> None:
    """Each file and folder of it stands in the room's docstring."""
    directory = ROOT / "proxy" / room
    words = set(re.findall(r"\w+", (directory / "__init__.py").read_text(encoding="utf-8")))
    files = {path.stem for path in directory.glob("*.py")} | {
        path.parent.name for path in directory.glob("*/__init__.py")
    }

    assert files - {"__init__"} - words == set()
