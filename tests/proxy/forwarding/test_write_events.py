"""Tests that native events go to clients of the same format, unless a repair changed the content."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import normalize_answer
from proxy.answers.repaired import is_repaired
from proxy.core.source import OPENAI_CHAT, SOURCE, AnswerSource
from proxy.forwarding.write_events import find_native, hold_event, keep_source, write_answer, write_held
from proxy.ingress.openai_chat.format import OPENAI_CHAT as OPENAI
from tests.support.scripted_upstream import answer, chunk, say
from tests.support.toy_format import TOY, ToyStream

EVENT = {"more": "a", "cites": "https://a.test"}
NATIVE = AnswerSource("toy", EVENT)
WHOLE = {**answer("a"), SOURCE: NATIVE}


@pytest.mark.parametrize(
    ("format_name", "projected", "normalized", "found"),
    [
        ("toy", {**say("a"), SOURCE: NATIVE}, say("a"), NATIVE),
        ("toy", {**say("a"), SOURCE: NATIVE}, say("b"), None),
        ("toy", {**say("a"), SOURCE: NATIVE}, None, None),
        ("toy", {**chunk({"content": "a"}), SOURCE: NATIVE}, chunk({"content": "a"}), NATIVE),
        ("toy", {**chunk({"content": "a"}), SOURCE: NATIVE}, chunk({"content": "b"}), None),
        ("toy", {**chunk({"content": "a"}), SOURCE: NATIVE}, chunk({"content": "a"}, "stop"), None),
        ("toy", {**chunk({"content": "a"}, "stop"), SOURCE: NATIVE}, chunk({"content": "a"}), None),
        ("toy", {"choices": [], SOURCE: NATIVE}, None, NATIVE),
        (OPENAI_CHAT, {**say("a"), SOURCE: NATIVE}, say("a"), None),
        ("toy", say("a"), say("a"), None),
        ("toy", {**say("a"), SOURCE: {"format": "toy", "event": EVENT}}, say("a"), None),
    ],
    ids=[
        "the same",
        "mended",
        "held back",
        "the same text",
        "a mended text",
        "a finish reason that was added",
        "a finish reason that was held back",
        "nothing said",
        "another client",
        "no source",
        "a provider's own field",
    ],
)
def test_native_event_is_found_where_its_chunk_is_unchanged(
    format_name: str, projected: Any, normalized: Any, found: Any
) -> None:
    """A native event is found only for a client of the event's format whose chunk is unchanged."""
    assert find_native(format_name, projected, normalized) is found


def test_normalizer_drops_the_source() -> None:
    """The normalizer drops the native source of answers and chunks, since only allowed fields are written."""
    inner = {"content": "a", SOURCE: NATIVE}
    normalizer = ChunkNormalizer(fallback_id="c", created=1, model="m", include_usage=True)
    given = {**chunk(inner, "stop"), SOURCE: NATIVE, "usage": {"total_tokens": 1, SOURCE: NATIVE}}
    given["choices"][0][SOURCE] = NATIVE
    read = {**answer("a", **{SOURCE: NATIVE}), SOURCE: NATIVE}
    normalized = normalize_answer(read, fallback_id="c", created=1, model="m").answer

    for written in (
        normalizer.normalize(given),
        normalizer.last_chunk(),
        normalizer.head_chunk(),
        normalized,
    ):
        assert "AnswerSource" not in repr(written)
        assert SOURCE not in json.dumps(written)


def test_held_chunks_are_written_in_order_natively_or_canonically() -> None:
    """Held chunks are written in order, each as its native event or, without one, as the canonical chunk."""
    native = hold_event(json.dumps(say("a")).encode(), NATIVE)
    plain = hold_event(json.dumps(say("b")).encode(), None)
    writer = ToyStream()

    assert write_held(ToyStream(), [native, plain]) == writer.write_native(
        EVENT, say("a")
    ) + writer.write_chunk(say("b"))


def test_whole_answer_is_written_natively_unless_it_was_mended() -> None:
    """A whole answer is written from its native source only while the answer's content is unchanged."""
    same, mended = keep_source(WHOLE, answer("a")), keep_source(WHOLE, answer("b"))
    mended_later = keep_source(same, {**same, "choices": answer("c")["choices"]})

    assert json.loads(write_answer(TOY, same)) == {"native": EVENT}
    assert json.loads(write_answer(TOY, mended))["text"] == "b"
    assert json.loads(write_answer(TOY, mended_later))["text"] == "c"


def test_whole_answer_in_another_format_is_canonical() -> None:
    """A whole answer in another format is canonical, and contains no part of the native source."""
    assert json.loads(write_answer(OPENAI, keep_source(WHOLE, answer("a")))) == answer("a")


def test_providers_field_of_the_sources_name_is_not_a_source() -> None:
    """A provider's own field with the name of ``SOURCE`` is not taken for a native source."""
    projected = {**answer("a"), SOURCE: {"url": "x"}}

    assert keep_source(projected, answer("a")) == answer("a")


def with_choice(**fields: Any) -> dict[str, Any]:
    """Return an answer whose only choice has *fields*."""
    given = answer("a")
    return {**given, "choices": [{**given["choices"][0], **fields}]}


SIGNED = {"google": {"thought_signature": "QQ=="}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (answer("a"), answer("a")),
        (answer("a"), answer("b")),
        (answer(""), answer(None)),
        (answer("a", extra_content=SIGNED), answer("a")),
        (answer("a", refusal="no"), answer("a")),
        (answer("a"), answer("a", tool_calls=[{"function": {"arguments": "{}"}}])),
        (with_choice(finish_reason="length"), answer("a")),
        (with_choice(index=None), answer("a")),
        (with_choice(index=1), answer("a")),
        ({**answer("a"), "choices": None}, answer("a")),
        ({**answer("a"), "choices": [*answer("a")["choices"] * 2]}, answer("a")),
    ],
)
def test_source_is_kept_exactly_where_nothing_was_repaired(before: Any, after: Any) -> None:
    """Answers of nothing but text are compared in a short way, which must find the same."""
    kept = keep_source({**before, SOURCE: NATIVE}, after)

    assert (SOURCE in kept) is not is_repaired(before, after)
