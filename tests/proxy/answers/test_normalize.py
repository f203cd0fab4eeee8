"""Tests that a provider's stream is normalised: its finish reason, its empty calls and its empty texts."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.restore_tool_names import ToolNameMap


def finish_of(*choices: dict[str, Any]) -> Any:
    """Return the finish reason that a client gets for a stream of *choices*."""
    normalizer = ChunkNormalizer(fallback_id="f", created=1, model="m", include_usage=False)
    reason = None
    for choice in choices:
        chunk = normalizer.normalize({"choices": [{"index": 0, **choice}]})
        if chunk is not None:
            reason = chunk["choices"][0]["finish_reason"]
    return reason


@pytest.mark.parametrize("legacy", [None, {}, {"name": "", "arguments": ""}])
@pytest.mark.parametrize("reason", ["tool_calls", "function_call"])
def test_an_empty_function_call_is_no_call(reason: str, legacy: Any) -> None:
    """An empty ``function_call``, which some servers write into every delta, is no call.

    Otherwise an agent would wait for a call that never comes.
    """
    assert (
        finish_of({"delta": {"content": "a", "function_call": legacy}}, {"finish_reason": reason}) == "stop"
    )


def test_a_function_call_has_its_finish_reason() -> None:
    """A stream with a ``function_call`` ends with this finish reason, even if the server gives another reason."""
    said = {"delta": {"function_call": {"name": "f", "arguments": "{}"}}}
    rest = {"delta": {"function_call": None}, "finish_reason": "tool_calls"}

    assert finish_of(said, rest) == "function_call"


def test_the_first_chunk_with_a_choice_names_the_model() -> None:
    """Azure's filter comes first, with an empty id and model (openai-python#1677)."""
    normalizer = ChunkNormalizer(fallback_id="f", created=1, model="m", include_usage=False)
    head = {"id": "c-1", "model": "gpt-4o-2024-11-20"}
    said = {"choices": [{"index": 0, "delta": {"content": "a"}}]}

    assert normalizer.normalize({"id": "", "model": "", "choices": []}) is None
    told = normalizer.normalize({**head, **said})
    later = normalizer.normalize({"id": "c-2", "model": "other", **said})

    assert [{name: chunk[name] for name in head} for chunk in (told, later) if chunk] == [head, head]


def test_no_empty_text_stands_beside_a_call_that_was_held_back() -> None:
    """The chunk that finally sends a withheld call has no empty content."""
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}
    names = ToolNameMap({"f_1": "f.1"})
    normalizer = ChunkNormalizer(fallback_id="f", created=1, model="m", include_usage=False, names=names)

    chunk = normalizer.normalize(
        {
            "choices": [
                {"index": 0, "delta": {"content": "", "tool_calls": [call]}, "finish_reason": "tool_calls"}
            ]
        }
    )

    assert chunk is not None
    assert chunk["choices"][0]["delta"].keys() == {"role", "tool_calls"}
