"""Tests that the import contract, ``docs/architecture.md`` and the docstrings agree with the folder tree."""

from __future__ import annotations

import ast
import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import BaseConnector, web
from aiohttp.client_proto import ResponseHandler

ROOT = Path(__file__).resolve().parents[1]
PROXY = ROOT / "proxy"
DOCUMENT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOMS = {path.name for path in PROXY.iterdir() if path.is_dir() and path.name != "__pycache__"}

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
[CONTRACT] = [one for one in CONTRACTS["contracts"] if one.get("containers") == ["proxy"]]
LAYERS: list[list[str]] = [layer.split(" | ") for layer in CONTRACT["layers"]]
ORDER = {room: number for number, layer in enumerate(LAYERS) for room in layer}

FOR_THE_COMMAND_LINE = {"conformance", "emulator"}
"""Rooms of the lowest layer that only the command line imports, by a contract of their own."""

PRIVATE = {
    "proxy/server/app.py": {"_client_max_size"},
    "proxy/server/fast_router.py": {"_match_info"},
    "proxy/upstream/direct/connector.py": {"_get", "_parser", "_release"},
}
"""Private names of aiohttp that each file uses; aiohttp 3.14.5 has no public equivalents."""


def test_the_contract_has_every_room() -> None:
    """The import contract has every folder of ``proxy/``, is exhaustive, and has no exceptions."""
    assert set(ORDER) == ROOMS
    assert len(LAYERS) <= 14
    assert CONTRACT["exhaustive"]
    assert "ignore_imports" not in CONTRACT


def test_the_table_has_the_rooms_in_the_order_of_the_contract() -> None:
    """The table in ``docs/architecture.md`` lists all rooms in the order of the contract's layers."""
    listed = re.findall(r"^\| `(\w+)/` \|", DOCUMENT, flags=re.MULTILINE)

    assert set(listed) == ROOMS
    assert [ORDER[room] for room in listed] == sorted(ORDER.values())


def test_every_arrow_of_the_picture_goes_down() -> None:
    """Each room has an arrow to every room of the next layer, and ``cli`` has one to each room that it alone uses."""
    picture = DOCUMENT.split("flowchart TB\n")[1].split("```")[0].replace('[["sanitizers/"]]', "")
    drawn = set[tuple[str, str]]()
    for line in picture.splitlines():
        ends = [part.split(" & ") for part in re.split(r"\s*(?:-->|-\.->)\s*", line.strip())]
        drawn |= {(a, b) for left, right in itertools.pairwise(ends) for a in left for b in right}
    drawn = {(a, b) for a, b in drawn if b != "sanitizers"}
    below = {
        (a, b)
        for upper, lower in itertools.pairwise(LAYERS)
        for a in upper
        for b in lower
        if b not in FOR_THE_COMMAND_LINE
    }

    assert drawn == below | {("cli", room) for room in FOR_THE_COMMAND_LINE}


def test_nothing_but_rooms_lies_in_the_package() -> None:
    """``proxy/`` itself holds only ``__init__.py``, ``__main__.py`` and ``py.typed`` beside its folders."""
    files = {path.name for path in PROXY.iterdir() if path.is_file()}

    assert files == {"__init__.py", "__main__.py", "py.typed"}


@pytest.mark.parametrize("package", ["proxy", "sanitizers", "tests"])
def test_every_folder_of_modules_is_a_package(package: str) -> None:
    """Every folder of modules has an ``__init__.py``, which import contracts need, and no package is empty."""
    folders = {path.parent for path in (ROOT / package).rglob("*.py")} - {ROOT / "tests"}
    allowed = {ROOT / "tests" / "clients" / "python"}  # programs that run in an environment of their own
    empty = {
        folder
        for folder in folders
        if not any(path.name not in ("__init__.py", "__pycache__") for path in folder.iterdir())
    }

    assert {folder for folder in folders if not (folder / "__init__.py").exists()} <= allowed
    assert empty == set()


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:proxy|sanitizers)/[\w/.]+)`", DOCUMENT))))
def test_a_file_that_is_named_is_there(path: str) -> None:
    """Every file or folder that ``docs/architecture.md`` names exists."""
    assert (ROOT / path).exists()


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_room_lists_its_files(room: str) -> None:
    """The docstring of each room names every file and folder of that room."""
    docstring = ast.get_docstring(ast.parse((PROXY / room / "__init__.py").read_text(encoding="utf-8"))) or ""
    files = {path.stem for path in (PROXY / room).glob("*.py")}
    folders = {path.parent.name for path in (PROXY / room).glob("*/__init__.py")}

    assert (files | folders) - {"__init__"} - set(re.findall(r"\w+", docstring)) == set()


def references() -> Iterator[tuple[str, str]]:
    """Yield the modules that files refer to by ``:mod:``, as pairs of file and module name."""
    for package in ("proxy", "sanitizers", "tests"):
        for path in (ROOT / package).rglob("*.py"):
            for name in re.findall(
                r":mod:`~?((?:proxy|sanitizers)[\w.]*)`", path.read_text(encoding="utf-8")
            ):
                yield str(path.relative_to(ROOT)), name


def test_a_module_that_is_referred_to_is_there() -> None:
    """Every module that a docstring refers to exists."""
    missing = {
        (path, name)
        for path, name in references()
        if not (ROOT / name.replace(".", "/")).is_dir()
        and not (ROOT / f"{name.replace('.', '/')}.py").exists()
    }

    assert missing == set()


def private_names(path: Path) -> set[str]:
    """Return the private names of other objects that a file uses."""
    source = path.read_text(encoding="utf-8")
    if "aiohttp" not in source:
        return set()
    return {
        node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and re.fullmatch(r"_[a-z]\w*", node.attr)
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "os"))
    }


def test_private_names_of_aiohttp_are_those_that_are_listed() -> None:
    """The listed private names are those in use, and the installed aiohttp has all of them."""
    used = {str(path.relative_to(ROOT)): private_names(path) for path in PROXY.rglob("*.py")}
    owners = (web.Application(), web.Request, BaseConnector, ResponseHandler)
    missing = {
        name for names in PRIVATE.values() for name in names if not any(hasattr(o, name) for o in owners)
    }

    assert {path: names for path, names in used.items() if names} == PRIVATE
    assert missing == set()


def undescribed() -> Iterator[str]:
    """Yield the public functions of ``tests/`` that are no tests and have no docstring."""
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith(
                ("_", "test_")
            ):
                continue
            if ast.get_docstring(node) is None:
                yield f"{path.name}:{node.lineno} {node.name}"


@pytest.mark.long
def test_builders_of_tests_have_docstrings() -> None:
    assert list(undescribed()) == []
