"""One flat name for each tool, whether it stands in a namespace or not.

Chat has no namespaces, and clients run exact pairs of namespace and name only. So a name is restored by a table and
never by a separator (codex#33263, CLIProxyAPI#4850).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import TypeAlias

from sanitizers.tool_names import spell_legal

ToolKey: TypeAlias = tuple[str | None, str]
"""The namespace of a tool, or None, and its name."""

RESERVED_NAMESPACE = "functions"
"""OpenAI's namespace of the tools that stand in none. Calls may leave it out."""

_LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LONGEST = 64


def key_of(name: str, namespace: str | None) -> ToolKey:
    """Return the key of a tool. The reserved namespace, and an empty one, count as none."""
    return (None if namespace in (None, "", RESERVED_NAMESPACE) else namespace), name


_CLIENT = "\0client"
"""Stands in place of a namespace for the tools that are known by their type."""


def client_key(kind: str) -> ToolKey:
    """Return the key of a tool of ``CLIENT_TOOLS``, which a function of the same name does not have."""
    return _CLIENT, kind


def choose_flat_names(keys: Iterable[ToolKey]) -> dict[ToolKey, str]:
    """Return a flat name for each of *keys*, all different: at most 64 characters of letters, digits, ``_`` and ``-``.

    A legal name without a namespace stays as it is. A tool of a namespace is named ``namespace__name``, unless that is
    illegal or taken. It then gets a digest of both names.
    """
    listed = list(dict.fromkeys(keys))
    names = {key: key[1] for key in listed if key[0] is None and _is_legal(key[1])}
    taken = set(names.values())
    for key in listed:
        if key not in names:
            names[key] = spell_flat((None, key[1]) if key[0] == _CLIENT else key, taken)
            taken.add(names[key])
    return names


def spell_flat(key: ToolKey, taken: Container[str]) -> str:
    """Return a flat name for *key* that is not among *taken*."""
    namespace, name = key
    plain_length = len(name) + (0 if namespace is None else len(namespace) + 2)
    if plain_length <= _LONGEST:
        plain = name if namespace is None else f"{namespace}__{name}"
        if _is_legal(plain) and plain not in taken:
            return plain
    # The length keeps the pairs of one long text apart: equal seeds would be tried one after the other.
    seed = name if namespace is None else f"{namespace}\0{name}\0{len(namespace)}"
    attempt = 0
    while (flat := spell_legal(seed, attempt)) in taken:
        attempt += 1
    return flat


def _is_legal(name: str) -> bool:
    return len(name) <= _LONGEST and _LEGAL.fullmatch(name) is not None
