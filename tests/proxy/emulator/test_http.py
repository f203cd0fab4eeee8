"""The emulator over HTTP: routes, errors, streams, the key, the journal."""

from __future__ import annotations

import io
import json
from typing import Any

import aiohttp
import pytest

from proxy.emulator import create_emulator, serving
from proxy.emulator.app import MAX_BODY_BYTES
from proxy.emulator.journal import Entry, Journal
from tests.proxy.emulator.conftest import Client
from tests.proxy.emulator.wire import V2_5, V3, body, fc, fr, function, model, text, tools, user

PROMPT = body(user(text("one two three four five")))
CALLING = body(user(text("call f and f")), tools=tools(function()))


async def read_sse(response: aiohttp.ClientResponse) -> list[dict[str, Any]]:
    """Return the events of a stream, whose framing must be ``data: {...}`` and an empty line."""
    raw = (await response.read()).decode()
    assert raw.endswith("\r\n\r\n")
    events = raw.removesuffix("\r\n\r\n").split("\r\n\r\n")
    assert all(event.startswith("data: ") and "\n" not in event for event in events)
    return [json.loads(event.removeprefix("data: ")) for event in events]


@pytest.mark.parametrize("prefix", ["/v1beta", "/v1", ""])
@pytest.mark.parametrize("name", ["gemini-2.5-pro", "models/gemini-2.5-pro"])
async def test_every_prefix_answers(emulator: Client, prefix: str, name: str) -> None:
    """The API is served under both versions and under none, also for a resource name."""
    status, answer = await emulator.post(f"{prefix}/models/{name}:generateContent", PROMPT)

    assert status == 200
    assert answer["candidates"][0]["content"] == {
        "role": "model",
        "parts": [{"text": "You said: one two three four five"}],
    }
    assert answer["candidates"][0]["finishReason"] == "STOP"
    assert answer["modelVersion"] == "gemini-2.5-pro"
    assert answer["responseId"]
    assert set(answer["usageMetadata"]) == {
        "promptTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "totalTokenCount",
    }


async def test_models_are_listed(emulator: Client) -> None:
    """Models are listed and found one by one; an unknown one is Google's 404."""
    listed = (await emulator.get("/v1beta/models"))[1]["models"]
    status, found = await emulator.get(f"/v1beta/models/{V3}")
    missing, error = await emulator.get("/v1/models/gpt-4o")

    assert found in listed
    assert status == 200
    assert missing == error["error"]["code"] == 404
    assert error["error"]["message"].startswith("models/gpt-4o is not found for API version v1, ")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/v1beta/nothing", "Requested entity was not found."),
        (f"/v1beta/models/{V3}:predict", "Requested entity was not found."),
        (
            "/v1beta/models/gpt-4o:generateContent",
            "models/gpt-4o is not found for API version v1beta, or is not supported for generateContent. Call "
            "ListModels to see the list of available models and their supported methods.",
        ),
    ],
)
async def test_not_found_has_googles_shape(emulator: Client, path: str, message: str) -> None:
    """What does not exist is a 404 in Google's shape."""
    assert await emulator.post(path, PROMPT) == (
        404,
        {"error": {"code": 404, "message": message, "status": "NOT_FOUND"}},
    )


async def test_refusal_has_field_violations(emulator: Client) -> None:
    """An unknown name comes with its field violation."""
    status, answer = await emulator.post(f"/v1beta/models/{V3}:generateContent", PROMPT | {"foo": 1})

    message = 'Invalid JSON payload received. Unknown name "foo": Cannot find field.'
    violations = [{"field": "", "description": message}]
    assert status == 400
    assert answer["error"] == {
        "code": 400,
        "message": message,
        "status": "INVALID_ARGUMENT",
        "details": [{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations}],
    }


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "Invalid JSON payload received. Unexpected token."),
        (b'{"contents": NaN}', "Invalid JSON payload received. Unexpected token."),
        (b"", "* GenerateContentRequest.contents: contents is not specified\n"),
    ],
)
async def test_body_that_is_no_json(emulator: Client, data: bytes, message: str) -> None:
    """A body that is not JSON is refused, and kept in the journal as null."""
    url = f"{emulator.base}/v1beta/models/{V3}:generateContent"
    async with emulator.session.post(url, data=data) as response:
        assert (response.status, (await response.json())["error"]["message"]) == (400, message)

    assert (await emulator.journal())[0]["body"] is None


async def test_body_that_is_too_large(emulator: Client) -> None:
    """A body over the limit is a 400 with Google's text."""
    url = f"{emulator.base}/v1beta/models/{V3}:generateContent"
    async with emulator.session.post(url, data=io.BytesIO(b" " * (MAX_BODY_BYTES + 1))) as response:
        message = (await response.json())["error"]["message"]

    assert (response.status, message) == (
        400,
        f"Request payload size exceeds the limit: {MAX_BODY_BYTES} bytes.",
    )


async def test_key_is_required_when_asked_for() -> None:
    """With a required key, only that key is served, in the header or the query; control calls need none."""
    app = create_emulator(required_key="right")
    async with serving(app=app) as base, aiohttp.ClientSession() as session:
        url = f"{base}/v1beta/models/{V3}:generateContent"
        statuses = []
        for headers, query in (
            ({}, ""),
            ({"x-goog-api-key": "wrong"}, ""),
            ({"x-goog-api-key": "right"}, ""),
        ):
            async with session.post(url + query, json=PROMPT, headers=headers) as response:
                statuses.append(response.status)
                answer = await response.json()
                if response.status == 400:
                    assert answer["error"]["message"] == "API key not valid. Please pass a valid API key."
                    assert answer["error"]["details"][0]["reason"] == "API_KEY_INVALID"
        async with session.post(f"{url}?key=right", json=PROMPT) as response:
            statuses.append(response.status)
        async with session.get(f"{base}/_emulator/requests") as response:
            journal = await response.text()

    assert statuses == [400, 400, 200, 200]
    assert "right" not in journal


async def test_stream_is_sse(emulator: Client) -> None:
    """With ``alt=sse`` each chunk is an event; the last has the finish reason and the usage."""
    url = f"{emulator.base}/v1beta/models/{V2_5}:streamGenerateContent?alt=sse"
    async with emulator.session.post(url, json=PROMPT) as response:
        assert response.content_type == "text/event-stream"
        events = await read_sse(response)

    texts = [event["candidates"][0]["content"]["parts"][0]["text"] for event in events]
    assert len(texts) > 2
    assert "".join(texts) == "You said: one two three four five"
    assert ["finishReason" in event["candidates"][0] for event in events] == [False] * (len(events) - 1) + [
        True
    ]
    assert "totalTokenCount" in events[-1]["usageMetadata"]
    assert len({event["responseId"] for event in events}) == 1


async def test_stream_is_an_array_without_alt(emulator: Client) -> None:
    """Without ``alt=sse`` the same chunks are a JSON array."""
    status, items = await emulator.post(f"/v1beta/models/{V3}:streamGenerateContent", CALLING)

    assert status == 200
    parts = [item["candidates"][0]["content"]["parts"][0] for item in items]
    assert [part.get("functionCall", {}).get("name") for part in parts] == ["f", "f", None]
    assert ["thoughtSignature" in part for part in parts] == [True, False, False]


async def test_refused_stream_is_a_plain_error(emulator: Client) -> None:
    """A refusal of a stream is an ordinary error answer."""
    status, answer = await emulator.post(f"/v1beta/models/{V3}:streamGenerateContent?alt=sse", {})

    assert (status, answer["error"]["status"]) == (400, "INVALID_ARGUMENT")


async def test_signature_outlives_a_restart(emulator: Client) -> None:
    """A signed call of one emulator is taken by another; without its signature it is refused."""
    _, answer = await emulator.post(f"/v1beta/models/{V3}:generateContent", CALLING)
    said = answer["candidates"][0]["content"]
    results = [fr("f", call_id=part["functionCall"]["id"]) for part in said["parts"]]
    history = body(*CALLING["contents"], said, user(*results))

    async with serving() as other, aiohttp.ClientSession() as session:
        client = Client(session, other)
        assert (await client.post("/v1beta/models/gemini-3.6-flash:generateContent", history))[0] == 200
        del said["parts"][0]["thoughtSignature"]
        assert (await client.post(f"/v1beta/models/{V3}:generateContent", history))[0] == 400


async def test_tokens_are_counted(emulator: Client) -> None:
    """``countTokens`` counts both forms of its body alike and refuses an empty one."""
    path = f"/v1beta/models/{V3}:countTokens"
    status, plain = await emulator.post(path, PROMPT)
    _, wrapped = await emulator.post(path, {"generateContentRequest": {"model": f"models/{V3}"} | PROMPT})

    assert status == 200
    assert plain == wrapped
    assert plain["totalTokens"] > 5
    assert (await emulator.post(path, {}))[0] == 400
    assert (await emulator.post(path, {"foo": 1}))[0] == 400
    assert (await emulator.post("/v1beta/models/gpt-4o:countTokens", PROMPT))[0] == 404


async def test_journal_tells_what_happened(emulator: Client) -> None:
    """The journal has every request with its verdict, and can be forgotten."""
    bad = body(user(), model(fc()))
    await emulator.post(f"/v1beta/models/{V3}:generateContent?key=secret", PROMPT)
    await emulator.post(f"/models/{V3}:streamGenerateContent?alt=sse", bad)

    first, second = await emulator.journal()
    assert first == {
        "method": "POST",
        "path": f"/v1beta/models/{V3}:generateContent",
        "model": V3,
        "stream": False,
        "body": PROMPT,
        "verdict": {"status": 200, "message": None},
        "finished": "complete",
    }
    assert (second["stream"], second["finished"], second["verdict"]["status"]) == (True, "complete", 400)
    assert "number of function response parts" in second["verdict"]["message"]
    assert await emulator.delete("/_emulator/requests") == 200
    assert await emulator.journal() == []


def test_journal_is_bounded() -> None:
    """The oldest entries go when there are too many or too large ones; the newest stays."""
    entries = [Entry("POST", f"/{i}", V3, stream=False, body=b"{}  ") for i in range(5)]
    few, small = Journal(2), Journal(10, max_bytes=9)
    for entry in entries:
        few.open(entry)
        small.open(entry)
    small_after = [e["path"] for e in small.as_json()]
    small.open(Entry("POST", "/large", V3, stream=False, body=b" " * 100))

    assert [e["path"] for e in few.as_json()] == ["/3", "/4"]
    assert small_after == ["/3", "/4"]
    assert [e["path"] for e in small.as_json()] == ["/large"]


def test_journal_needs_room() -> None:
    """A journal without room for an entry is a mistake of the caller."""
    with pytest.raises(ValueError, match="journal_size"):
        create_emulator(journal_size=0)
