"""Tests lie where their source lies: ``proxy/x/y.py`` has ``tests/proxy/x/test_y.py``, or ``test_y_<aspect>.py``.

What is tested through something larger only is in :data:`WITHOUT_TESTS`, and a test of a whole room is in
:data:`WITHOUT_SOURCE`. Both lists may only become shorter.
"""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("proxy", "sanitizers")
LISTS = Path(__file__).parent / "mirror"

WITHOUT_TESTS = LISTS / "without_tests.txt"
"""Modules that have no test file of their own."""

WITHOUT_SOURCE = LISTS / "without_source.txt"
"""Test files that belong to no single module."""

MOST = {WITHOUT_TESTS: 112, WITHOUT_SOURCE: 7}
"""The lengths of the lists, which are lowered as they shrink."""


def modules() -> set[str]:
    """Return the paths of the modules, without their ends; a package's ``__init__`` stands for the package."""
    found = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            name = path.relative_to(ROOT).with_suffix("")
            found.add(str(name.parent if name.name == "__init__" else name))
    return found


def source_of(test: Path, known: set[str]) -> str | None:
    """Return the module that a test file is named after, the longest one; None where there is none."""
    room = test.relative_to(ROOT / "tests").parent
    words = test.stem.removeprefix("test_").split("_")
    for count in range(len(words), 0, -1):
        name = str(room / "_".join(words[:count]))
        if name in known:
            return name
    return None


def found() -> dict[Path, set[str]]:
    """Return what each list has to hold."""
    known = modules()
    tests = [path for package in PACKAGES for path in (ROOT / "tests" / package).rglob("test_*.py")]
    sources = {path: source_of(path, known) for path in tests}
    rooms = {str(path.parent.relative_to(ROOT / "tests")) for path in tests}
    tested = {name for name in sources.values() if name is not None} | rooms
    untested = {
        name for name in known - tested if (ROOT / f"{name}.py").exists() and not name.endswith("__main__")
    }
    return {
        WITHOUT_TESTS: untested,
        WITHOUT_SOURCE: {str(path.relative_to(ROOT)) for path, name in sources.items() if name is None},
    }


@pytest.mark.parametrize("listed", [WITHOUT_TESTS, WITHOUT_SOURCE], ids=lambda path: path.stem)
def test_exceptions_are_those_that_are_listed(listed: Path) -> None:
    """Neither more nor fewer, so that an entry goes with its reason."""
    assert set(listed.read_text(encoding="utf-8").split()) == found()[listed]


@pytest.mark.parametrize("listed", [WITHOUT_TESTS, WITHOUT_SOURCE], ids=lambda path: path.stem)
def test_exceptions_become_fewer(listed: Path) -> None:
    """A new module has a test file, and a new test file a module. The numbers are lowered as the lists shrink."""
    assert len(listed.read_text(encoding="utf-8").split()) == MOST[listed]
