"""Tests that a stream and a whole answer with the same parts give the same answer."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import AnswerFindings, normalize_answer
from proxy.core.errors import UpstreamFault
from proxy.planning.signatures.client_ids import CallIds
from proxy.planning.signatures.origins import tag_of
from proxy.upstream.wires.gemini import read_answer
from tests.proxy.upstream.wires.gemini.test_answers import SIGNATURE, call
from tests.proxy.upstream.wires.gemini.test_streams import USAGE, read

EMPTY, NONE = {"arguments": "{}"}, {"arguments": ""}
_ids = st.sampled_from([None, "", "c1", "c2", "f"])
_calls = st.builds(
    lambda name, args, call_id, signed: {
        **call(name, args, **({} if call_id is None else {"id": call_id})),
        **({"thoughtSignature": SIGNATURE} if signed else {}),
    },
    st.sampled_from(["f", "g"]),
    st.sampled_from([None, {}, {"a": 1}]),
    _ids,
    st.booleans(),
)
_texts = st.builds(
    lambda text, thought, signed: {
        "text": text,
        **({"thought": True} if thought else {}),
        **({"thoughtSignature": "QW5kZXJz"} if signed else {}),
    },
    st.sampled_from(["", " ", "a", "🙂\n"]),
    st.booleans(),
    st.booleans(),
)
_media = st.just({"inlineData": {"mimeType": "image/png", "data": "aGk="}})
_parts = st.lists(st.one_of(_texts, _calls, _media), max_size=8)
_reasons = st.sampled_from(["STOP", "MAX_TOKENS", "SAFETY", "OTHER", "MALFORMED_FUNCTION_CALL", None])


@given(
    st.lists(_parts, min_size=1, max_size=2), _reasons, st.lists(st.integers(0, 8), max_size=4), st.booleans()
)
def test_any_cut_of_the_parts_gives_the_same_answer(
    candidates: list[list[dict[str, Any]]], reason: str | None, cuts: list[int], trailing: bool
) -> None:
    """Wherever the parts are cut into events, the answer or the fault is the same. The ids of calls are unique."""
    common = {"responseId": "r1", "modelVersion": "v1"}
    ending = {"finishReason": reason} if reason else {}
    whole = {
        "candidates": [
            {"index": i, "content": {"parts": parts}, **ending} for i, parts in enumerate(candidates)
        ],
        "usageMetadata": USAGE,
        **common,
    }
    bounds = [0, *sorted(cuts), 8]
    events: list[dict[str, Any]] = [
        {
            "candidates": [{"index": i, "content": {"parts": p[a:b]}} for i, p in enumerate(candidates)],
            **common,
        }
        for a, b in pairwise(bounds)
    ]
    end: list[dict[str, Any]] = [{"index": i, **ending} for i in range(len(candidates))]
    events += [{"candidates": end, "usageMetadata": USAGE}] * (2 if trailing else 1)
    expected = outcome(lambda: read_answer(whole, model="m"))
    if isinstance(expected, str):
        assert outcome(lambda: read(*events)) == expected
        return

    chunks = read(*events)

    done = normalize_answer(expected, fallback_id="x", created=1, model="m", ids=ids())
    answer, findings = gathered(chunks)
    assert answer == done.answer
    assert set(findings.signed) == set(done.findings.signed)  # in a stream as soon as each is known
    for choice in expected["choices"]:
        own = [one["id"] for one in choice["message"].get("tool_calls", [])]
        assert len(own) == len(set(own))
    shown = [one["id"] for choice in done[0]["choices"] for one in choice["message"].get("tool_calls", [])]
    assert len(shown) == len(set(shown))


def ids() -> CallIds:
    """Return the source of ids for the calls of one answer. The tag is that of a model that signs its calls."""
    return CallIds("x", tag=tag_of("here gemini-3"))


def outcome(reading: Callable[[], Any]) -> Any:
    """Return what *reading* returns, or the message of its fault."""
    try:
        return reading()
    except UpstreamFault as fault:
        return fault.message


def gathered(chunks: list[dict[str, Any]]) -> tuple[dict[str, Any], AnswerFindings]:
    """Normalize the chunks, join them as a client does, and return the answer with the findings.

    The first piece of a call is whole. Only empty arguments and a late signature may come in a later piece.
    """
    normalizer = ChunkNormalizer(fallback_id="x", created=1, model="m", include_usage=True, ids=ids())
    messages: dict[int, dict[str, Any]] = {}
    ends: dict[int, str] = {}
    for chunk in filter(None, map(normalizer.normalize, chunks)):
        assert "usage" not in chunk
        for choice in chunk["choices"]:
            message = messages.setdefault(choice["index"], {"content": None})
            for name, value in choice["delta"].items():
                if name == "tool_calls":
                    for one in value:
                        add_piece(
                            message.setdefault("tool_calls", []), one, at_end=bool(choice["finish_reason"])
                        )
                elif name == "extra_content":
                    assert choice["finish_reason"]
                    message[name] = value
                else:
                    message[name] = (message.get(name) or "") + value
            if choice["finish_reason"]:
                assert choice["index"] not in ends
                ends[choice["index"]] = choice["finish_reason"]
    last = normalizer.last_chunk()
    assert last is not None
    assert last["choices"] == []
    answer = {
        "id": "r1",
        "object": "chat.completion",
        "created": 1,
        "model": "v1",
        "choices": [{"index": i, "message": messages[i], "finish_reason": ends[i]} for i in sorted(ends)],
        "usage": last["usage"],
    }
    return answer, normalizer.findings


def add_piece(calls: list[dict[str, Any]], piece: dict[str, Any], *, at_end: bool) -> None:
    """Begin the next call with *piece*, or add it to an earlier call."""
    place = piece.pop("index")
    if place == len(calls):
        calls.append(piece)
        return
    known = calls[place]
    assert at_end or piece["function"] == EMPTY  # which is said before the next call begins
    assert known.keys() & piece.keys() == {"function"}
    assert (known["function"]["arguments"], piece["function"]) in (
        ("", EMPTY),
        (known["function"]["arguments"], NONE),
    )
    known["function"]["arguments"] += piece.pop("function")["arguments"]
    known |= piece
    assert known.keys() <= {"id", "type", "function", "extra_content"}
