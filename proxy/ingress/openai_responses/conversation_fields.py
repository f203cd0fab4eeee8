"""Reads the body of a request that makes or changes a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.ingress.json_fields import load_object, refuse_nesting
from proxy.ingress.openai_responses.field_types import check_field
from sanitizers import Unrepairable
from sanitizers.native import Item
from sanitizers.native.responses.item_types import type_of
from sanitizers.native.responses.project import project
from sanitizers.native.responses.tools import read_tools
from sanitizers.record import record
from sanitizers.validation import read_history

_MOST_ITEMS = 20
"""The most items of one request that makes a conversation or adds to one (OpenAI's reference, 2026-11)."""


@record
class ConversationFields:
    """The metadata and the items of one request. Both may be empty. *weight* is the length of the body in bytes."""

    metadata: Mapping[str, str]
    items: list[Item]
    weight: int


def read_conversation_fields(body: bytes, *, max_nesting: int) -> ConversationFields:
    """Return the fields of *body*. An empty body has none. Raises :class:`InvalidRequest` for faulty ones.

    An item that no later request could read is refused now, with its place in ``param``.
    """
    fields: dict[str, Any] = load_object(body) if body.strip() else {}
    refuse_nesting(fields, max_nesting)
    metadata = fields.get("metadata")
    if metadata is not None:
        check_field("metadata", metadata)
    items = [] if fields.get("items") is None else fields["items"]
    if not isinstance(items, list) or any(item.__class__ is not dict for item in items):
        raise InvalidRequest("'items' must be an array of objects.", param="items")
    if len(items) > _MOST_ITEMS:
        raise InvalidRequest(f"'items' may have {_MOST_ITEMS} entries at most.", param="items")
    if items:
        _check_items(items)
    return ConversationFields(metadata or {}, items, len(body))


def _check_items(items: list[Item]) -> None:
    """Refuse items that cannot be read. A reference cannot, since it would name the item for ever."""
    try:
        projection = project(items, read_tools(None, items), is_partial=True)
        read_history(projection.messages)
    except Unrepairable as error:
        place = error.param if error.param.startswith("input") else "input"
        raise InvalidRequest(
            error.message.replace(error.param, _own_place(place)), param=_own_place(place)
        ) from None
    for index, item in enumerate(items):
        if type_of(item, index) == "item_reference":
            place = f"items[{index}]"
            raise InvalidRequest(f"'{place}' cannot be a reference: send the item itself.", param=place)


def _own_place(place: str) -> str:
    return f"items{place.removeprefix('input')}"
