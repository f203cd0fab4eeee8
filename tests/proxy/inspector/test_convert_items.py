"""Tests that the page shows a request of the Responses API, with its stored conversation and as it is sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.inspector import convert_items
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import KEY, Exchange, providing, whole
from tests.support.builders import assistant, user
from tests.support.proxied import GEMINI, MODEL, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, answer

LOOK, RESPONSES = "/ui/api/look", "/v1/responses"
ORPHAN = {"type": "function_call_output", "call_id": "nobody", "output": "lost"}
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
SAID = {"role": "user", "content": "Hello."}


def request_of(items: Any, **fields: Any) -> dict[str, Any]:
    """Return the page's request with a request of the Responses API for `MODEL`."""
    return {"request": {"model": MODEL, "input": items, **fields}, "compact": False}


async def test_items_are_shown_as_messages_with_each_change(upstream: ScriptedUpstream) -> None:
    """An item that a chat lacks, and a repair of the history, both name the message that they concern."""
    asked = request_of([SAID, SEARCH, ORPHAN, SAID], instructions="Be brief.")
    async with proxied(settings_of(), upstream) as proxy:
        shown = (await proxy.post(asked, LOOK)).json

    assert shown["verdict"] == "repaired"
    assert [turn["message"]["role"] for turn in shown["before"]] == ["system", "user", "tool", "user"]
    changed = {
        step["step"]: [(one["index"], one["reason"]) for one in step["changes"]] for step in shown["steps"]
    }
    assert changed["items"] == [(2, "server_item")]
    assert changed["orphan_drop"] == [(2, "orphaned_result")]


async def test_change_of_a_later_items_message_is_not_numbered_by_the_item(
    upstream: ScriptedUpstream,
) -> None:
    """Three items of a turn become one message, so the next item's message has a smaller number than the item."""
    words = [{"type": "message", "role": "assistant", "content": text} for text in ("a", "b", "c")]
    async with proxied(settings_of(), upstream) as proxy:
        shown = (await proxy.post(request_of([SAID, *words, SAID, SEARCH, SAID]), LOOK)).json

    [step] = shown["steps"]
    assert [(one["index"], one["detail"]) for one in step["changes"]] == [(3, "web_search_call")]


async def test_contents_are_shown_as_messages_with_each_change(upstream: ScriptedUpstream) -> None:
    """A response without its call, and a field that a chat lacks, are shown as changes."""
    lost = {"functionResponse": {"id": "nobody", "name": "f", "response": {"output": "lost"}}}
    contents = [
        {"role": "user", "parts": [{"text": "Hello."}]},
        {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": "Hi."}]},
        {"role": "user", "parts": [lost, {"text": "Go on."}]},
    ]
    asked = {"request": {"contents": contents, "systemInstruction": "Be brief."}, "compact": False}
    async with proxied(settings_of(), upstream) as proxy:
        shown = (await proxy.post({**asked, "target": {"model": MODEL}}, LOOK)).json

    assert shown["verdict"] == "repaired"
    assert [turn["message"]["role"] for turn in shown["before"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "user",
    ]
    changed = {
        step["step"]: [(one["index"], one["reason"]) for one in step["changes"]] for step in shown["steps"]
    }
    assert changed["orphan_drop"] == [(3, "orphaned_result")]


async def test_text_is_one_user_message(upstream: ScriptedUpstream) -> None:
    """The input may be a text."""
    async with proxied(settings_of(), upstream) as proxy:
        shown = (await proxy.post(request_of("Hello."), LOOK)).json

    assert (shown["verdict"], shown["before"]) == ("unchanged", [{"index": 0, "message": user("Hello.")}])


async def test_stored_conversation_is_shown(upstream: ScriptedUpstream) -> None:
    """A kept body names its conversation by an id alone. The page shows the whole history."""
    upstream.then(answer("Hi."))
    async with proxied(settings_of(), upstream) as proxy:
        first = (await proxy.post({"model": MODEL, "input": "Hello."}, RESPONSES)).json
        asked = request_of("Go on.", previous_response_id=first["id"])
        shown = (await proxy.post(asked, LOOK)).json

    assert [turn["message"] for turn in shown["before"]] == [user("Hello."), assistant("Hi."), user("Go on.")]


async def test_conversation_of_another_key_is_unknown(upstream: ScriptedUpstream) -> None:
    """A stored conversation belongs to the key that made it, except that the master key sees recent requests."""
    keys = [{"name": name, "key": f"tr-{name}-0001"} for name in ("one", "two")]
    general = {"master_key": "tr-master-17", "keys": keys, "inspector": {"bodies": True}}
    one, two, master = (
        {"Authorization": f"Bearer {key}"} for key in ("tr-one-0001", "tr-two-0001", "tr-master-17")
    )
    upstream.then(answer("Hi."))
    upstream.then(answer("Yes."))
    async with proxied(settings_of(general_settings=general), upstream) as proxy:
        first = (await proxy.post({"model": MODEL, "input": "Hello."}, RESPONSES, one)).json
        asked = request_of("Go on.", previous_response_id=first["id"])
        sent = await proxy.post(asked["request"], RESPONSES, {**one, "x-request-id": "second"})
        await proxy.idle()
        own = await proxy.post(asked, LOOK, one)
        others = await proxy.post(asked, LOOK, two)
        claimed = await proxy.post({**asked, "recent": "second"}, LOOK, two)
        seen = await proxy.post({**asked, "recent": "second"}, LOOK, master)

    assert sent.status == 200
    assert (own.status, seen.status) == (200, 200)
    for refused in (others, claimed):
        assert (refused.status, refused.error["code"]) == (400, "previous_response_not_found")


async def test_stored_conversation_above_the_limit_is_refused(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stored items count, since they are decoded and shown as the body's own are."""
    upstream.then(answer("Hi."))
    async with proxied(settings_of(), upstream) as proxy:
        first = (await proxy.post({"model": MODEL, "input": "Hello. " * 1000}, RESPONSES)).json
        asked = request_of("Go on.", previous_response_id=first["id"])
        monkeypatch.setattr(convert_items, "LARGEST_MIB", 0.001)
        refused = await proxy.post(asked, LOOK)

    assert (refused.status, refused.error["code"]) == (413, "body_too_large")


async def test_unreadable_item_is_named(upstream: ScriptedUpstream) -> None:
    """The error is that of the real request."""
    async with proxied(settings_of(), upstream) as proxy:
        refused = await proxy.post(request_of([{"role": "robot", "content": ""}]), LOOK)

    assert (refused.status, refused.error["param"]) == (400, "input[0].role")


async def test_every_verdict_is_about_the_items(upstream: ScriptedUpstream) -> None:
    """The verdicts on other models read the request as the first one did."""
    async with proxied(settings_of({MODEL: GEMINI}), upstream) as proxy:
        rows = (await proxy.post(request_of([SAID, ORPHAN]), "/ui/api/verdicts")).json["rows"]

    assert {row["verdict"] for row in rows} == {"repaired"}


async def _refuse(exchange: Exchange) -> None:
    await exchange.send(whole(b"{}", status="400 Bad Request"))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_own_items_are_shown_as_their_provider_gets_them(stream: bool) -> None:
    """A provider that speaks the API gets the client's items, and no change that a chat needs is shown."""
    asked = {"model": MODEL, "input": [SAID, SEARCH, SAID], "stream": stream, "top_p": 0.50}
    async with providing(_refuse) as provider:
        base = f"http://127.0.0.1:{provider.port}/private-path"
        settings = settings_of({MODEL: {"model": "xai/grok-4", "api_base": base, "api_key": KEY}})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            shown = (await proxy.post({"request": asked}, LOOK)).json
            await proxy.post(asked, RESPONSES)

    [sent] = provider.exchanges
    assert sent.body.decode() == shown["wire"]["body"]
    assert json.loads(sent.body)["input"] == [SAID, SEARCH, SAID]
    assert (shown["wire"]["wire"], shown["wire"]["address"]) == ("openai_responses", "…/responses")
    assert (shown["verdict"], shown["steps"]) == ("unchanged", [])


async def test_request_of_the_messages_api_is_shown_as_messages(upstream: ScriptedUpstream) -> None:
    """Changes that its reading made name the message that they concern, and those of fields none."""
    blocks = [
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}},
        {"type": "tool_use", "id": "toolu_2", "name": "f", "input": {}},
    ]
    result = {"type": "tool_result", "tool_use_id": "toolu_2", "content": "42"}
    given = {
        "model": MODEL,
        "system": [
            {"type": "text", "text": "x-anthropic-billing-header: a"},
            {"type": "text", "text": "Be."},
        ],
        "messages": [SAID, {"role": "assistant", "content": blocks}, {"role": "user", "content": [result]}],
        "tools": [{"type": "web_search_20250305", "name": "web_search"}, {"name": "f"}],
    }
    async with proxied(settings_of(), upstream) as proxy:
        shown = (await proxy.post({"request": given, "compact": False}, LOOK)).json

    assert [turn["message"]["role"] for turn in shown["before"]] == ["system", "user", "assistant", "tool"]
    changed = {step["step"]: [one["reason"] for one in step["changes"]] for step in shown["steps"]}
    assert {*changed["items"]} == {"billing_header", "server_tool"}
    assert "pairing" in changed
