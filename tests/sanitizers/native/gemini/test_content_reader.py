"""Tests of contents that are read one after the other: envelopes, joined texts, and what may break a rule."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.gemini.envelope import pack_thoughts
from sanitizers.native.gemini.project import GeminiProjection, project_contents
from tests.sanitizers.native.gemini.building import answered, called, model, said, user

TENANT = "tenant"
CLAUDES = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
PLACE = {"type": "tool_use", "id": "a"}
ASKED = user(said("go"))


def sealed(call_id: str, *blocks: dict[str, Any], tenant: str = TENANT) -> dict[str, str]:
    """Return the signature of a part with the envelope of *blocks*."""
    text = pack_thoughts([*blocks], "abcde", call_id, tenant)
    assert text is not None
    return {"thoughtSignature": text}


def read(*contents: dict[str, Any]) -> GeminiProjection:
    """Return *contents* as they are read for the tenant."""
    return project_contents(contents, tenant=TENANT)


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("model", "assistant"),
        ("MODEL", "assistant"),
        ("Assistant", "assistant"),
        ("bot", "user"),
        (None, "user"),
        (["model"], "user"),
    ],
)
def test_role_of_the_model_is_read_in_any_case(role: Any, expected: str) -> None:
    """The words of the model would else become the user's."""
    projected = read(ASKED, {"role": role, "parts": [said("a")]}, user(said("b")))

    assert [message["role"] for message in projected.messages] == ["user", expected, "user"]


def test_own_envelope_puts_the_thoughts_into_the_turn() -> None:
    """They come back verbatim, with their places, and the call has no signature."""
    bare = {"functionCall": called("f", "a")["functionCall"]}
    projected = read(ASKED, model({**bare, **sealed("a", CLAUDES, PLACE)}))
    turn = projected.messages[1]

    assert turn["thinking_blocks"] == [CLAUDES, PLACE]
    assert "extra_content" not in turn["tool_calls"][0]
    assert projected.originals[id(turn["tool_calls"][0])] == bare
    assert projected.changes == ()
    assert projected.odd == {1}


@pytest.mark.parametrize(
    "signature",
    [
        sealed("b", CLAUDES),
        sealed("a", CLAUDES, tenant="another"),
        {"thoughtSignature": sealed("a", CLAUDES)["thoughtSignature"][:-4]},
        {"thought_signature": "tr1/AAAA"},
    ],
)
def test_envelope_that_is_not_the_calls_own_is_left_out_and_named(signature: dict[str, str]) -> None:
    """It may be of another call, of another client, or damaged."""
    call = {"functionCall": called("f", "a")["functionCall"], **signature}
    projected = read(ASKED, model(call))

    assert "thinking_blocks" not in projected.messages[1]
    assert [(change.index, change.reason) for change in projected.changes] == [(1, "envelope_damaged")]
    assert projected.odd == {1}


def test_only_the_first_envelope_of_a_turn_counts() -> None:
    """A turn has one list of thoughts."""
    calls = [
        {"functionCall": called("f", name)["functionCall"], **sealed(name, CLAUDES)} for name in ("a", "b")
    ]
    projected = read(ASKED, model(*calls))

    assert projected.messages[1]["thinking_blocks"] == [CLAUDES]
    assert [change.reason for change in projected.changes] == ["envelope_damaged"]


def test_texts_of_the_model_are_one_text() -> None:
    """google-genai keeps each chunk of a stream as a part, some of them signed."""
    parts = [said("a"), {**said("b"), "thoughtSignature": "c2ln"}, {**said(""), "thoughtSignature": "c2ln"}]

    assert read(ASKED, model(*parts)).messages[1] == {"role": "assistant", "content": "ab"}
    assert read(user(said("a"), said("b"))).messages[0]["content"] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]


def test_signature_is_read_in_the_standard_alphabet() -> None:
    """The store has it as Gemini wrote it."""
    call = {"functionCall": called("f", "a")["functionCall"], "thought_signature": "-_-_"}
    [made] = read(ASKED, model(call)).messages[1]["tool_calls"]

    assert made["extra_content"] == {"google": {"thought_signature": "+/+/"}}


@pytest.mark.parametrize(
    "contents",
    [
        [
            ASKED,
            model({"text": "hm", "thought": True}, said("a"), called("f", "a")),
            user(answered("f", "a")),
        ],
        [ASKED, model(called("f"), called("g")), user(answered("f"), answered("g"))],
        [user(said("a"), {"inlineData": {"mimeType": "image/png", "data": "AAAA"}})],
        [ASKED, model({**said(""), "thoughtSignature": "c2ln"}, said("a"))],
    ],
)
def test_usual_contents_are_not_odd(contents: list[dict[str, Any]]) -> None:
    """Their rules need no second look."""
    assert read(*contents).odd == set()


CALLED = model(called("f", "a"))


@pytest.mark.parametrize(
    ("contents", "odd"),
    [
        ([{"parts": [said("a")]}], {0}),
        ([{"role": "USER", "parts": [said("a")]}], {0}),
        ([{"role": "user", "parts": said("a")}], {0}),
        ([user()], {0}),
        ([user(said("a"), said(""))], {0}),
        ([user({"text": "a", "inlineData": {}})], {0}),
        ([user(called("f", "a"))], {0}),
        ([ASKED, model({"text": "a", "thought": True})], {1}),
        ([ASKED, model({"functionCall": {"id": "a", "name": "", "args": {}}})], {1}),
        ([ASKED, model({"functionCall": {"id": "a", "name": "f", "args": 7}})], {1}),
        ([ASKED, CALLED, user(answered("f"))], {2}),
        ([ASKED, CALLED, user(answered("g", "a"))], {2}),
        ([ASKED, CALLED, user(answered("f", "a"), said("and"))], {2}),
        ([ASKED, CALLED, user({"functionResponse": {"id": "a", "name": "f", "response": "x"}})], {2}),
        ([ASKED, CALLED, model(answered("f", "a"))], {1}),
        ([ASKED, model(called("f")), user(answered("f", "x"))], {2}),
        ([ASKED, CALLED, user(said("later")), user(answered("f", "a"))], {2, 3}),
        (
            [
                ASKED,
                model(called("f", "a"), called("f", "b")),
                user(answered("f", "a")),
                user(answered("f", "b")),
            ],
            {2, 3},
        ),
    ],
)
def test_contents_that_may_break_a_rule_are_odd(contents: list[dict[str, Any]], odd: set[int]) -> None:
    """The chat messages alone would not show every one of these faults."""
    assert set(read(*contents).odd) >= odd
