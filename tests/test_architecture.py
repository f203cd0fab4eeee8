"""The plan of the rooms is the tree: the contract, ``docs/architecture.md`` and the docstrings say the same."""

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

PRIVATE = {
    "proxy/server/app.py": {"_client_max_size"},
    "proxy/server/fast_router.py": {"_match_info"},
    "proxy/upstream/direct/connector.py": {"_get", "_parser", "_release"},
}
"""Private names of aiohttp that are used, by file: each has no public way to the same (3.14.5)."""


def test_the_contract_has_every_room() -> None:
    """It is exhaustive, and it has no exceptions."""
    assert set(ORDER) == ROOMS
    assert len(LAYERS) <= 14
    assert CONTRACT["exhaustive"]
    assert "ignore_imports" not in CONTRACT


def test_the_table_has_the_rooms_in_the_order_of_the_contract() -> None:
    """The emulator, which no other room is above, comes last."""
    listed = re.findall(r"^\| `(\w+)/` \|", DOCUMENT, flags=re.MULTILINE)

    assert set(listed) == ROOMS
    assert [ORDER[room] for room in listed] == sorted(ORDER.values())


def test_every_arrow_of_the_picture_goes_down() -> None:
    """From each layer an arrow leads to the next one."""
    picture = DOCUMENT.split("flowchart TB\n")[1].split("```")[0].replace('[["sanitizers/"]]', "")
    drawn = set[tuple[str, str]]()
    for line in picture.splitlines():
        ends = [part.split(" & ") for part in re.split(r"\s*(?:-->|-\.->)\s*", line.strip())]
        drawn |= {(a, b) for left, right in itertools.pairwise(ends) for a in left for b in right}
    drawn = {(a, b) for a, b in drawn if b != "sanitizers"}
    below = {
        (a, b) for upper, lower in itertools.pairwise(LAYERS) for a in upper for b in lower if b != "emulator"
    }

    assert drawn == below | {("cli", "emulator")}


def test_nothing_but_rooms_lies_in_the_package() -> None:
    """Three files stand beside them."""
    files = {path.name for path in PROXY.iterdir() if path.is_file()}

    assert files == {"__init__.py", "__main__.py", "py.typed"}


@pytest.mark.parametrize("package", ["proxy", "sanitizers", "tests"])
def test_every_folder_of_modules_is_a_package(package: str) -> None:
    """The contracts do not see a folder without ``__init__.py``; a package of nothing is left over."""
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
    """The answers of "Where to look" do not grow old."""
    assert (ROOT / path).exists()


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_room_lists_its_files(room: str) -> None:
    """Each file and folder of it stands in the room's docstring."""
    docstring = ast.get_docstring(ast.parse((PROXY / room / "__init__.py").read_text(encoding="utf-8"))) or ""
    files = {path.stem for path in (PROXY / room).glob("*.py")}
    folders = {path.parent.name for path in (PROXY / room).glob("*/__init__.py")}

    assert (files | folders) - {"__init__"} - set(re.findall(r"\w+", docstring)) == set()


def references() -> Iterator[tuple[str, str]]:
    """Yield the modules that docstrings and comments refer to, with the file."""
    for package in ("proxy", "sanitizers", "tests"):
        for path in (ROOT / package).rglob("*.py"):
            for name in re.findall(
                r":mod:`~?((?:proxy|sanitizers)[\w.]*)`", path.read_text(encoding="utf-8")
            ):
                yield str(path.relative_to(ROOT)), name


def test_a_module_that_is_referred_to_is_there() -> None:
    """A docstring does not lead to a name of yesterday."""
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
    """They are there in the version that is installed: a release that moves them fails here."""
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


def test_builders_of_tests_have_docstrings() -> None:
    assert list(undescribed()) == []
