"""Reads answers through OpenAI's wire and the normalizers, and checks that what the client gets is legal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import normalize_answer
from proxy.core.errors import UpstreamFault
from proxy.planning.signatures.client_ids import CallIds
from proxy.upstream.wires.openai import StreamReader, read_answer
from tests.support.legal_shapes import assert_answer, assert_chunk

FUNCTION = {"name": "f", "arguments": "{}"}
CALL = {"id": "c1", "type": "function", "function": FUNCTION}
STREAMED_IDS = [CallIds("chatcmpl-abc").id_for(None, 0, at) for at in (0, 1)]
"""The ids that the proxy gives to the first two calls of a stream without ids."""

USAGE = {"prompt_tokens": 7, "completion_tokens": 3}
TOKEN = {
    "token": "a",
    "logprob": -0.5,
    "bytes": [97],
    "top_logprobs": [{"token": "a", "logprob": -1, "bytes": None}],
}


def whole(value: Any) -> Any:
    """Return *value*, the JSON of a provider's whole answer, as a client gets it. The answer must be legal."""
    read = read_answer(json.dumps(value).encode())
    found, notes = normalize_answer(
        read, fallback_id="chatcmpl-0123456789abcdef01234567", created=5, model="m"
    )
    assert notes.signed == []
    assert_answer(found)
    return found


def streamed(*values: Any) -> list[Any]:
    """Return the chunks of these events as a client gets them. Each chunk must be legal."""
    reader = StreamReader()
    normalizer = ChunkNormalizer(fallback_id="chatcmpl-abc", created=5, model="m", include_usage=True)
    found = []
    for value in values:
        for read in reader.feed(json.dumps(value).encode()):
            if (normalized := normalizer.normalize(read)) is not None:
                assert_chunk(normalized)
                found.append(normalized)
    if (usage := normalizer.last_chunk()) is not None:
        assert_chunk(usage)
        found.append(usage)
    return found


def is_refused(value: Any, event: Any) -> None:
    """Check that a whole answer and an event raise the provider's fault."""
    with pytest.raises(UpstreamFault):
        whole(value)
    with pytest.raises(UpstreamFault):
        streamed(event)
