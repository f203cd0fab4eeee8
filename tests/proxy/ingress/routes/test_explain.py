"""A dry run applies the limit of rounds that holds for its sender."""

from __future__ import annotations

import pytest

from proxy.ingress.routes.paths import EXPLAIN
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import MODEL, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

KEYS = [{"name": name, "key": f"tr-{name}-0123456789"} for name in ("bob", "eve")]
ROUNDS = [
    user("go"),
    *(
        message
        for number in range(3)
        for message in (assistant(None, [call(f"c{number}", "f")]), tool(f"c{number}"))
    ),
]


@pytest.mark.parametrize(
    ("sender", "asked", "limit"), [("bob", None, 5), ("eve", None, 9), ("eve", "2", 2), ("bob", "7", 5)]
)
async def test_limit_of_rounds_is_the_senders_own_or_the_lower_one_it_asks_for(
    upstream: ScriptedUpstream, sender: str, asked: str | None, limit: int
) -> None:
    """A dry run applies the lower of the sender's own limit of rounds and the limit in the request's header."""
    turns = {"mode": "enforce", "max_rounds": 9, "per_key": [{"key": "bob", "max_rounds": 5}]}
    headers = {"Authorization": f"Bearer tr-{sender}-0123456789"}
    if asked is not None:
        headers["x-turnright-max-rounds"] = asked
    async with proxied(settings_of(general_settings={"keys": KEYS}, turns=turns), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": ROUNDS}, EXPLAIN, headers)

    assert (reply.status, reply.json["turns"]["limit"]) == (200, limit)
    assert upstream.calls == []


ITEMS = [
    {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    {"role": "user", "content": "go"},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "1"},
    {"type": "function_call_output", "call_id": "c2", "output": "2"},
    {"type": "function_call_output", "call_id": "gone", "output": "3"},
    {"role": "user", "content": "on"},
]


async def test_responses_request_is_explained_by_its_items(upstream: ScriptedUpstream) -> None:
    """Each change, and each broken rule, has the number of an item."""
    body = {"model": MODEL, "instructions": "Be brief.", "input": ITEMS}
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post(body, f"{EXPLAIN}?format=openai_responses")

    assert (reply.status, reply.json["verdict"]) == (200, "repaired")
    assert [(change["step"], change["index"]) for change in reply.json["changes"]][:2] == [
        ("items", 0),
        ("orphan_drop", 6),
    ]
    assert {found["index"] for found in reply.json["found"]} == {6}
    assert [message["role"] for message in reply.json["body"]["messages"]][:3] == [
        "system",
        "user",
        "assistant",
    ]
    assert upstream.calls == []


async def test_refusal_names_items(upstream: ScriptedUpstream) -> None:
    """In mode strict, the text, the ``param`` and the lists of a refusal have the numbers of items."""
    body = {"model": MODEL, "instructions": "Be brief.", "input": ITEMS}
    async with proxied(settings_of(sanitize={"mode": "strict"}), upstream) as proxy:
        reply = await proxy.post(body, f"{EXPLAIN}?format=openai_responses")
        refused = await proxy.post(body, "/v1/responses")

    assert reply.json["refusal"]["param"] == refused.error["param"] == "input[6]"
    assert refused.error["message"].startswith(
        "The history would have to be changed (mode 'strict'). input[6]: "
    )
    assert {found["index"] for found in refused.error["violations"]} == {6}
    assert {change["index"] for change in refused.error["changes"]} == {6}


async def test_unknown_format_is_refused(upstream: ScriptedUpstream) -> None:
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": ROUNDS}, f"{EXPLAIN}?format=other")

    assert (reply.status, reply.error["param"]) == (400, "format")


MESSAGES = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}]},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "1"},
            {"type": "tool_result", "tool_use_id": "gone", "content": "2"},
        ],
    },
    {"role": "user", "content": "on"},
]


async def test_messages_request_is_explained_by_its_messages(upstream: ScriptedUpstream) -> None:
    """Each change, and each broken rule, has the number of the client's own message."""
    body = {"model": MODEL, "system": "Be brief.", "messages": MESSAGES}
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post(body, f"{EXPLAIN}?format=anthropic_messages")

    assert (reply.status, reply.json["verdict"]) == (200, "repaired")
    assert [(change["step"], change["index"]) for change in reply.json["changes"]][:1] == [("orphan_drop", 2)]
    assert {found["index"] for found in reply.json["found"]} == {2}
    assert upstream.calls == []


CONTENTS = [
    {"role": "user", "parts": [{"text": "go"}]},
    {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "f", "args": {}}}]},
    {
        "role": "user",
        "parts": [
            {"functionResponse": {"id": "c1", "name": "f", "response": {"output": "1"}}},
            {"functionResponse": {"id": "gone", "name": "g", "response": {"output": "2"}}},
        ],
    },
    {"role": "user", "parts": [{"text": "on"}]},
]


@pytest.mark.parametrize(
    ("query", "own"), [(f"&model={MODEL}", {}), ("", {"model": MODEL}), ("", {"model": f"models/{MODEL}"})]
)
async def test_contents_are_explained_by_their_places(
    upstream: ScriptedUpstream, query: str, own: dict[str, str]
) -> None:
    """The model stands in the query, or in the body as Google's SDKs write it."""
    body = {"systemInstruction": "Be brief.", "contents": CONTENTS, **own}
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post(body, f"{EXPLAIN}?format=gemini_native{query}")

    assert (reply.status, reply.json["verdict"]) == (200, "repaired")
    assert [(change["step"], change["index"]) for change in reply.json["changes"]][:1] == [("orphan_drop", 2)]
    assert {found["index"] for found in reply.json["found"]} == {2}
    assert upstream.calls == []


async def test_refusal_names_the_clients_contents(upstream: ScriptedUpstream) -> None:
    body = {"systemInstruction": "Be brief.", "contents": CONTENTS}
    async with proxied(settings_of(sanitize={"mode": "strict"}), upstream) as proxy:
        reply = await proxy.post(body, f"{EXPLAIN}?format=gemini_native&model={MODEL}")
        refused = (await proxy.post(body, f"/v1beta/models/{MODEL}:generateContent")).json["error"]
        nameless = await proxy.post(body, f"{EXPLAIN}?format=gemini_native")

    assert reply.json["refusal"]["param"] == "contents[2].parts[1]"
    assert refused["details"][0]["fieldViolations"][0]["field"] == "contents[2].parts[1]"
    assert "messages[" not in refused["message"]
    assert {found["index"] for found in refused["details"][-1]["value"]["violations"]} == {2}
    assert (nameless.status, nameless.error["param"]) == (400, "model")


async def test_refusal_names_the_clients_messages(upstream: ScriptedUpstream) -> None:
    """In mode strict, the text and the lists of a refusal have the numbers of the client's messages."""
    body = {"model": MODEL, "system": "Be brief.", "max_tokens": 9, "messages": MESSAGES}
    async with proxied(settings_of(sanitize={"mode": "strict"}), upstream) as proxy:
        reply = await proxy.post(body, f"{EXPLAIN}?format=anthropic_messages")
        refused = (await proxy.post(body, "/v1/messages")).json["error"]

    assert reply.json["refusal"]["param"] == "messages.2.content.1"
    assert "messages.2" in refused["message"]
    assert "messages[" not in refused["message"]
    assert {found["index"] for found in refused["details"]["violations"]} == {2}
