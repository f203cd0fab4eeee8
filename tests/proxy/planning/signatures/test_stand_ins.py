"""Tests that a call gets a stand-in where Gemini 3 requires a signature and the signature is lost."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from proxy.emulator import judge
from proxy.planning.signatures.stand_ins import with_stand_ins
from proxy.upstream.signature_carriers import STAND_IN, STAND_INS
from proxy.upstream.wires.gemini import build_request
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from sanitizers.profiles import OPENAI
from tests.support.builders import assistant, call, system, tool, user

REAL = "T3Vycw=="
MODEL = "gemini-3-pro-preview"
History = list[dict[str, Any]]


def signed(call_id: str, signature: str = REAL, **extra: Any) -> dict[str, Any]:
    """Return a call with a signature in the canonical field."""
    return call(call_id, extra_content={"google": {"thought_signature": signature}, **extra})


def on_calls(messages: Any) -> list[str | None]:
    """Return the signatures of all calls."""
    return [
        one.get("extra_content", {}).get("google", {}).get("thought_signature")
        for message in messages
        for one in message.get("tool_calls", [])
    ]


@pytest.mark.parametrize(
    ("history", "signatures", "count"),
    [
        ([user("a"), assistant(None, [call("c1")]), tool("c1")], [STAND_IN], 1),
        (
            [user("a"), assistant(None, [call("c1"), call("c2")]), tool("c1"), tool("c2")],
            [STAND_IN, None],
            1,
        ),
        (
            [user("a"), assistant(None, [call("c1"), signed("c2")]), tool("c1"), tool("c2")],
            [STAND_IN, REAL],
            1,
        ),
        ([user("a"), assistant(None, [signed("c1"), call("c2")]), tool("c1"), tool("c2")], [REAL, None], 0),
        (
            [user("a"), assistant(None, [call("c1")]), tool("c1"), assistant(None, [call("c2")]), tool("c2")],
            [STAND_IN, STAND_IN],
            2,
        ),
        (
            [
                user("a"),
                assistant(None, [signed("c1")]),
                tool("c1"),
                assistant(None, [call("c2")]),
                tool("c2"),
            ],
            [REAL, STAND_IN],
            1,
        ),
        (
            [
                user("a"),
                assistant("b"),
                assistant(None, [call("c1")]),
                assistant(None, [call("c2")]),
                tool("c1"),
                tool("c2"),
            ],
            [STAND_IN, None],
            1,
        ),
        ([user("a"), assistant(None, [call("c1")]), system("s"), tool("c1")], [STAND_IN], 1),
        (
            [user("a"), assistant(None, [call("c1")]), tool("c1"), user("b"), assistant("c")],
            [STAND_IN],
            1,
        ),
        ([user("a"), assistant("b")], [], 0),
    ],
    ids=[
        "one",
        "parallel",
        "parallel, a later one signed",
        "parallel, signed",
        "one after the other",
        "one after the other, the first signed",
        "one content of several messages",
        "system message",
        "earlier turn",
        "no call",
    ],
)
def test_the_first_call_of_each_content_has_one(
    history: History, signatures: list[str | None], count: int
) -> None:
    """A call that has a signature keeps this signature. Later parallel calls need no signature, so they get none."""
    before = copy.deepcopy(history)

    messages, replaced = with_stand_ins(history, GEMINI_3)

    assert history == before
    assert (on_calls(messages), replaced) == (signatures, count)
    if replaced == 0:
        assert messages is history


def test_system_messages_begin_no_content() -> None:
    """Gemini's contents have no system messages, so calls before and after a system message are parallel."""
    history = [user("a"), assistant(None, [call("c1")]), system("s"), assistant(None, [call("c2")])]

    assert on_calls(with_stand_ins(history, GEMINI_3)[0]) == [STAND_IN, None]


@pytest.mark.parametrize("profile", [GEMINI_1, GEMINI_2, OPENAI], ids=lambda profile: profile.name)
def test_models_that_require_none_get_none(profile: Any) -> None:
    """Gemini 1, Gemini 2 and OpenAI's models require no signature, so they get no stand-in."""
    history = [user("a"), assistant(None, [call("c1"), signed("c2")]), tool("c1"), tool("c2")]

    messages, replaced = with_stand_ins(history, profile)

    assert messages is history
    assert replaced == 0


def test_other_fields_stay() -> None:
    """A stand-in is added to the call, and the call's other fields stay."""
    history = [user("a"), assistant("b", [call("c1", extra_content={"google": {"x": 1}}, y=2)]), tool("c1")]

    messages, _ = with_stand_ins(history, GEMINI_3)

    assert messages == [
        user("a"),
        assistant("b", [call("c1", extra_content={"google": {"x": 1, "thought_signature": STAND_IN}}, y=2)]),
        tool("c1"),
    ]


@pytest.mark.parametrize("stand_in", sorted(STAND_INS))
def test_a_stand_in_that_is_there_is_counted(stand_in: str) -> None:
    """A stand-in that the history already has stays, and counts as a lost signature."""
    history = [user("a"), assistant(None, [signed("c1", stand_in)]), tool("c1")]

    messages, replaced = with_stand_ins(history, GEMINI_3)

    assert messages is history
    assert replaced == 1
    assert judge(MODEL, build_request(messages, {}, GEMINI_3, MODEL)) is None


@pytest.mark.parametrize("profile", [GEMINI_3, GEMINI_3_STRICT], ids=lambda profile: profile.name)
def test_the_judge_accepts_them(profile: Any) -> None:
    """The emulator's judge reports a missing signature without stand-ins, and nothing with stand-ins."""
    history = [
        user("a"),
        assistant(None, [call("c1"), call("c2")]),
        tool("c1"),
        tool("c2"),
        assistant("b", [call("c3")]),
        tool("c3"),
    ]

    refusal = judge(MODEL, build_request(history, {}, profile, MODEL))
    body = build_request(with_stand_ins(history, profile)[0], {}, profile, MODEL)

    assert refusal is not None
    assert "missing a thought_signature" in refusal.message
    assert judge(MODEL, body) is None
    parts = [part for content in body["contents"] for part in content["parts"] if "functionCall" in part]
    assert [part.get("thoughtSignature") for part in parts] == [STAND_IN, None, STAND_IN]
