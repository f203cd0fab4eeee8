"""Tests lie where their source lies: ``proxy/x/y.py`` has ``tests/proxy/x/test_y.py``, or ``test_y_<aspect>.py``.

There are no exceptions. A module without code of its own is joined to its user, and a test of a larger behaviour stands
in ``tests/behaviours`` or ``tests/process``.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("proxy", "sanitizers")


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


KNOWN = modules()
TESTS = {
    path: source_of(path, KNOWN)
    for package in PACKAGES
    for path in (ROOT / "tests" / package).rglob("test_*.py")
}
"""The module of each test file, None where there is none."""


def test_every_module_has_a_test_file() -> None:
    """The test file of a package may stand for its ``__init__``."""
    tested = {name for name in TESTS.values() if name is not None}
    untested = {
        name for name in KNOWN - tested if (ROOT / f"{name}.py").exists() and not name.endswith("__main__")
    }

    assert untested == set()


def test_every_test_file_has_a_module() -> None:
    """Its name begins with the module's, and may go on with an aspect."""
    assert [str(path) for path, name in TESTS.items() if name is None] == []
