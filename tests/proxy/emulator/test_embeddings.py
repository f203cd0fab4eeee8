"""Embeddings of the emulator, and its refusals in Google's words where they are known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.emulator.conftest import Client
from tests.proxy.emulator.wire import V3

MODEL = "gemini-embedding-001"
NEWER = "gemini-embedding-2-preview"
ONE = f"/v1beta/models/{MODEL}:embedContent"
MANY = f"/v1beta/models/{MODEL}:batchEmbedContents"


def request(text: str = "a", **fields: Any) -> dict[str, Any]:
    """Build the request to embed one text."""
    return {"model": f"models/{MODEL}", "content": {"parts": [{"text": text}]}, **fields}


async def test_vector_depends_on_the_text_alone(emulator: Client) -> None:
    """The same text has the same vector in a batch. It has the requested size."""
    _, alone = await emulator.post(ONE, request(outputDimensionality=4))
    _, full = await emulator.post(ONE, request())
    wanted = [request(text, outputDimensionality=4) for text in ("b", "a")]
    status, batch = await emulator.post(MANY, {"requests": wanted})

    assert status == 200
    assert [len(one["values"]) for one in batch["embeddings"]] == [4, 4]
    assert batch["embeddings"][1] == alone["embedding"] != batch["embeddings"][0]
    assert len(full["embedding"]["values"]) == 3072
    assert "usageMetadata" not in batch


async def test_newer_embedding_models_report_usage(emulator: Client) -> None:
    """``gemini-embedding-001`` reports none."""
    body = request("abcdefgh", model=f"models/{NEWER}")
    _, answer = await emulator.post(f"/v1beta/models/{NEWER}:embedContent", body)

    assert answer["usageMetadata"] == {"promptTokenCount": 2}


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        (
            MANY,
            {"requests": [request()] * 101},
            "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n",
        ),
        (MANY, {"requests": []}, "* BatchEmbedContentsRequest.requests: requests is not specified\n"),
        (
            MANY,
            {"requests": [request(model=MODEL)]},
            "* BatchEmbedContentsRequest.requests[0].model: unexpected model name format\n",
        ),
        (
            MANY,
            {"requests": [request(), request(model="models/other")]},
            "* BatchEmbedContentsRequest.requests[1].model: must be the model of the path\n",
        ),
        (ONE, request(""), "EmbedContentRequest.content contains an empty Part."),
        (ONE, {}, "* EmbedContentRequest.content: content is not specified\n"),
        (
            ONE,
            request(outputDimensionality=4000),
            "* EmbedContentRequest.output_dimensionality: must be from 1 to 3072\n",
        ),
        (
            ONE,
            request(user="u"),
            'Invalid JSON payload received. Unknown name "user": Cannot find field.',
        ),
        (ONE, request(taskType="GUESS"), "Invalid value at 'task_type'"),
        (
            ONE,
            {"content": {"parts": [{"text": 5}]}},
            "Invalid value at 'content.parts[0].text' (TYPE_STRING), 5",
        ),
    ],
)
async def test_illegal_embedding_request_is_a_400_that_names_the_rule(
    emulator: Client, path: str, body: Any, message: str
) -> None:
    """The text is Google's where it is known."""
    status, answer = await emulator.post(path, body)

    assert status == 400
    assert answer["error"]["message"].startswith(message)


async def test_chat_models_do_not_embed_and_embedding_models_do_not_chat(emulator: Client) -> None:
    """The answer is a 404 in both cases."""
    status, answer = await emulator.post(f"/v1beta/models/{V3}:embedContent", request())
    chats, _ = await emulator.post(f"/v1beta/models/{MODEL}:generateContent", {"contents": []})

    assert (status, chats) == (404, 404)
    assert "is not supported for embedContent" in answer["error"]["message"]


async def test_embeddings_consume_faults_and_are_recorded(emulator: Client) -> None:
    """The first request gets the fault, the second one the answer."""
    await emulator.fault(status=503)
    statuses = [(await emulator.post(ONE, request()))[0] for _ in range(2)]

    assert statuses == [503, 200]
    assert [entry["verdict"]["status"] for entry in await emulator.journal()] == [503, 200]
