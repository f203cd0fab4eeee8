"""Parses the file's text as YAML, and refuses mistakes that YAML accepts silently.

A key given twice in one mapping is a fault (PyYAML keeps the last). A fault names the line where the line is known. A
fault holds no value of the file, while PyYAML's own messages quote the text. No YAML tag can build an arbitrary Python
object. Every text gives a value or faults, never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import yaml

from proxy.config.faults import Fault, Location, path_of

_Loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader

# The part of a message that quotes only YAML's own marks, as in: did not find expected ',' or ']'.
_UNQUOTED = re.compile(r"""(?:[^'"]|'[],}:?-]')*""")

MAX_NESTING = 50
"""The most levels of nesting in a file.

A configuration needs six. The limit exists since PyYAML and libyaml recurse.
"""


class Document(NamedTuple):
    """The value of a file and its faults. *lines* holds the line of each key and each entry, from 1, by its path."""

    value: object
    faults: tuple[Fault, ...] = ()
    lines: Mapping[str, int] = {}


def read_yaml(text: bytes) -> Document:
    """Return the one document of *text* (UTF-8, with or without a byte order mark), or its faults.

    The value is None for an empty document, and where the text is not YAML.
    """
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line_start = text.rfind(b"\n", 0, error.start) + 1
        line = text.count(b"\n", 0, error.start) + 1
        return Document(
            None, (Fault("", f"is not UTF-8 (line {line}, column {error.start - line_start + 1})"),)
        )
    try:
        _refuse_deep_nesting(decoded)
        loader = _Loader(decoded)
        try:
            node = loader.get_single_node()
            if node is None:
                return Document(None)
            lines: dict[str, int] = {}
            duplicates = tuple(_duplicate_keys(node, lines))
            value = loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        return Document(None, (Fault("", f"is not valid YAML: {_problem(error)}{_place(error)}"),))
    except yaml.YAMLError:
        return Document(
            None, (Fault("", "is not valid YAML: it holds a character that YAML does not allow"),)
        )
    except (ValueError, OverflowError, TypeError, AttributeError, LookupError):
        # PyYAML lets int(), float() and date() raise for a scalar that only looks like one: 2024-13-45.
        return Document(
            None, (Fault("", "is not valid YAML: a number or a date is out of range; put it in quotes"),)
        )
    except _NestedTooDeep as error:
        return Document(None, (Fault("", f"nests more than {MAX_NESTING} levels deep (line {error.line})"),))
    return Document(value, duplicates, lines)


class _NestedTooDeep(Exception):
    def __init__(self, line: int):
        super().__init__()
        self.line = line


def _refuse_deep_nesting(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_NESTING:
                mark = event.start_mark
                raise _NestedTooDeep(mark.line + 1 if mark is not None else 0)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _duplicate_keys(root: yaml.Node, lines: dict[str, int]) -> Iterator[Fault]:
    """Yield a fault for each key given twice, and write the line of each key and entry into *lines*.

    Each node is visited once, since an alias may make a node contain itself.
    """
    waiting: list[tuple[Location, yaml.Node]] = [((), root)]
    seen: set[int] = set()
    while waiting:
        location, node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        below: list[tuple[Location, yaml.Node]] = []
        if isinstance(node, yaml.SequenceNode):
            below = [((*location, index), item) for index, item in enumerate(node.value)]
            lines.update((path_of(place), item.start_mark.line + 1) for place, item in below)
        elif isinstance(node, yaml.MappingNode):
            first_lines: dict[tuple[str, str], int] = {}
            for key, value in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    continue
                place, line = (*location, key.value), key.start_mark.line + 1
                lines.setdefault(path_of(place), line)
                identity = (key.tag, key.value)
                if identity in first_lines:
                    yield Fault(path_of(place), f"is given twice (lines {first_lines[identity]} and {line})")
                first_lines.setdefault(identity, line)
                below.append((place, value))
        waiting.extend(reversed(below))  # in the file's order, so that an anchor's keys have their own place


def _problem(error: yaml.MarkedYAMLError) -> str:
    """Return PyYAML's message up to its first quotation, which may be a secret in the file's text."""
    problem = error.problem or ""
    if problem.startswith("but "):
        problem = f"{error.context or 'it'} {problem}"
    match = _UNQUOTED.match(problem)
    return (match[0].strip() if match else "") or "it cannot be read"


def _place(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    return f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""
