"""Tests of repairs to model turns with several calls, and to turns with both a text and calls."""

from __future__ import annotations

import re
from typing import Any

import pytest

from proxy.planning.repairs.repair_rounds import separate_texts_from_calls, split_parallel_calls
from sanitizers import Profile, find_violations
from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import CHAT_TEMPLATE, DEEPSEEK_THINKING, MISTRAL
from sanitizers.synthetic import CONTINUE
from tests.proxy.planning.repairs.asking import draft_of, listed, refusal
from tests.support.builders import assistant, call, text, tool, user

ERROR = refusal("No.")
A, B, C = "aaaaaaaa1", "bbbbbbbb2", "cccccccc3"
PARALLEL = [
    user("go"),
    assistant("Three.", [call(A), call(B, "g"), call(C, "h")]),
    tool(A, "one"),
    tool(B, "two"),
    tool(C, "three"),
]
BESIDE = [
    user("go"),
    assistant("I look.", [call(A)]),
    tool(A, "one"),
    assistant("I see.", [call(B)]),
    tool(B, "two"),
]


def test_each_call_gets_a_round_with_its_result() -> None:
    """Each call of a turn gets a turn of its own, with its result.

    The first keeps the text. One change with the turn's index is listed.
    """
    draft = split_parallel_calls(draft_of([*PARALLEL, assistant("done")]), ERROR)

    assert draft.messages == [
        user("go"),
        assistant("Three.", [call(A)]),
        tool(A, "one"),
        assistant(None, [call(B, "g")]),
        tool(B, "two"),
        assistant(None, [call(C, "h")]),
        tool(C, "three"),
        assistant("done"),
    ]
    assert listed(draft) == [("replaced", 1, "parallel_calls", "")]


@pytest.mark.parametrize("profile", [OPENAI, CHAT_TEMPLATE, DEEPSEEK_THINKING, MISTRAL], ids=lambda p: p.name)
def test_rounds_are_legal_for_the_profile(profile: Profile) -> None:
    """A split history breaks no rule of its profile, such as the rule that each turn must have reasoning."""
    history = [PARALLEL[0], {**PARALLEL[1], "reasoning_content": "Hm."}, *PARALLEL[2:]]
    history = history if profile is DEEPSEEK_THINKING else PARALLEL
    draft = split_parallel_calls(draft_of(history, profile=profile), ERROR)

    assert [len(message.get("tool_calls", ())) for message in draft.messages] == [0, 1, 0, 1, 0, 1, 0]
    assert find_violations(draft.messages, draft.profile) == ()


def test_an_empty_text_stands_in_every_round() -> None:
    """If the turn with calls had an empty text, each turn of the split has an empty text and not null."""
    history = [user("go"), assistant("", [call(A), call(B, "g")]), tool(A), tool(B)]

    messages = split_parallel_calls(draft_of(history), ERROR).messages

    assert [message["content"] for message in messages if message["role"] == "assistant"] == ["", ""]


@pytest.mark.parametrize(
    ("profile", "content"), [(OPENAI, None), (CHAT_TEMPLATE, "")], ids=["null", "a template"]
)
def test_further_rounds_have_the_profiles_form_of_no_text(profile: Profile, content: str | None) -> None:
    """A chat template cannot read null, and the repaired history is not shaped again."""
    draft = split_parallel_calls(draft_of(PARALLEL, profile=profile), ERROR)

    said = [message["content"] for message in draft.messages if message["role"] == "assistant"]
    assert said == ["Three.", content, content]


def test_no_result_is_lost() -> None:
    """A split loses no result, even if a call has no result and a result has no call."""
    history = [user("go"), assistant(None, [call(A), call(B, "g")]), tool("stray", "one"), tool(B, "two")]

    messages = split_parallel_calls(draft_of(history), ERROR).messages

    assert [message["role"] for message in messages] == ["user", "assistant", "assistant", "tool", "tool"]
    assert [message["content"] for message in messages[3:]] == ["two", "one"]


@pytest.mark.parametrize("empty", [None, []])
def test_an_empty_list_of_calls_is_dropped(empty: list[Any] | None) -> None:
    """A field ``tool_calls`` without calls is dropped, since Llama 3's templates require exactly one call in it."""
    history = [user("go"), {**assistant("Good day."), "tool_calls": empty}, user("on")]
    draft = split_parallel_calls(draft_of(history), ERROR)

    assert draft.messages == [user("go"), assistant("Good day."), user("on")]
    assert listed(draft) == [("dropped", 1, "empty_tool_calls", "")]


def test_single_calls_are_the_same_draft() -> None:
    """A history in which each turn has at most one call is returned as the same draft."""
    draft = draft_of(BESIDE)

    assert split_parallel_calls(draft, ERROR) is draft


@pytest.mark.parametrize("profile", [OPENAI, CHAT_TEMPLATE, MISTRAL], ids=lambda p: p.name)
def test_a_text_beside_calls_gets_a_turn_of_its_own(profile: Profile) -> None:
    """A text in a turn with a call moves to a turn of its own, and a user turn follows. The history stays legal."""
    draft = separate_texts_from_calls(draft_of(BESIDE, profile=profile), ERROR)

    beside_calls = None if profile.null_content else ""
    assert [(m["role"], m["content"], len(m.get("tool_calls", ()))) for m in draft.messages] == [
        ("user", "go", 0),
        ("assistant", "I look.", 0),
        ("user", CONTINUE, 0),
        ("assistant", beside_calls, 1),
        ("tool", "one", 0),
        ("assistant", "I see.", 0),
        ("user", CONTINUE, 0),
        ("assistant", beside_calls, 1),
        ("tool", "two", 0),
    ]
    assert listed(draft) == [
        ("inserted", 1, "text_beside_calls", ""),
        ("inserted", 3, "text_beside_calls", ""),
    ]
    assert find_violations(draft.messages, profile) == ()


def test_blank_texts_beside_calls_are_dropped() -> None:
    """Blank texts in a turn with calls are dropped, since mistral-common counts white space as a text."""
    history = [user("go"), assistant([text(" "), text("\n")], [call(A)]), tool(A, "one")]
    draft = separate_texts_from_calls(draft_of(history), ERROR)

    assert draft.messages == [user("go"), assistant(None, [call(A)]), tool(A, "one")]
    assert listed(draft) == [("replaced", 1, "empty_content", "")]


def test_ids_that_mistral_common_checks_next_are_replaced() -> None:
    """An id of another form gets a new id of nine characters, the same for the call and its result."""
    history = [user("go"), assistant("I look.", [call("call_1")]), tool("call_1", "one")]
    draft = separate_texts_from_calls(draft_of(history), ERROR)

    *_, called, result = draft.messages
    assert re.fullmatch("[a-z0-9]{9}", result["tool_call_id"])
    assert [one["id"] for one in called["tool_calls"]] == [result["tool_call_id"]]
    assert ("replaced", 1, "call_id_illegal", result["tool_call_id"]) in listed(draft)


def test_a_model_turn_that_holds_nothing_is_dropped() -> None:
    """A model turn that holds nothing is dropped. mistral-common refuses it with the words for a text with calls.

    A model turn with a refusal is kept.
    """
    history = [user("go"), assistant(""), user("on"), assistant(None, refusal="I will not."), user("why")]
    draft = separate_texts_from_calls(draft_of(history), ERROR)

    assert draft.messages == [user("go"), user("on"), history[3], user("why")]
    assert listed(draft) == [("dropped", 1, "empty_message", "assistant")]


def test_a_history_of_signed_calls_is_the_same_draft() -> None:
    """A history for a model that signs its calls is returned as the same draft by both repairs."""
    draft = draft_of([*PARALLEL, *BESIDE], profile=GEMINI_3)

    assert split_parallel_calls(draft, ERROR) is draft
    assert separate_texts_from_calls(draft, ERROR) is draft
