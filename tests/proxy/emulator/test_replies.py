"""Tests of answers as a whole body and as the chunks of a stream."""

from __future__ import annotations

from typing import Any

from proxy.emulator.answers import Answer
from proxy.emulator.replies import chunks, whole

CALLS = tuple({"functionCall": {"name": name, "args": {}}} for name in "fg")
TEXT = ({"text": "one two three four"},)


def answer(*parts: dict[str, Any], **fields: Any) -> Answer:
    """Return a finished answer with *parts*."""
    return Answer(parts, "STOP", {"promptTokenCount": 1, "totalTokenCount": 2}, "id", "m", **fields)


def candidates(given: Answer) -> list[dict[str, Any]]:
    """Return the first candidate of each chunk."""
    return [chunk["candidates"][0] for chunk in chunks(given)]


def test_text_is_split_and_its_signature_is_on_an_empty_text_at_the_end() -> None:
    """The chunks of an answer with text join to the whole text.

    Only the last chunk has the finish reason and the total token count.
    """
    given = answer(*TEXT, text_signature="cw==")
    parts = [candidate["content"]["parts"][0] for candidate in candidates(given)]

    assert "".join(part["text"] for part in parts) == TEXT[0]["text"]
    assert len(parts) > 3
    assert parts[-1] == {"text": "", "thoughtSignature": "cw=="}
    assert [candidate.get("finishReason") for candidate in candidates(given)] == [None] * 4 + ["STOP"]
    assert ["totalTokenCount" in chunk["usageMetadata"] for chunk in chunks(given)] == [False] * 4 + [True]
    assert whole(given)["candidates"][0]["content"]["parts"] == [{**TEXT[0], "thoughtSignature": "cw=="}]


def test_each_streamed_call_is_whole_in_its_chunk() -> None:
    """Each streamed call is whole in one chunk. From Gemini 3 on, an empty text follows with the finish reason."""
    old, new = candidates(answer(*CALLS)), candidates(answer(*CALLS, trailing_stop=True))

    assert [candidate["content"]["parts"] for candidate in old] == [[call] for call in CALLS]
    assert [candidate.get("finishReason") for candidate in old] == [None, "STOP"]
    assert [candidate.get("finishReason") for candidate in new] == [None, None, "STOP"]
    assert new[-1]["content"]["parts"] == [{"text": ""}]


def test_answer_without_parts_is_one_chunk_without_parts() -> None:
    """Google writes no empty list of parts (python-genai#1289)."""
    assert candidates(answer(candidates=2)) == [
        {"content": {"role": "model"}, "finishReason": "STOP", "index": 0}
    ]
    assert [candidate["index"] for candidate in whole(answer(candidates=2))["candidates"]] == [0, 1]
