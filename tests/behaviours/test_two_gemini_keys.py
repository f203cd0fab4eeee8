"""Tests that nothing crosses between two clients of Gemini's API, on a real socket.

Both clients say the same, and the provider gives both the same ids. Claude's thoughts travel in an envelope on a call.
Each client gets back what it was given, and nothing that the other was given.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.upstream.select_transport import SelectingUpstream
from proxy.upstream.signature_carriers import STAND_IN
from tests.behaviours.test_two_message_keys import (
    CLIENTS,
    SIGNED,
    claude_call,
    claude_says,
    crosses,
    gemini_call,
    gemini_says,
    serving,
    thought_of,
)
from tests.support.gemini_grammar import find_answer_faults, find_error_faults
from tests.support.proxied import Proxied, Reply, proxied

QUESTION = {"role": "user", "parts": [{"text": "Go."}]}
TOOLS = [{"functionDeclarations": [{"name": "f"}]}]
ENVELOPES = (b"tr1_", b"tr1/")
"""The beginning of an envelope, in both alphabets of base64."""


async def send(proxy: Proxied, client: str, model: str, given: Any) -> Reply:
    """Send a request with a client's key."""
    headers = {"x-goog-api-key": CLIENTS[client]}
    return await proxy.post(given, f"/v1beta/models/{model}:generateContent".replace(" ", "%20"), headers)


async def ask(proxy: Proxied, client: str, model: str, contents: list[Any]) -> Any:
    """Send contents with a client's key, and return the content of the answer. Fails if the status is not 200."""
    thinks = {"thinkingConfig": {"includeThoughts": True, "thinkingBudget": 2_048}}
    given = {"contents": contents, "tools": TOOLS, "generationConfig": {"maxOutputTokens": 4_096, **thinks}}
    reply = await send(proxy, client, model, given)
    assert reply.status == 200, reply.raw
    assert find_answer_faults(reply.json, relayed=True) == []
    return reply.json["candidates"][0]["content"]


def results_for(content: Any) -> dict[str, Any]:
    """Return the user's content with the responses to the calls in *content*."""
    calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
    parts = [
        {"functionResponse": {"id": call["id"], "name": call["name"], "response": {"output": "ok"}}}
        for call in calls
    ]
    return {"role": "user", "parts": parts}


def without_thoughts(content: Any) -> Any:
    """Return a content as gemini-cli keeps it: without thoughts, with the signatures of calls."""
    return {**content, "parts": [part for part in content["parts"] if not part.get("thought")]}


def unsigned(content: Any) -> Any:
    """Return a content as a client keeps it that drops signatures."""
    dropped = ("thoughtSignature",)
    kept = [{key: value for key, value in part.items() if key not in dropped} for part in content["parts"]]
    return {**content, "parts": [part for part in kept if not part.get("thought")]}


@pytest.mark.parametrize("restarts", [False, True], ids=["with the store", "after a restart"])
async def test_thinking_of_claude_comes_back_to_its_own_client(restarts: bool) -> None:
    """The store is empty after a restart, so that the envelope alone has the thoughts."""
    async with serving(claude_call("ann"), claude_says("ann")) as (proxy, provider):
        content = await ask(proxy, "ann", "claude", [QUESTION])
        history = [QUESTION, without_thoughts(content), results_for(content)]
        if restarts:
            settings = proxy.server.gateway.settings
            upstream = SelectingUpstream.for_settings(settings)
            async with proxied(settings, upstream) as restarted:
                await ask(restarted, "ann", "claude", history)
        else:
            await ask(proxy, "ann", "claude", history)

    assert thought_of("ann") in json.loads(provider.bodies[1])["messages"][1]["content"]
    assert not any(one in provider.bodies[1] for one in ENVELOPES)


@pytest.mark.parametrize("model", ["claude", "gemini", "other gemini"])
async def test_envelope_of_another_client_is_never_opened(model: str) -> None:
    """Bob sends what Ann was given. No provider gets Ann's thoughts, and none gets the envelope."""
    answer = claude_says("bob") if model == "claude" else gemini_says()
    async with serving(claude_call("ann"), answer) as (proxy, provider):
        content = without_thoughts(await ask(proxy, "ann", "claude", [QUESTION]))
        await ask(proxy, "bob", model, [QUESTION, content, results_for(content)])

    assert any("thoughtSignature" in part for part in content["parts"])
    assert not crosses(provider.bodies[1], "bob")
    assert not any(one in provider.bodies[1] for one in ENVELOPES)


@pytest.mark.parametrize("model", ["gemini", "other gemini"])
async def test_envelope_reaches_no_provider_that_did_not_make_it(model: str) -> None:
    """Ann asks Gemini with all that Claude gave her. Gemini wants a signature, and gets the stand-in."""
    async with serving(claude_call("ann"), gemini_says()) as (proxy, provider):
        content = await ask(proxy, "ann", "claude", [QUESTION])
        await ask(proxy, "ann", model, [QUESTION, without_thoughts(content), results_for(content)])

    assert SIGNED["ann"].encode() not in provider.bodies[1]
    assert not any(one in provider.bodies[1] for one in ENVELOPES)
    assert STAND_IN.encode() in provider.bodies[1]


async def test_envelope_on_another_call_is_not_opened() -> None:
    """An envelope holds for the call that it came with. The store is empty, so that only the envelope could tell."""
    async with serving(claude_call("ann"), claude_says("ann")) as (proxy, provider):
        moved = without_thoughts(await ask(proxy, "ann", "claude", [QUESTION]))
        for part in moved["parts"]:
            part["functionCall"]["id"] = "another"
        settings = proxy.server.gateway.settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as restarted:
            await ask(restarted, "ann", "claude", [QUESTION, moved, results_for(moved)])

    assert SIGNED["ann"].encode() not in provider.bodies[1]


async def test_signature_of_gemini_stays_with_its_own_client() -> None:
    """Gemini's own ids and signatures go through, so that a client without the signature gets the stand-in."""
    answers = [gemini_call("ann"), gemini_call("bob"), gemini_says(), gemini_says(), gemini_says()]
    async with serving(*answers) as (proxy, provider):
        contents = {name: await ask(proxy, name, "gemini", [QUESTION]) for name in CLIENTS}
        for name, content in contents.items():
            await ask(proxy, name, "gemini", [QUESTION, content, results_for(content)])
        content = contents["ann"]
        await ask(proxy, "ann", "gemini", [QUESTION, unsigned(content), results_for(content)])

    for name, body in zip(CLIENTS, provider.bodies[2:4], strict=True):
        assert SIGNED[name].encode() in body
        assert not crosses(body, name)
    assert not crosses(provider.bodies[4], "ann")
    assert STAND_IN.encode() in provider.bodies[4]


async def test_history_of_another_client_gives_no_signature() -> None:
    """Bob sends Ann's history without its signature, with the ids that Ann was given."""
    async with serving(gemini_call("ann"), gemini_says()) as (proxy, provider):
        content = await ask(proxy, "ann", "gemini", [QUESTION])
        await ask(proxy, "bob", "gemini", [QUESTION, unsigned(content), results_for(content)])

    assert not crosses(provider.bodies[1], "bob")
    assert STAND_IN.encode() in provider.bodies[1]


FILE = {"fileData": {"mimeType": "application/pdf", "fileUri": "files/of-bob"}}
CALL = {"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": STAND_IN}
HELD: dict[str, tuple[dict[str, Any], str]] = {
    "file": ({"contents": [{"role": "user", "parts": [{"text": "See."}, FILE]}]}, "contents[0].parts[1]"),
    "file in snake case": (
        {
            "contents": [
                {
                    "role": "user",
                    "parts": [
                        {"file_data": {"mime_type": "application/pdf", "file_uri": "files/of-bob"}},
                        {"text": "See."},
                    ],
                }
            ]
        },
        "contents[0].parts[0]",
    ),
    "file by its address": (
        {
            "contents": [
                {
                    "role": "user",
                    "parts": [
                        {
                            "fileData": {
                                "mimeType": "application/pdf",
                                "fileUri": "https://generativelanguage.googleapis.com/v1beta/files/of-bob",
                            }
                        },
                        {"text": "See."},
                    ],
                }
            ]
        },
        "contents[0].parts[0]",
    ),
    "bucket": (
        {
            "contents": [
                {
                    "role": "user",
                    "parts": [
                        {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://of-bob/a.pdf"}},
                        {"text": "See."},
                    ],
                }
            ]
        },
        "contents[0].parts[0]",
    ),
    "file of the model": (
        {"contents": [QUESTION, {"role": "model", "parts": [FILE, {"text": "x"}]}, QUESTION]},
        "contents[1].parts[0]",
    ),
    "file in a response": (
        {
            "contents": [
                *(QUESTION, {"role": "model", "parts": [CALL]}),
                {
                    "role": "user",
                    "parts": [
                        {
                            "functionResponse": {
                                "id": "a",
                                "name": "f",
                                "response": {"output": "x"},
                                "parts": [FILE],
                            }
                        }
                    ],
                },
            ],
            "tools": TOOLS,
        },
        "contents[2].parts[0]",
    ),
    "cache": ({"contents": [QUESTION], "cachedContent": "cachedContents/of-bob"}, "cachedContent"),
    "cache in snake case": (
        {"contents": [QUESTION], "cached_content": "cachedContents/of-bob"},
        "cachedContent",
    ),
    "search in a store": (
        {
            "contents": [QUESTION],
            "tools": [{"fileSearch": {"fileSearchStoreNames": ["fileSearchStores/of-bob"]}}],
        },
        "tools[0]",
    ),
}
"""Requests that name an object at the provider, with a part of the refusal."""


@pytest.mark.parametrize("allowed", [False, True], ids=["not allowed", "allowed"])
@pytest.mark.parametrize("name", HELD)
async def test_object_at_the_provider_is_shared_only_where_the_operator_says_so(
    name: str, allowed: bool
) -> None:
    given, place = HELD[name]
    fields = {"provider_objects": True} if allowed else {}
    async with serving(gemini_says(), **fields) as (proxy, provider):
        reply = await send(proxy, "ann", "gemini", given)

    if allowed:
        assert reply.status == 200, reply.raw
        assert {key: provider.asked[key] for key in given} == given
    else:
        assert (reply.status, provider.paths) == (400, []), reply.raw
        assert find_error_faults(reply.json, 400) == []
        assert place in reply.json["error"]["message"]


LEFT_OUT = ("file of the model", "search in a store")
"""Requests that another provider gets without the object. The change is reported."""


@pytest.mark.parametrize("name", [name for name in HELD if name not in LEFT_OUT])
async def test_object_at_google_reaches_no_other_provider(name: str) -> None:
    given, place = HELD[name]
    async with serving(claude_says("ann"), provider_objects=True) as (proxy, provider):
        reply = await send(proxy, "ann", "claude", given)

    assert (reply.status, provider.paths) == (400, []), reply.raw
    assert place in reply.json["error"]["message"]


async def test_file_of_the_model_is_left_out_for_another_provider() -> None:
    """No chat has a file in an answer. A text stands in its place, and the change is counted."""
    given, _ = HELD["file of the model"]
    async with serving(claude_says("ann"), provider_objects=True) as (proxy, provider):
        reply = await send(proxy, "ann", "claude", given)

    assert reply.status == 200, reply.raw
    assert b"of-bob" not in provider.bodies[0]
    assert reply.headers["x-turnright-changes"] == "items=1"
