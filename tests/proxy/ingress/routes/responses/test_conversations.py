"""Tests of ``/v1/conversations`` and the paths below it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.ingress.routes.responses.asking import KEYS, bearer, serving
from tests.support.proxied import Proxied

PATH = "/v1/conversations"
ITEM = {"type": "message", "role": "user", "content": "Hi."}


async def make(proxy: Proxied, headers: Any = None, **fields: Any) -> str:
    """Return the path of a new conversation."""
    return f"{PATH}/{(await proxy.post(fields, PATH, headers)).json['id']}"


async def test_conversation_is_shown_and_changed() -> None:
    async with serving() as (proxy, _):
        path = await make(proxy, metadata={"a": "1"})
        shown = (await proxy.get(path)).json
        changed = (await proxy.post({"metadata": {"b": "2"}}, path)).json
    assert (shown["object"], shown["metadata"], changed["metadata"]) == (
        "conversation",
        {"a": "1"},
        {"b": "2"},
    )
    assert changed["id"] == shown["id"]


async def test_deleted_conversation_is_gone() -> None:
    async with serving() as (proxy, _):
        path = await make(proxy)
        gone = await proxy.request("DELETE", path)
        assert (gone.json["object"], gone.json["deleted"]) == ("conversation.deleted", True)
        statuses = [
            (await proxy.request(method, path, **({"data": b"{}"} if method == "POST" else {}))).status
            for method in ("GET", "POST", "DELETE")
        ]
    assert statuses == [404, 404, 404]


async def test_items_are_added_listed_shown_and_deleted() -> None:
    async with serving() as (proxy, _):
        path = await make(proxy, items=[ITEM])
        added = (await proxy.post({"items": [{**ITEM, "content": "Two."}]}, f"{path}/items")).json
        assert added["data"][0]["content"] == [{"type": "input_text", "text": "Two."}]
        listed = (await proxy.get(f"{path}/items?order=asc")).json
        assert [item["content"][0]["text"] for item in listed["data"]] == ["Hi.", "Two."]
        one = f"{path}/items/{added['data'][0]['id']}"
        assert (await proxy.get(one)).json["content"] == [{"type": "input_text", "text": "Two."}]
        assert (await proxy.request("DELETE", one)).json["object"] == "conversation"
        assert (await proxy.get(one)).status == 404
        assert len((await proxy.get(f"{path}/items")).json["data"]) == 1


@pytest.mark.parametrize("path", ["", "/items", "/items/msg_1"])
async def test_conversation_of_another_key_is_not_found(path: str) -> None:
    async with serving(general_settings={"keys": KEYS}) as (proxy, _):
        own = await make(proxy, bearer("ann"))
        assert (await proxy.get(own + path, bearer("bob"))).status == 404


@pytest.mark.parametrize(
    ("body", "param"),
    [({"items": 7}, "items"), ({"items": [7]}, "items"), ({"metadata": {"a": 1}}, "metadata")],
)
async def test_faulty_body_is_refused(body: dict[str, Any], param: str) -> None:
    async with serving() as (proxy, _):
        refused = await proxy.post(body, PATH)
    assert refused.status == 400
    assert refused.error["param"].startswith(param)


async def test_items_are_required_to_add_some() -> None:
    async with serving() as (proxy, _):
        assert (await proxy.post({}, f"{await make(proxy)}/items")).status == 400


async def test_conversations_are_not_served_where_sessions_are_off() -> None:
    async with serving(sessions={"enabled": False}) as (proxy, _):
        refused = await proxy.post({}, PATH)
    assert (refused.status, "sessions.enabled" in refused.error["message"]) == (404, True)


async def test_unreadable_item_is_refused_when_it_is_added() -> None:
    """It would make each later request of the conversation a 400."""
    faulty = [{"role": "user", "content": "a"}, {"type": "function_call", "call_id": 7}]
    async with serving() as (proxy, _):
        made = await proxy.post({"items": faulty}, "/v1/conversations")
        id_ = (await proxy.post({}, "/v1/conversations")).json["id"]
        added = await proxy.post({"items": faulty}, f"/v1/conversations/{id_}/items")
        listed = await proxy.get(f"/v1/conversations/{id_}/items")

    assert [(reply.status, reply.error["param"]) for reply in (made, added)] == [
        (400, "items[1].call_id")
    ] * 2
    assert listed.json["data"] == []


async def test_listed_items_have_a_type_an_id_and_a_status() -> None:
    items = [
        {"role": "user", "content": "a"},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "b"},
    ]
    async with serving() as (proxy, _):
        id_ = (await proxy.post({}, "/v1/conversations")).json["id"]
        added = (await proxy.post({"items": items}, f"/v1/conversations/{id_}/items")).json["data"]
        listed = (await proxy.get(f"/v1/conversations/{id_}/items?order=asc")).json["data"]
        one = (await proxy.get(f"/v1/conversations/{id_}/items/{listed[1]['id']}")).json

    assert added == listed
    assert one == listed[1]
    assert [item["type"] for item in listed] == ["message", "function_call", "function_call_output"]
    assert all(item["id"] and item["status"] == "completed" for item in listed)
