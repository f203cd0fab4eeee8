"""Tests of an answer's thoughts: the part for the client, and the part for the store."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.answers.answer_thoughts import read_thoughts, shown_thoughts
from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import normalize_answer
from proxy.core.canonical_chat import THINKING_LAYOUT
from proxy.planning.signatures.client_ids import CallIds
from proxy.state.kept_thoughts import Called, Thoughts

Item = dict[str, Any]
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
HIDDEN = {"type": "redacted_thinking", "data": "x"}
ENTRIES: list[Item] = [
    THOUGHT,
    {"type": "text", "length": 3},
    HIDDEN,
    {"type": "tool_use", "id": "toolu_1"},
]
LAYOUT = {"entries": ENTRIES, "text": "Hi."}
CALL = {"id": "toolu_1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
HEAD = {"id": "msg_1", "object": "chat.completion", "created": 1, "model": "m"}


def ids() -> CallIds:
    """Return ids that the proxy makes."""
    return CallIds("seed", tag="abcde")


def whole(message: Item, *, with_places: bool = False) -> tuple[Item, list[Thoughts]]:
    """Return the message for the client, and the thoughts for the store."""
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    given = {**HEAD, "choices": [choice]}
    made = normalize_answer(given, fallback_id="c", created=1, model="m", ids=ids(), with_places=with_places)
    client: Item = made.answer["choices"][0]["message"]
    return client, made.findings.thoughts


def streamed(*deltas: Item, with_places: bool = False) -> tuple[list[Item], list[Thoughts]]:
    """Return the deltas for the client, and the thoughts for the store. The last delta ends the answer."""
    normalizer = ChunkNormalizer(
        fallback_id="c", created=1, model="m", include_usage=False, ids=ids(), with_places=with_places
    )
    made = []
    for at, delta in enumerate(deltas):
        reason = "stop" if at == len(deltas) - 1 else None
        chunk = normalizer.normalize(
            {**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        )
        made += [] if chunk is None else [choice["delta"] for choice in chunk["choices"]]
    return made, normalizer.findings.thoughts


def test_whole_answer_shows_thoughts_and_keeps_places() -> None:
    """Places have the ids that the client knows."""
    message, kept = whole(
        {"role": "assistant", "content": "Hi.", "tool_calls": [CALL], THINKING_LAYOUT: LAYOUT}
    )
    [call] = message["tool_calls"]
    assert message["thinking_blocks"] == [THOUGHT, HIDDEN]
    assert THINKING_LAYOUT not in message
    [thoughts] = kept
    assert thoughts.entries == [*ENTRIES[:3], {"type": "tool_use", "id": call["id"]}]
    assert (thoughts.text, thoughts.calls) == ("Hi.", [Called(call["id"], "f", '{"a":1}')])


def test_stream_shows_thoughts_with_its_end() -> None:
    """The last delta has all of them, so that no client joins half a block."""
    piece = {"index": 0, **CALL}
    deltas, kept = streamed({"content": "Hi."}, {"tool_calls": [piece]}, {THINKING_LAYOUT: LAYOUT})
    assert deltas[-1] == {"thinking_blocks": [THOUGHT, HIDDEN]}
    assert not any("thinking_blocks" in delta for delta in deltas[:-1])
    [thoughts] = kept
    assert thoughts.entries[-1]["id"] == deltas[1]["tool_calls"][0]["id"]


def test_answer_without_thoughts_shows_none() -> None:
    """That it had none is kept for its calls."""
    nothing = {"entries": [], "text": ""}
    message, kept = whole(
        {"role": "assistant", "content": None, "tool_calls": [CALL], THINKING_LAYOUT: nothing}
    )
    assert "thinking_blocks" not in message
    assert [(thoughts.entries, len(thoughts.calls)) for thoughts in kept] == [([], 1)]


@pytest.mark.parametrize("layout", [None, "x", [], {}, {"entries": "x"}])
def test_field_of_another_server_is_no_layout(layout: Any) -> None:
    """It is left out like any unknown field."""
    assert read_thoughts(layout, None) is None
    message, kept = whole({"role": "assistant", "content": "Hi.", THINKING_LAYOUT: layout})
    assert (message, kept) == ({"role": "assistant", "content": "Hi."}, [])


def test_places_are_shown_to_a_format_that_seals_them() -> None:
    """The places of calls have the client's ids. Places without a thought are nothing to seal."""
    said = {"content": "Hi.", "tool_calls": [CALL], THINKING_LAYOUT: LAYOUT}
    message, [kept] = whole(said, with_places=True)
    assert message["thinking_blocks"] == kept.entries
    assert message["thinking_blocks"][-1] == {"type": "tool_use", "id": message["tool_calls"][0]["id"]}
    deltas, [kept] = streamed({"content": "Hi."}, {THINKING_LAYOUT: LAYOUT}, with_places=True)
    assert deltas[-1]["thinking_blocks"] == kept.entries
    bare, _ = whole({"content": "Hi.", THINKING_LAYOUT: {"entries": ENTRIES[1:2]}}, with_places=True)
    assert "thinking_blocks" not in bare


def test_shown_thoughts_have_no_places() -> None:
    """Clients know the blocks of litellm."""
    assert shown_thoughts(Thoughts(ENTRIES, "", ()), with_places=False) == [THOUGHT, HIDDEN]
