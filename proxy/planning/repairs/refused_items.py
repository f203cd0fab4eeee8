"""Repairs items of a Responses request by the words of the provider that has refused them.

What can be seen in the items is mended before they are sent (:mod:`sanitizers.native.responses.mend`). These refusals
are about what the provider alone knows: the ids of its stored items, and the thought that an item came with. Each later
turn of the conversation would be refused as well (codex#1227).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from proxy.core.source import ResponsesRequest
from proxy.planning.plan import Plan
from proxy.planning.repairs.sent_items import with_sent_items
from proxy.resilience.read_error import ProviderError
from sanitizers.changes import Kind
from sanitizers.native import Items
from sanitizers.native.responses.changed_items import part_from_thought, without_id
from sanitizers.native.responses.mend import drop_items
from sanitizers.native.responses.violations import CLIENT_ITEMS, is_client_message
from sanitizers.work_limit import metered

_MAX_FOUND = 64
"""The most items that one refusal names."""


class _Fix(NamedTuple):
    """The change of one item, with its index among the items that were sent."""

    at: int
    kind: Kind
    reason: str


class _Rule(NamedTuple):
    """The words of a refusal, in lower case, and what follows from them.

    *find* returns the fixes for the items that the words name: by their ids, or by their places in ``input``.
    """

    words: re.Pattern[str]
    find: Callable[[Items, list[int]], Iterator[_Fix]]


def _drop_thought(items: Items, named: list[int]) -> Iterator[_Fix]:
    for index in named:
        if items[index].get("type") == "reasoning":
            yield _Fix(index, "dropped", "reasoning_alone")


def _part_from_thoughts(items: Items, named: list[int]) -> Iterator[_Fix]:
    """Yield the fixes of all turns without a thought. Each of their items would be refused for the same reason.

    A message of the client's may have the id of the model's.
    """
    if not named:
        return
    places = set(named)
    has_thought = False
    for index, item in enumerate(metered(items)):
        kind = item.get("type")
        if kind == "reasoning":
            has_thought = True
            continue
        is_of_client = kind in CLIENT_ITEMS or is_client_message(item)
        if is_of_client:
            has_thought = False
        if index in places or not (has_thought or is_of_client):
            parted = part_from_thought(item)
            if parted is not item:
                yield _Fix(index, "dropped" if parted is None else "replaced", "item_of_reasoning")


def _drop_repeated(items: Items, named: list[int]) -> Iterator[_Fix]:
    for index in named[1:]:
        yield _Fix(index, "replaced", "item_id_repeated")


def _drop_unknown(items: Items, named: list[int]) -> Iterator[_Fix]:
    """Yield the fixes of items that the provider has not stored. An encrypted one is whole without its id."""
    for index in named:
        item = items[index]
        is_reference = item.get("type") in ("item_reference", "reasoning", None) and "role" not in item
        is_lost = is_reference and not item.get("encrypted_content")
        yield _Fix(index, "dropped" if is_lost else "replaced", "item_unknown")


def _drop_id(items: Items, named: list[int]) -> Iterator[_Fix]:
    for index in named:
        yield _Fix(index, "replaced", "item_id_illegal")


_RULES = (
    _Rule(
        re.compile(
            r"item '([\w-]{1,128})' of type 'reasoning' was provided without its required following item"
        ),
        _drop_thought,
    ),
    _Rule(
        re.compile(
            r"item '([\w-]{1,128})' of type '\w{1,64}' was provided without its required 'reasoning' item"
        ),
        _part_from_thoughts,
    ),
    _Rule(
        re.compile(r"item '([\w-]{1,128})' was provided without its required 'reasoning' item"),
        _part_from_thoughts,
    ),
    _Rule(re.compile(r"duplicate item found with id ([\w-]{1,128})"), _drop_repeated),
    _Rule(re.compile(r"item with id '([\w-]{1,128})' not found"), _drop_unknown),
    _Rule(re.compile(r"invalid 'input\[(\d{1,6})\]\.id'"), _drop_id),
)
"""The refusals in OpenAI's words: codex#1227, continue#11994, continue#10723, oh-my-pi#41, codex#33176."""


def without_refused_items(plan: Plan, said: ProviderError) -> Plan | None:
    """Return *plan* with the items repaired that *said* names, or None where it names none or nothing changes.

    The history stays the same object, since no message shows these changes.
    """
    source = plan.request.source
    if source is None or source.messages is not plan.messages:
        return None
    native = source.native
    if not isinstance(native, ResponsesRequest):
        return None
    items = native.items
    fixes: dict[int, _Fix] = {}
    for rule in _RULES:
        names = {
            found[1] for found, _ in zip(rule.words.finditer(said.words), range(_MAX_FOUND), strict=False)
        }
        if names:
            fixes |= {fix.at: fix for fix in rule.find(items, _named(items, names))}
    return _with_fixes(plan, native, fixes) if fixes else None


def _named(items: Items, names: set[str]) -> list[int]:
    """Return the indexes of the items with the ids *names*, in lower case, or at the places *names*."""
    return [
        index
        for index, item in enumerate(metered(items))
        if f"{index}" in names or (isinstance(held := item.get("id"), str) and held.lower() in names)
    ]


def _with_fixes(plan: Plan, native: ResponsesRequest, fixes: Mapping[int, _Fix]) -> Plan | None:
    items = list(native.items)
    dropped = set()
    made: list[tuple[int, Kind, str]] = []
    for index, fix in sorted(fixes.items()):
        if fix.kind == "replaced" and "id" in items[index]:
            items[index] = without_id(items[index])
        elif fix.kind == "dropped":
            dropped.add(index)
        else:
            continue
        made.append((index, fix.kind, fix.reason))
    if not made:
        return None
    done = drop_items(items, dropped)
    made += [(change.index, change.kind, change.reason) for change in done.changes]
    return with_sent_items(plan, native, done.items, made)
