"""Tests that ``proxy/x/y.py`` has a test file ``tests/proxy/x/test_y.py`` or ``test_y_<aspect>.py``.

Only ``__main__`` modules and the ``__init__`` files of packages need no test file. A module without testable code is
merged into the module that uses it. A test of a larger behaviour stands in ``tests/behaviours`` or ``tests/process``.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("proxy", "sanitizers")


def modules() -> set[str]:
    """Return the paths of the modules without suffixes; a package's ``__init__`` counts as the package."""
    found = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            name = path.relative_to(ROOT).with_suffix("")
            found.add(str(name.parent if name.name == "__init__" else name))
    return found


def source_of(test: Path, known: set[str]) -> str | None:
    """Return the module with the longest name that a test file's name begins with, or None."""
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
    """Every module has a test file, except ``__main__`` modules and the ``__init__`` files of packages."""
    tested = {name for name in TESTS.values() if name is not None}
    untested = {
        name for name in KNOWN - tested if (ROOT / f"{name}.py").exists() and not name.endswith("__main__")
    }

    assert untested == set()


def test_every_test_file_has_a_module() -> None:
    """The name of every test file begins with that of a module, and may end with an aspect."""
    assert [str(path) for path, name in TESTS.items() if name is None] == []
