"""Tests that a whole answer becomes the chunks of a stream."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.answers.normalize import ChunkNormalizer
from proxy.upstream.whole_as_chunks import whole_as_chunks
from tests.support.scripted_upstream import answer

CALLS = [
    {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
    {"id": "b", "type": "function", "function": {"name": "g", "arguments": '{"x": 1}'}},
]


def ended(message: dict[str, Any], reason: str | None, index: Any = 0) -> dict[str, Any]:
    """Return one choice of a whole answer."""
    return {"index": index, "message": {"role": "assistant", **message}, "finish_reason": reason}


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"content": "Good day."}, "stop"),
        ({"content": None, "tool_calls": CALLS}, "tool_calls"),
        ({"content": "x", "reasoning_content": "y"}, "length"),
        ({"content": None, "refusal": "No."}, "content_filter"),
    ],
    ids=["text", "calls", "thoughts", "refusal"],
)
def test_chunks_hold_the_whole_answer(message: dict[str, Any], reason: str) -> None:
    """One delta holds the message. The finish reason and the usage follow."""
    said, end, usage = whole_as_chunks({**answer(), "choices": [ended(message, reason)]})

    [choice] = said["choices"]
    calls = choice["delta"].pop("tool_calls", None)
    assert calls == (
        [{**call, "index": at} for at, call in enumerate(CALLS)] if "tool_calls" in message else None
    )
    kept = {name: value for name, value in message.items() if value is not None and name != "tool_calls"}
    assert choice["delta"] == {"role": "assistant", **kept}
    assert choice["finish_reason"] is None
    assert end["choices"] == [{"index": 0, "delta": {}, "finish_reason": reason}]
    assert (usage["choices"], usage["usage"]) == ([], answer()["usage"])
    assert {chunk["id"] for chunk in (said, end, usage)} == {"chatcmpl-scripted"}
    assert {chunk["object"] for chunk in (said, end, usage)} == {"chat.completion.chunk"}


def test_each_choice_keeps_its_index_and_log_probabilities() -> None:
    """A choice without an index gets its position."""
    choices = [
        ended({"content": "a"}, "stop", 1),
        {**ended({"content": "b"}, "stop", None), "logprobs": {"content": []}},
    ]
    chunks = whole_as_chunks({"choices": choices})

    assert [chunk["choices"][0]["index"] for chunk in chunks] == [1, 1, 1, 1]
    assert chunks[2]["choices"][0]["logprobs"] == {"content": []}
    assert "logprobs" not in chunks[0]["choices"][0]


@pytest.mark.parametrize("choices", [[ended({"content": "x"}, None)], [], None])
def test_missing_finish_reason_stays_missing(choices: Any) -> None:
    """A whole answer without a finish reason becomes chunks without a finish reason."""
    normalizer = ChunkNormalizer(fallback_id="x", created=1, model="m", include_usage=False)
    for chunk in whole_as_chunks({"choices": choices}):
        normalizer.normalize(chunk)

    assert not normalizer.finished
