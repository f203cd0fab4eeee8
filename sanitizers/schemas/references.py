"""Find the targets of a schema's references, and the targets that lead back to themselves.

A remote reference is never fetched. Pointers go through lists too: zod refers to ``#/properties/a/anyOf/0``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Target = Mapping[str, Any] | bool

_MAX_STEPS = 100_000
"""The most steps of searching a schema for references. Each value takes a step, and a large value more."""

_ENTRIES_A_STEP = 8
"""Entries of a list or an object that one step reads."""

_POINTER_A_STEP = 64
"""Characters of a pointer that one step follows."""

_ENCODED = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]")


class References:
    """The references of one schema, *root*."""

    def __init__(self, root: Mapping[str, Any], count: Callable[[int], None]) -> None:
        self._root = root
        self._count = count
        self._named: dict[str, Mapping[str, Any]] | None = None
        self._recursive: dict[tuple[int, bool], bool] = {}
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._steps = 0

    def find(self, reference: str) -> Target | None:
        """Return the target of *reference* within the schema, or None where *reference* does not name a schema."""
        self._count(len(reference) // _POINTER_A_STEP)
        if reference == "#" or reference.startswith("#/"):
            return _at(self._root, reference[1:])
        if self._named is None:
            self._named = dict(_named(self._root))
        return self._named.get(reference.removeprefix("#"))

    def is_recursive(self, target: Target, *, strictly: bool) -> bool:
        """Tell whether *target* leads back to itself.

        *strictly* follows required properties alone. After :data:`_MAX_STEPS` steps of searching, every further target
        counts as recursive.
        """
        key = (id(target), strictly)
        if key not in self._recursive:
            self._recursive[key] = self._leads_back(target, strictly)
        return self._recursive[key]

    def name_of(self, reference: str, target: Target) -> str:
        """Return the name of *target* among the definitions, the same one for every reference."""
        key = id(target)
        if key not in self._names:
            last = _decoded(reference.rpartition("/")[2])
            name = wanted = _UNFIT.sub("_", last.lstrip("#")) or "root"
            number = self._numbers.get(wanted, 1)  # all numbers before it are taken
            while name in self._taken:
                number += 1
                name = f"{wanted}_{number}"
            self._numbers[wanted] = number
            self._taken.add(name)
            self._names[key] = name
        return self._names[key]

    def _leads_back(self, target: Target, strictly: bool) -> bool:
        seen: set[int] = set()
        waiting: list[Any] = [target]
        while waiting:
            node = waiting.pop()
            is_large = isinstance(node, Mapping | list)
            self._steps += 1 + (len(node) // _ENTRIES_A_STEP if is_large else 0)
            if self._steps > _MAX_STEPS:
                return True  # treat it as recursive: a thousand definitions in a ring took seconds
            if isinstance(node, Mapping):
                found = self.find(node["$ref"]) if isinstance(node.get("$ref"), str) else None
                if found is target:
                    return True
                if found is not None and id(found) not in seen:
                    seen.add(id(found))
                    waiting.append(found)
                waiting += _within(node, strictly)
            elif isinstance(node, list):
                waiting += node
        return False


def _within(node: Mapping[str, Any], strictly: bool) -> Iterator[Any]:
    required = node.get("required")
    required = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    for keyword, value in node.items():
        if keyword in ("$defs", "definitions"):
            continue
        if keyword == "properties" and isinstance(value, Mapping):
            yield from (child for name, child in value.items() if not strictly or name in required)
        elif isinstance(value, Mapping | list):
            yield value


def _at(root: Any, pointer: str) -> Target | None:
    found = root
    for part in pointer.split("/")[1:]:
        found = _step(found, part)
        if found is None:
            return None
    return found if isinstance(found, Mapping | bool) else None


def _step(holder: Any, part: str) -> Any:
    for key in dict.fromkeys((part, _decoded(part))):
        key = key.replace("~1", "/").replace("~0", "~")
        if isinstance(holder, Mapping) and key in holder:
            return holder[key]
        if (
            isinstance(holder, list)
            and key.isascii()
            and key.isdigit()
            and len(key) < 7
            and int(key) < len(holder)
        ):
            return holder[int(key)]
    return None


def _decoded(part: str) -> str:
    """Return *part* with its percent signs decoded: some generators write ``List%3CItem%3E``."""
    return _ENCODED.sub(
        lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"), part
    )


def _named(root: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and the schema of each ``$anchor``, and of each ``$id``, which TypeBox uses like an anchor."""
    waiting: list[Any] = [root]
    found: list[tuple[str, Mapping[str, Any]]] = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            found += [
                (name.removeprefix("#"), node)
                for name in (node.get("$anchor"), node.get("$id"))
                if isinstance(name, str)
            ]
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    yield from found
