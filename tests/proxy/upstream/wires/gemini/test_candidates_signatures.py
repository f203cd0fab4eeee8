"""Tests that a signature on a part without a call goes to the next call, or to the answer's message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proxy.upstream.wires.gemini import build_request, read_answer
from sanitizers.gemini_profiles import GEMINI_3
from tests.proxy.upstream.wires.gemini.test_answers import SIGNATURE, body, call
from tests.proxy.upstream.wires.gemini.test_streams import STOP, event, read
from tests.support.builders import assistant, tool, user

OTHER = "QW5kZXJz"
THOUGHT = {"text": "w", "thought": True}
Parts = list[dict[str, Any]]


def signed(part: dict[str, Any], signature: Any = SIGNATURE) -> dict[str, Any]:
    """Return the part with a signature."""
    return {**part, "thoughtSignature": signature}


Said = tuple[list[dict[str, Any]], str | None]
"""The calls of an answer without their indexes, and the answer's own signature."""


def whole(parts: Parts) -> Said:
    """Return the calls and the signature of an answer that is read as a whole."""
    message = read_answer(body(*parts), model="m")["choices"][0]["message"]
    return message.get("tool_calls", []), signature_of(message)


def streamed(parts: Parts) -> Said:
    """Return the calls and the signature of an answer that is streamed with one part per event.

    The answer's own signature is in the last chunk.
    """
    chunks = read(*map(event, parts), STOP)
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    calls = [one for choice in choices for one in choice["delta"].get("tool_calls", [])]
    ends = [choice["delta"] for choice in choices if choice["finish_reason"]]
    assert not any("extra_content" in choice["delta"] for choice in choices if not choice["finish_reason"])
    return [{k: v for k, v in one.items() if k != "index"} for one in calls], signature_of(ends[0])


def signature_of(holder: dict[str, Any]) -> str | None:
    """Return the signature of a call, a message or a delta."""
    extra = holder.get("extra_content")
    assert extra is None or extra.keys() == {"google"}
    return extra and str(extra["google"]["thought_signature"])


WAYS = pytest.mark.parametrize("said", [whole, streamed])


@WAYS
@pytest.mark.parametrize(
    ("parts", "signatures", "loose"),
    [
        ([signed(THOUGHT), call(id="a"), call(id="b")], [SIGNATURE, None], None),
        ([THOUGHT, signed({"text": ""}), call(id="a")], [SIGNATURE], None),
        ([signed({"text": "So."}), call(id="a"), call(id="b")], [SIGNATURE, None], None),
        ([signed({}), call(id="a")], [SIGNATURE], None),
        ([signed(THOUGHT, OTHER), signed({"text": ""}), call(id="a")], [SIGNATURE], None),
        ([signed(THOUGHT), {"text": "So."}, call(id="a")], [SIGNATURE], None),
        ([signed(THOUGHT, OTHER), signed(call(id="a")), call(id="b")], [SIGNATURE, None], None),
        ([call(id="a"), signed({"text": ""}), call(id="b")], [None, SIGNATURE], None),
        ([call(id="a"), signed({"text": ""}), call(id="a"), call(id="b")], [None, SIGNATURE], None),
        ([call(id="a"), signed({"text": ""})], [None], SIGNATURE),
        ([signed(call(id="a"), OTHER), signed({"text": ""})], [OTHER], SIGNATURE),
        ([signed(THOUGHT, 7), signed({"text": ""}, ""), call(id="a")], [None], None),
        ([{"text": "So."}, signed({"text": ""})], [], SIGNATURE),
        ([signed(THOUGHT, OTHER), signed({"text": "So."})], [], SIGNATURE),
        ([signed({"text": "So."}, 7)], [], None),
    ],
)
def test_next_call_takes_a_signature_without_a_call(
    said: Callable[[Parts], Said], parts: Parts, signatures: list[str | None], loose: str | None
) -> None:
    """A call with a signature of its own keeps that signature. A repeated call takes no signature."""
    calls, rest = said(parts)

    assert [one["id"] for one in calls] == list("ab")[: len(signatures)]
    assert [signature_of(one) for one in calls] == signatures
    assert rest == loose


@WAYS
def test_signature_is_sent_back_on_its_call(said: Callable[[Parts], Said]) -> None:
    """Gemini looks for a signature on the call that was signed."""
    calls, _ = said([signed(THOUGHT), call(id="a")])

    sent = build_request([user("x"), assistant(None, calls), tool("a")], {}, GEMINI_3, "m")

    assert sent["contents"][1]["parts"] == [
        {"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": SIGNATURE}
    ]


def test_signatures_stay_within_their_candidate() -> None:
    """Another candidate's call does not get the signature."""
    events = [
        {"candidates": [{"index": 0, "content": {"parts": [signed(THOUGHT)]}}]},
        {"candidates": [{"index": 1, "content": {"parts": [call(id="a")]}}]},
        {"candidates": [{"index": 0, "content": {"parts": [call(id="a")]}}]},
        {"candidates": [{"index": i, "finishReason": "STOP"} for i in (0, 1)]},
    ]

    found = {
        choice["index"]: (one["id"], signature_of(one))
        for chunk in read(*events)
        for choice in chunk["choices"]
        for one in choice["delta"].get("tool_calls", [])
    }

    assert found == {0: ("a", SIGNATURE), 1: ("a", None)}
