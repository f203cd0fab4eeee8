"""Lists of items: ids for items without one, pages, and a history that a client sent again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from proxy.core.errors import InvalidRequest

ItemT = TypeVar("ItemT", bound=Mapping[str, Any])

MAX_ID = 128
"""The most characters of an id that is looked up. OpenAI's ids have at most 64."""

_PREFIXES = {
    "message": "msg",
    "function_call": "fc",
    "function_call_output": "fco",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctco",
    "reasoning": "rs",
    "local_shell_call": "lsh",
    "compaction": "cmp",
}
_OUTPUT = "_output"


@dataclass(frozen=True, slots=True)
class ItemPage:
    """One page of a list of items, as OpenAI answers it."""

    data: list[dict[str, Any]]
    first_id: str | None
    last_id: str | None
    has_more: bool


def id_of(item: Mapping[str, Any]) -> str | None:
    """Return the id of *item* if it can be looked up."""
    found = item.get("id")
    return found if isinstance(found, str) and 0 < len(found) <= MAX_ID else None


def with_ids(items: Iterable[Mapping[str, Any]], seed: str) -> list[dict[str, Any]]:
    """Return *items*, in which each item has an id. The same *seed* and position give the same id."""
    given = []
    for position, item in enumerate(items):
        if id_of(item) is None:
            digest = hashlib.blake2b(f"{seed}/{position}".encode("utf-8", "surrogatepass"), digest_size=16)
            prefix = _PREFIXES.get(str(item.get("type", "message")), "item")
            item = {**item, "id": f"{prefix}_{digest.hexdigest()}"}
        given.append(dict(item))
    return given


def page_of(items: Sequence[Mapping[str, Any]], *, after: str | None, limit: int, order: str) -> ItemPage:
    """Return the page of at most *limit* items behind the item *after*. *items* have ids, and are the oldest first.

    *order* is ``asc`` or ``desc``. Raises :class:`proxy.core.errors.InvalidRequest` if no item has the id *after*.
    """
    ordered = list(items) if order == "asc" else list(reversed(items))
    start = 0
    if after is not None:
        places = [place for place, item in enumerate(ordered) if item.get("id") == after]
        if not places:
            raise InvalidRequest("No item of this list has the id that 'after' names.", param="after")
        start = places[0] + 1
    data = [dict(item) for item in ordered[start : start + limit]]
    ids = [item.get("id") for item in data]
    first, last = (ids[0], ids[-1]) if ids else (None, None)
    return ItemPage(data, first, last, has_more=start + limit < len(ordered))


def without_repeated(history: Iterable[Mapping[str, Any]], items: Sequence[ItemT]) -> list[ItemT]:
    """Return *items* without those that stand in *history* already, by item id or by call id and type.

    A client may name a previous response and send its whole history again all the same. A call and its output are two
    types, so that the output of a stored call is not taken for the call.
    """
    ids, calls = set[str](), set[tuple[str, str]]()
    for item in history:
        if (known := id_of(item)) is not None:
            ids.add(known)
        if (call := _call_of(item)) is not None:
            calls.add(call)
    return [item for item in items if id_of(item) not in ids and _call_of(item) not in calls]


def _call_of(item: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the kind and the call id of a call or an output, or None for other items."""
    call, kind = item.get("call_id"), item.get("type")
    if not isinstance(call, str) or not isinstance(kind, str):
        return None
    return ("output" if kind.endswith(_OUTPUT) else "call", call)
