"""Tests that the fast path for text chunks gives the same result as the full path.

Each chunk is compared with an equal chunk that has an extra empty field and so takes the full path.
"""

from __future__ import annotations

import copy
from typing import Any

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from proxy.answers.normalize import ChunkNormalizer
from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import Chunk
from proxy.upstream.wires.gemini import StreamReader as GeminiReader
from proxy.upstream.wires.openai import StreamReader

TEXTS = st.text(st.sampled_from(["a", " ", "é", "{", "}", '"', "\ud83d", "\ude00"]), max_size=3)
ARGUMENTS = st.sampled_from(['{"a":', "1}", "{}", '{"a":1}', "", " ", '{"b":2}{"c":3}', '"{}"', "é", "null"])
REASONS = st.sampled_from([None, None, None, None, "stop", "length"])

TEXT_DELTAS = st.builds(lambda text: {"content": text}, TEXTS)
HEADS = st.builds(
    lambda index, call_id, name, arguments: {
        "tool_calls": [
            {
                "index": index,
                "id": call_id,
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
        ]
    },
    st.integers(0, 2),
    st.sampled_from(["x", "y"]),
    st.sampled_from(["f", "g", None]),
    ARGUMENTS,
)
PIECES = st.builds(
    lambda index, arguments: {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]},
    st.integers(0, 2),
    ARGUMENTS,
)
CHOICES = st.builds(
    lambda index, delta, reason: {"index": index, "delta": delta, "finish_reason": reason},
    st.integers(0, 1),
    TEXT_DELTAS | HEADS | PIECES | PIECES,
    REASONS,
)


def with_company(choice: dict[str, Any]) -> dict[str, Any]:
    """Return the choice with an extra empty field, which forces the full path."""
    delta = copy.deepcopy(choice["delta"])
    for call in delta.get("tool_calls", ()):
        call.setdefault("id", None)
    return {**choice, "delta": {**delta, "vendor": None}}


def passed_on(choices: list[dict[str, Any]]) -> list[Chunk | str | None]:
    """Return the chunks that a client gets for *choices*, the fault if any, and the findings."""
    reader = StreamReader()
    normalizer = ChunkNormalizer(fallback_id="x", created=1, model="m", include_usage=False)
    got: list[Chunk | str | None] = []
    try:
        for choice in choices:
            payload = orjson.dumps({"choices": [choice]})
            got += [copy.deepcopy(normalizer.normalize(chunk)) for chunk in reader.feed(payload)]
    except UpstreamFault as fault:
        got.append(fault.message)
    return [*got, repr(normalizer.findings)]


def written(choice: dict[str, Any]) -> bool:
    """Return True if orjson can write the choice. The tests of surrogates cover other choices."""
    try:
        orjson.dumps(choice)
    except orjson.JSONEncodeError:
        return False
    return True


NAMELESS = {"index": 0, "id": "x", "function": {"arguments": "{"}}
GOES_ON = {"index": 0, "function": {"arguments": '"a":1}'}}


@example(
    choices=[
        {"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": None} for piece in (NAMELESS, GOES_ON)
    ]
)
@given(choices=st.lists(CHOICES.filter(written), max_size=12))
def test_an_openai_chunk_takes_either_path_alike(choices: list[dict[str, Any]]) -> None:
    """A chunk with a text or a piece of a call gives the same result with and without an extra field."""
    assert passed_on(choices) == passed_on([with_company(choice) for choice in choices])


@given(said=st.lists(st.tuples(TEXTS, REASONS), max_size=12))
def test_surrogates_and_ends_take_either_path_alike(said: list[tuple[str, str | None]]) -> None:
    """Surrogates and finish reasons give the same result with and without an extra field."""

    def texts(company: dict[str, Any]) -> list[Chunk | None]:
        normalizer = ChunkNormalizer(fallback_id="x", created=1, model="m", include_usage=False)
        choices = (
            {"index": 0, "delta": {"content": text, **company}, "finish_reason": reason}
            for text, reason in said
        )
        return [normalizer.normalize({"choices": [choice]}) for choice in choices]

    assert texts({}) == texts({"vendor": None})


@given(
    parts=st.lists(TEXTS, max_size=8),
    reasons=st.lists(st.sampled_from([None, None, "STOP"]), min_size=8, max_size=8),
)
def test_a_gemini_chunk_takes_either_path_alike(parts: list[str], reasons: list[str | None]) -> None:
    """A part of Gemini's answer without ``thought`` is read like a part with ``thought: false``."""

    def chunks(company: dict[str, Any]) -> list[Any]:
        reader = GeminiReader("m")
        got: list[Any] = []
        for text, reason in zip(parts, reasons, strict=False):
            candidate = {"content": {"parts": [{"text": text, **company}]}, "finishReason": reason}
            got += [*reader.feed({"candidates": [candidate]}), reader.may_end(1), reader.is_over()]
        try:
            got += reader.close()
        except UpstreamFault as fault:
            got.append(fault.message)
        return got

    assert chunks({}) == chunks({"thought": False})
