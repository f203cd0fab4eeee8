"""Signatures in answers that do not stand on a call: the next call takes them, whole and streamed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proxy.wires.gemini import build_request, read_answer
from sanitizers.profiles import GEMINI_3
from tests.proxy.wires.gemini.test_answers import SIGNATURE, body, call
from tests.proxy.wires.gemini.test_streams import STOP, event, read
from tests.support.builders import assistant, tool, user

OTHER = "QW5kZXJz"
THOUGHT = {"text": "w", "thought": True}
Parts = list[dict[str, Any]]


def signed(part: dict[str, Any], signature: Any = SIGNATURE) -> dict[str, Any]:
    """Return the part with a signature."""
    return {**part, "thoughtSignature": signature}


def whole(parts: Parts) -> list[str]:
    """Return the ids of the calls in a whole answer."""
    message = read_answer(body(*parts), model="m")["choices"][0]["message"]
    return [one["id"] for one in message.get("tool_calls", [])]


def streamed(parts: Parts) -> list[str]:
    """Return the ids of the calls in a stream of one part an event."""
    chunks = read(*map(event, parts), STOP)
    given = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    return [one["id"] for delta in given for one in delta.get("tool_calls", [])]


WAYS = pytest.mark.parametrize("ids_of", [whole, streamed])


@WAYS
@pytest.mark.parametrize(
    ("parts", "signatures"),
    [
        ([signed(THOUGHT), call(id="a"), call(id="b")], [SIGNATURE, None]),
        ([THOUGHT, signed({"text": ""}), call(id="a")], [SIGNATURE]),
        ([signed({"text": "So."}), call(id="a"), call(id="b")], [SIGNATURE, None]),
        ([signed({}), call(id="a")], [SIGNATURE]),
        ([signed(THOUGHT, OTHER), signed({"text": ""}), call(id="a")], [SIGNATURE]),
        ([signed(THOUGHT), {"text": "So."}, call(id="a")], [SIGNATURE]),
        ([signed(THOUGHT, OTHER), signed(call(id="a")), call(id="b")], [SIGNATURE, None]),
        ([call(id="a"), signed({"text": ""}), call(id="b")], [None, SIGNATURE]),
        ([call(id="a"), signed({"text": ""}), call(id="a"), call(id="b")], [None, SIGNATURE]),
        ([call(id="a"), signed({"text": ""})], [None]),
        ([signed(THOUGHT, 7), signed({"text": ""}, ""), call(id="a")], [None]),
    ],
)
def test_the_next_call_takes_it(
    ids_of: Callable[[Parts], list[str]], parts: Parts, signatures: list[str | None]
) -> None:
    """The call right behind it, unless that has its own; a call that was sent before is no call."""
    assert ids_of(parts) == [
        name if signature is None else f"{name}__thought__{signature}"
        for name, signature in zip("ab", signatures, strict=False)
    ]


@WAYS
def test_it_goes_home_on_the_call(ids_of: Callable[[Parts], list[str]]) -> None:
    """In the next request it stands where Gemini looks for it."""
    (call_id,) = ids_of([signed(THOUGHT), call(id="a")])
    calls = [{"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}"}}]

    sent = build_request([user("x"), assistant(None, calls), tool(call_id)], {}, GEMINI_3, "m")

    assert sent["contents"][1]["parts"] == [
        {"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": SIGNATURE}
    ]


def test_candidates_keep_their_own() -> None:
    """A signature of one candidate is none for another's call."""
    events = [
        {"candidates": [{"index": 0, "content": {"parts": [signed(THOUGHT)]}}]},
        {"candidates": [{"index": 1, "content": {"parts": [call(id="a")]}}]},
        {"candidates": [{"index": 0, "content": {"parts": [call(id="a")]}}]},
        {"candidates": [{"index": i, "finishReason": "STOP"} for i in (0, 1)]},
    ]

    ids = {
        choice["index"]: one["id"]
        for chunk in read(*events)
        for choice in chunk["choices"]
        for one in choice["delta"].get("tool_calls", [])
    }

    assert ids == {0: f"a__thought__{SIGNATURE}", 1: "a"}
