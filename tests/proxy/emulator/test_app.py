"""Tests of the emulator's application: routes, errors, the required key and the journal."""

from __future__ import annotations

import io

import aiohttp
import pytest

from proxy.emulator import create_emulator, serving
from proxy.emulator.app import MAX_BODY_BYTES
from tests.proxy.emulator.conftest import Client
from tests.proxy.emulator.wire import V3, body, fc, fr, function, model, text, tools, user

PROMPT = body(user(text("one two three four five")))
CALLING = body(user(text("call f and f")), tools=tools(function()))


@pytest.mark.parametrize("prefix", ["/v1beta", "/v1", ""])
@pytest.mark.parametrize("name", ["gemini-2.5-pro", "models/gemini-2.5-pro"])
async def test_api_is_served_under_each_version_prefix_and_without_one(
    emulator: Client, prefix: str, name: str
) -> None:
    """The API is served with and without a version prefix, and a model may be given as a resource name."""
    status, answer = await emulator.post(f"{prefix}/models/{name}:generateContent", PROMPT)

    assert status == 200
    assert answer["candidates"][0]["content"] == {
        "role": "model",
        "parts": [{"text": 'I read your message: "one two three four five"'}],
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


async def test_models_are_listed_and_found_one_by_one(emulator: Client) -> None:
    """Models are listed and found one by one, and an unknown model gives Google's 404."""
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
    """An unknown path, method or model gives a 404 in Google's shape."""
    assert await emulator.post(path, PROMPT) == (
        404,
        {"error": {"code": 404, "message": message, "status": "NOT_FOUND"}},
    )


async def test_body_above_the_limit_is_refused(emulator: Client) -> None:
    """A body above the limit is refused with status 400, as at Google."""
    url = f"{emulator.base}/v1beta/models/{V3}:generateContent"
    async with emulator.session.post(url, data=io.BytesIO(b" " * (MAX_BODY_BYTES + 1))) as response:
        message = (await response.json())["error"]["message"]

    assert (response.status, message) == (
        400,
        f"Request payload size exceeds the limit: {MAX_BODY_BYTES} bytes.",
    )


async def test_required_key_is_checked_and_not_recorded() -> None:
    """The required key is checked in the header or the query, and not recorded. Control calls need no key."""
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


async def test_signature_outlives_a_restart(emulator: Client) -> None:
    """An emulator accepts a thought signature that another emulator issued.

    Without the signature the call is refused.
    """
    _, answer = await emulator.post(f"/v1beta/models/{V3}:generateContent", CALLING)
    said = answer["candidates"][0]["content"]
    results = [fr("f", call_id=part["functionCall"]["id"]) for part in said["parts"]]
    history = body(*CALLING["contents"], said, user(*results))

    async with serving() as other, aiohttp.ClientSession() as session:
        client = Client(session, other)
        assert (await client.post("/v1beta/models/gemini-3.6-flash:generateContent", history))[0] == 200
        del said["parts"][0]["thoughtSignature"]
        assert (await client.post(f"/v1beta/models/{V3}:generateContent", history))[0] == 400


async def test_count_tokens_accepts_both_forms_of_its_body(emulator: Client) -> None:
    """Both forms of the body of ``countTokens`` give the same count. An empty body is refused."""
    path = f"/v1beta/models/{V3}:countTokens"
    status, plain = await emulator.post(path, PROMPT)
    _, wrapped = await emulator.post(path, {"generateContentRequest": {"model": f"models/{V3}"} | PROMPT})

    assert status == 200
    assert plain == wrapped
    assert plain["totalTokens"] > 5
    assert (await emulator.post(path, {}))[0] == 400
    assert (await emulator.post(path, {"foo": 1}))[0] == 400
    assert (await emulator.post("/v1beta/models/gpt-4o:countTokens", PROMPT))[0] == 404


async def test_journal_has_every_request_with_its_outcome(emulator: Client) -> None:
    """The journal lists every request with its outcome, without the query, which may hold a key.

    The journal can be emptied.
    """
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


def test_journal_without_room_for_an_entry_is_refused() -> None:
    """A journal size of 0 raises ``ValueError``."""
    with pytest.raises(ValueError, match="journal_size"):
        create_emulator(journal_size=0)
