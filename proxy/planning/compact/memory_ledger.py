"""Orders the user's words and the facts by importance, and writes them as the ledger, a section of the memory.

A memory has room for the first entries only, so every kind of entry gets its share of each beginning of the order. Half
of the characters are the user's words. The kinds of facts share the other half equally. Room that one kind does not
need goes to the other kinds.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from proxy.planning.compact.fact_rules import Kind
from proxy.planning.compact.find_facts import KINDS, find_facts
from proxy.planning.compact.user_words import find_user_words
from sanitizers.messages import Messages

EntryKind: TypeAlias = Literal["user"] | Kind

_HEADINGS: MappingProxyType[EntryKind, str] = MappingProxyType(
    {
        "user": "The user said, newest first:",
        "command": "Commands that failed:",
        "error": "Errors:",
        "path": "Paths, with the tools that were used on them:",
        "id": "Ids:",
        "address": "Addresses:",
    }
)
"""The heading of each kind, in the order of the ledger."""

_SHARES: MappingProxyType[EntryKind, int] = MappingProxyType({"user": len(KINDS), **dict.fromkeys(KINDS, 1)})
_ON_ONE_LINE = frozenset({"path", "id", "address"})


class Entry(NamedTuple):
    """One entry of the ledger: the user's words, or a fact."""

    kind: EntryKind
    text: str


def order_entries(messages: Messages) -> list[Entry]:
    """Return the user's words and the facts in *messages*, in the order in which they are kept."""
    waiting: dict[EntryKind, list[str]] = {"user": find_user_words(messages)[::-1]}
    for found, facts in find_facts(messages).items():
        waiting[found] = [fact.text for fact in reversed(facts)]
    used: dict[EntryKind, int] = dict.fromkeys(_HEADINGS, 0)
    entries = []
    while any(waiting.values()):
        kind: EntryKind = min(
            filter(waiting.__getitem__, _HEADINGS), key=lambda each: used[each] / _SHARES[each]
        )
        entries.append(Entry(kind, waiting[kind].pop()))
        used[kind] += len(entries[-1].text) + 2
    return entries


def write_ledger(entries: Iterable[Entry]) -> str:
    """Return *entries* as text, with a section for each kind. Within a section, the order of *entries* is kept."""
    texts: dict[EntryKind, list[str]] = {kind: [] for kind in _HEADINGS}
    for entry in entries:
        texts[entry.kind].append(entry.text)
    return "\n".join(_section(kind, of_kind) for kind, of_kind in texts.items() if of_kind)


def _section(kind: EntryKind, texts: list[str]) -> str:
    if kind in _ON_ONE_LINE:
        return f"{_HEADINGS[kind]} {', '.join(texts)}"
    return "\n- ".join([_HEADINGS[kind], *texts])
