"""Tests of references to stored items."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import NotFound
from proxy.ingress.openai_responses.fields import ResponsesFields, read_fields
from proxy.ingress.openai_responses.ids import make_response_id
from proxy.ingress.routes.responses.resolve_input import leave_to_provider, referenced, resolve_input
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


def asking_for(*ids: str, **named: Any) -> ResponsesFields:
    """Return the fields of a request with references to *ids*."""
    items = [{"type": "item_reference", "id": id_} for id_ in ids]
    given = {"model": "m", "input": [*items, {"role": "user", "content": "a"}], **named}
    return read_fields(json.dumps(given).encode(), max_nesting=50)


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize(
    ("named", "code"),
    [
        ({"previous_response_id": "resp_theirs"}, "previous_response_not_found"),
        ({"conversation": "conv_theirs"}, None),
        ({"conversation": {"id": "conv_theirs"}}, None),
    ],
)
async def test_conversation_that_a_provider_may_know_is_a_need(
    named: dict[str, Any], code: str | None, stores: bool
) -> None:
    """Without leave, or with an id of the proxy's own, it is refused."""
    sessions = memory_sessions() if stores else None
    resolved = await resolve_input(asking_for(**named), sessions, "", 0, may_be_foreign=True)
    [need] = resolved.needs

    assert (need.param, need.holds_history, need.names_object, need.wants_state) == (
        *named,
        True,
        True,
        False,
    )
    assert need.error.code == code or code is None
    with pytest.raises(need.error) as refused:
        await resolve_input(asking_for(**named), sessions, "", 0)
    assert (refused.value.message, refused.value.param) == (need.message, need.param)
    own = {name: make_response_id("lost") for name in named}
    with pytest.raises(need.error):
        await resolve_input(asking_for(**own), sessions, "", 0, may_be_foreign=True)


async def test_reference_that_a_provider_may_know_stays() -> None:
    """Its thoughts stay beside it, since OpenAI refuses an item without its thought."""
    known = {"id": "msg_ours", "type": "message", "role": "user", "content": "b"}
    sessions = memory_sessions()
    await sessions.keep_response("", ResponseRecord("resp_1", [known], [], {}, "m", 0))
    fields = asking_for("rs_theirs", "msg_theirs", "msg_ours")
    resolved = await resolve_input(fields, sessions, "", 0, may_be_foreign=True)

    assert resolved.items == [*fields.items[:2], known, fields.items[3]]
    assert [(need.param, need.holds_history) for need in resolved.needs] == [("input", True)]
    assert "msg_theirs" in resolved.needs[0].message
    alone = await resolve_input(asking_for("rs_theirs"), sessions, "", 0, may_be_foreign=True)
    assert ([change.reason for change in alone.changes], alone.needs) == (["unknown_reference"], ())
    with pytest.raises(NotFound):
        await resolve_input(asking_for("msg_theirs", f"msg_{1:042x}"), sessions, "", 0, may_be_foreign=True)


async def test_input_for_a_provider_that_stores_responses_is_as_it_came() -> None:
    fields = asking_for("rs_theirs", previous_response_id="resp_theirs")
    resolved = leave_to_provider(fields)

    assert resolved.items is fields.items
    assert [(need.param, need.wants_state) for need in resolved.needs] == [("previous_response_id", True)]
    assert leave_to_provider(asking_for()).needs == ()
