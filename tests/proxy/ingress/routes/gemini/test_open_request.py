"""Tests of the reading of requests to Gemini's API."""

from __future__ import annotations

import json

from sanitizers.native.gemini.envelope import pack_thoughts, unpack_thoughts
from tests.proxy.ingress.routes.gemini.asking import KEYS, ask, error_of, fields_of, serving
from tests.support.scripted_upstream import answer

BLOCKS = [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]

ORPHAN = {"functionResponse": {"id": "gone", "name": "f", "response": {}}}
BROKEN = [
    {"role": "user", "parts": [{"text": "Hello."}]},
    {"role": "user", "parts": [{"text": "x"}, ORPHAN]},
]


async def test_refused_history_has_the_clients_places() -> None:
    """In mode strict the text and the lists of a refusal have the numbers of contents."""
    async with serving(sanitize={"mode": "strict"}) as (proxy, upstream):
        reply = await ask(proxy, BROKEN, systemInstruction="Be brief.")

    code, _, said = error_of(reply)
    assert (code, fields_of(reply)) == (400, ["contents[1].parts[1]"])
    assert "messages[" not in said
    lists = reply.json["error"]["details"][-1]["value"]
    assert {one["index"] for one in lists["violations"]} == {1}
    assert upstream.calls == []


async def test_memory_for_bodies_is_reserved() -> None:
    """A body over the limit is refused before it is read."""
    async with serving(general_settings={"max_body_mib": 1}) as (proxy, _):
        reply = await ask(proxy, "x" * 2**21)

    assert error_of(reply)[:2] == (413, "INVALID_ARGUMENT")


async def test_thoughts_in_the_envelope_belong_to_one_key() -> None:
    """Another key's envelope is of no use, and no provider gets it."""
    sealed = pack_thoughts(BLOCKS, "abcde", "call_1", "ann")
    call = {"functionCall": {"id": "call_1", "name": "f", "args": {}}, "thoughtSignature": sealed}
    result = {"functionResponse": {"id": "call_1", "name": "f", "response": {"result": "1"}}}
    history = [
        {"role": "user", "parts": [{"text": "Hello."}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [result]},
    ]
    async with serving(general_settings=KEYS) as (proxy, upstream):
        for key in ("sk-ann-000000", "sk-ben-000000"):
            assert (await ask(proxy, history, headers={"x-goog-api-key": key})).status == 200

    assert len(upstream.calls) == 2
    for asked in upstream.calls:
        assert sealed is not None
        assert sealed not in json.dumps(list(asked.messages))


async def test_answer_is_sealed_for_the_key_that_asked() -> None:
    """The call of Claude's answer carries the thoughts before it."""
    call = {"id": "toolu_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    entries = [*BLOCKS, {"type": "tool_use", "id": "toolu_1"}]
    thought = answer(None, tool_calls=[call], thinking_layout={"entries": entries, "text": ""})
    tools = [{"functionDeclarations": [{"name": "f"}]}]
    async with serving([thought], general_settings=KEYS) as (proxy, _):
        reply = await ask(proxy, tools=tools, headers={"x-goog-api-key": "sk-ann-000000"})

    [part] = reply.json["candidates"][0]["content"]["parts"]
    opened = unpack_thoughts(part["thoughtSignature"], "ann")
    assert opened is not None
    assert opened.blocks[: len(BLOCKS)] == BLOCKS
    assert unpack_thoughts(part["thoughtSignature"], "ben") is None
