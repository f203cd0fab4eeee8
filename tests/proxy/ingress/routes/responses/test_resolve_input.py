"""Tests of references to stored items."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import NotFound
from proxy.ingress.openai_responses.fields import ResponsesFields, read_fields
from proxy.ingress.routes.responses.resolve_input import referenced, resolve_input
from proxy.state.sessions.responses import ResponseRecord
from tests.support.session_stores import memory_sessions


def fields(*items: dict[str, Any]) -> ResponsesFields:
    """Return the fields of a request with *items*."""
    return read_fields(json.dumps({"model": "m", "input": list(items)}).encode(), max_nesting=50)


@pytest.mark.parametrize(
    ("item", "id_"),
    [
        ({"type": "item_reference", "id": "msg_1"}, "msg_1"),
        ({"id": "msg_1"}, "msg_1"),
        ({"type": "message", "id": "msg_1"}, None),
        ({"id": "msg_1", "role": "user"}, None),
        ({"type": "item_reference"}, None),
        ({"type": "item_reference", "id": ["x"]}, None),
    ],
)
def test_reference_is_known_by_its_type_or_by_having_an_id_alone(
    item: dict[str, Any], id_: str | None
) -> None:
    assert referenced(item) == id_


async def test_reference_is_unknown_where_nothing_is_stored() -> None:
    """The same items come back where there is no reference."""
    plain = fields({"role": "user", "content": "a"})
    resolved = await resolve_input(plain, None, "", 0)
    assert (resolved.items, resolved.earlier) == (plain.items, 0)
    with pytest.raises(NotFound):
        await resolve_input(fields({"type": "item_reference", "id": "msg_1"}), None, "", 0)


async def test_item_stands_once_however_often_it_is_named() -> None:
    """A small body would otherwise make a history of any size. Numbers of changes count the items before, too."""
    sessions = memory_sessions()
    long = {"id": "msg_1", "type": "message", "role": "user", "content": "word " * 1_000}
    await sessions.keep_response("", ResponseRecord("resp_1", [long], [], {}, "m", 0))
    await sessions.keep_response(
        "", ResponseRecord("resp_2", [{"role": "user", "content": "a"}], [], {}, "m", 0)
    )
    asking = {"type": "item_reference", "id": "msg_1"}
    thought = {"type": "item_reference", "id": "rs_1"}
    given = json.dumps(
        {"model": "m", "input": [asking, thought, *[asking] * 3], "previous_response_id": "resp_2"}
    )
    resolved = await resolve_input(read_fields(given.encode(), max_nesting=50), sessions, "", 0)

    assert [item["content"] for item in resolved.items] == ["a", long["content"]]
    assert (resolved.own, resolved.earlier) == ([long], 1)
    assert resolved.stored_bytes > 5_000
    assert [(change.reason, change.index) for change in resolved.changes] == [
        ("unknown_reference", 2),
        *(("repeated_reference", index) for index in (3, 4, 5)),
    ]
