"""Tests of the emulator's embeddings and refusals, with Google's texts where they are known."""

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
    """Return the request to embed *text*."""
    return {"model": f"models/{MODEL}", "content": {"parts": [{"text": text}]}, **fields}


async def test_vector_depends_on_the_text_alone(emulator: Client) -> None:
    """A text has the same vector alone and in a batch. The vector has the requested size."""
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
    """Newer embedding models report their usage."""
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
    """An illegal embedding request is a 400 that names the broken rule."""
    status, answer = await emulator.post(path, body)

    assert status == 400
    assert answer["error"]["message"].startswith(message)


async def test_chat_models_do_not_embed_and_embedding_models_do_not_chat(emulator: Client) -> None:
    """Chat models do not embed, and embedding models do not chat: both give a 404."""
    status, answer = await emulator.post(f"/v1beta/models/{V3}:embedContent", request())
    chats, _ = await emulator.post(f"/v1beta/models/{MODEL}:generateContent", {"contents": []})

    assert (status, chats) == (404, 404)
    assert "is not supported for embedContent" in answer["error"]["message"]


async def test_embeddings_consume_faults_and_are_recorded(emulator: Client) -> None:
    """A request for embeddings uses up a fault and is recorded in the journal."""
    await emulator.fault(status=503)
    statuses = [(await emulator.post(ONE, request()))[0] for _ in range(2)]

    assert statuses == [503, 200]
    assert [entry["verdict"]["status"] for entry in await emulator.journal()] == [503, 200]
