"""Ids that do not have a provider's form get new ones, and no two ids become equal."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sanitizers import Profile, find_violations, sanitize
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import (
    ANTHROPIC,
    BEDROCK,
    BEDROCK_CLAUDE,
    CHAT_TEMPLATE_MISTRAL,
    MISTRAL,
    PROVIDER_PROFILES,
)
from sanitizers.synthetic import MISSING_RESULT
from tests.support.builders import assistant, call, tool, user

History = list[dict[str, Any]]

NINE = [CHAT_TEMPLATE_MISTRAL, MISTRAL]
TOKEN = [ANTHROPIC, BEDROCK, BEDROCK_CLAUDE]
FORMS = {"nine": re.compile("[a-zA-Z0-9]{9}"), "token": re.compile("[a-zA-Z0-9_-]{1,64}")}

ids = st.text(alphabet="ab1.:_-é ", min_size=1, max_size=10) | st.text(
    alphabet="ab_.", min_size=39, max_size=70
)
id_lists = st.lists(ids, min_size=1, max_size=8, unique=True)
with_forms = st.sampled_from([row for row in PROVIDER_PROFILES if row.call_id_form != "any"])


def in_rounds(ids: list[str]) -> History:
    """Return a history with one tool round for each id.

    The function's name and the result's text hold the number of the id.
    """
    messages = []
    for number, one in enumerate(ids):
        messages += [
            user(f"do {number}"),
            assistant(calls=[call(one, f"f{number}", f'{{"n": {number}}}')]),
            tool(one, f"r{number}"),
            assistant(f"done {number}"),
        ]
    return messages[:-1]


def in_one_turn(ids: list[str]) -> History:
    """Return one turn with a call for each id. The results are in the same order."""
    calls = [call(one, f"f{number}", f'{{"n": {number}}}') for number, one in enumerate(ids)]
    return [user("do"), assistant(calls=calls), *(tool(one, f"r{n}") for n, one in enumerate(ids))]


def renamed(history: History, profile: Profile) -> list[str]:
    """Sanitize, check that each call has its own result, and return the calls' ids in their order."""
    done = sanitize(history, profile)
    assert done.violations == ()
    pairs = []
    for at, message in enumerate(done.messages):
        calls = message.get("tool_calls") or []
        for one, result in zip(calls, done.messages[at + 1 : at + 1 + len(calls)], strict=True):
            assert one["id"] == result["tool_call_id"]
            assert one["function"]["name"] == result["content"].replace("r", "f")
            pairs.append(one["id"])
    return pairs


COLLIDING = [
    ("toolu_vrtx_1", "tooluvrtx1"),
    ("a.b", "a:b"),
    ("a.b", "a_b"),
    ("functions.f:0", "functions_f_0"),
    ("call_123456789", "call_1234567890"),
    ("abcdefghi", "abcdefghij"),
    ("abcdefgh1", "abcdefgh_1"),
    ("é", "è"),
    ("x" * 65, "x" * 66),
]


@pytest.mark.parametrize("profile", [*NINE, *TOKEN], ids=lambda profile: profile.name)
@pytest.mark.parametrize(("first", "second"), COLLIDING)
def test_spellings_that_look_alike_stay_apart(first: str, second: str, profile: Profile) -> None:
    """If illegal characters were only removed or replaced, the two ids would become equal."""
    for pair in ([first, second], [second, first]):
        for history in (in_one_turn(pair), in_rounds(pair)):
            one, other = renamed(history, profile)

            assert one != other
            assert FORMS[profile.call_id_form].fullmatch(one)
            assert FORMS[profile.call_id_form].fullmatch(other)


@given(id_lists, with_forms)
def test_ids_are_injective_and_of_the_form(given: list[str], profile: Profile) -> None:
    """Ids that have the provider's form stay unchanged."""
    for history in (in_one_turn(given), in_rounds(given)):
        sent = renamed(history, profile)

        assert len(set(sent)) == len(given)
        for old, new in zip(given, sent, strict=True):
            fits = FORMS[profile.call_id_form].fullmatch(old) and len(old) <= (
                profile.max_call_id_length or 0
            )
            assert bool(fits) == (old == new)
            assert FORMS[profile.call_id_form].fullmatch(new)


@given(id_lists, with_forms)
def test_ids_are_the_same_each_time(given: list[str], profile: Profile) -> None:
    """A history and its copy give the same ids."""
    history = in_rounds(given)

    assert renamed(history, profile) == renamed(copy.deepcopy(history), profile)


@given(id_lists, with_forms)
@example(["x" * 70, "y" * 70], MISTRAL)
@example(["x" * 70, "y" * 70], ANTHROPIC)
def test_ids_stay_when_the_front_is_cut_away(given: list[str], profile: Profile) -> None:
    """A client may send the last rounds alone, and their ids stay the same."""
    sent = renamed(in_rounds(given), profile)

    for cut in range(1, len(given)):
        assert sent[cut:] == renamed(in_rounds(given)[4 * cut :], profile)


@given(id_lists, with_forms)
def test_ids_stay_while_the_history_grows(given: list[str], profile: Profile) -> None:
    """Appended messages do not change the ids before them."""
    sent = renamed(in_rounds(given), profile)

    for end in range(1, len(given)):
        assert sent[:end] == renamed(in_rounds(given)[: 4 * end - 1], profile)


@given(id_lists, with_forms, st.sampled_from(PROVIDER_PROFILES))
def test_ids_stay_behind_another_provider(given: list[str], first: Profile, second: Profile) -> None:
    """Ids stay different after a repair for another provider. A second repair for the same provider changes no id."""
    once = list(sanitize(in_rounds(given), first).messages)

    assert sanitize(copy.deepcopy(once), first).messages == once
    sent = renamed(once, second)
    assert len(set(sent)) == len(given)


def test_too_long_ids_stay_at_openai_when_the_front_is_cut_away() -> None:
    """New ids are derived from the old ids, and not from positions in the history."""
    given = [f"call_{number}" + "x" * 40 for number in range(3)]

    assert renamed(in_rounds(given), OPENAI)[1:] == renamed(in_rounds(given)[4:], OPENAI)


@pytest.mark.parametrize("profile", [ANTHROPIC, MISTRAL], ids=lambda profile: profile.name)
def test_both_sides_and_late_results_are_renamed(profile: Profile) -> None:
    """Results that come late, doubled or out of order have the new id of their call.

    The last of two results for one call wins.
    """
    history = [
        user("a"),
        assistant(calls=[call("f.f:0", "f"), call("f.g:1", "g")]),
        tool("f.g:1", "1"),
        user("b"),
        tool("f.f:0", "2"),
        tool("f.f:0", "3"),
        user("c"),
    ]

    done = sanitize(history, profile)

    assert done.violations == ()
    first, second = (raw["id"] for raw in done.messages[1]["tool_calls"])
    assert [(first, "3"), (second, "1")] == [
        (message["tool_call_id"], message["content"])
        for message in done.messages
        if message["role"] == "tool"
    ]
    shaped = [(c.kind, c.index, c.reason, c.detail) for c in done.changes if c.step == "shape"]
    assert shaped == [
        ("replaced", 1, "call_id_illegal", first),
        ("replaced", 1, "call_id_illegal", second),
        ("replaced", 2, "result_id", second),
        ("replaced", 4, "result_id", first),
        ("replaced", 5, "result_id", first),
    ]


@pytest.mark.parametrize("profile", [*NINE, *TOKEN], ids=lambda profile: profile.name)
@pytest.mark.parametrize("id", ["abcdefgh1", "functions.f:0", "x" * 70])
def test_ids_used_again_are_told_apart(id: str, profile: Profile) -> None:
    """A client may start numbering again. Each round gets an id and a result of its own."""
    sent = renamed(in_rounds([id] * 4), profile)

    assert len(set(sent)) == 4
    assert (sent[0] == id) == (id == "abcdefgh1")
    for end in range(1, 4):
        assert sent[:end] == renamed(in_rounds([id] * end), profile)


@pytest.mark.parametrize("profile", [MISTRAL, ANTHROPIC], ids=lambda profile: profile.name)
def test_result_of_an_id_used_again_answers_the_later_call(profile: Profile) -> None:
    """The earlier call with the same id gets a synthesized result."""
    history = [
        user("a"),
        assistant(calls=[call("abcdefgh1", "f")]),
        user("b"),
        assistant(calls=[call("abcdefgh1", "g")]),
        tool("abcdefgh1", "1"),
    ]

    done = sanitize(history, profile)

    assert done.violations == ()
    results = [message for message in done.messages if message["role"] == "tool"]
    assert [MISSING_RESULT, "1"] == [message["content"] for message in results]
    assert "abcdefgh1" == results[0]["tool_call_id"] != results[1]["tool_call_id"]


@pytest.mark.parametrize("profile", [*NINE, *TOKEN], ids=lambda profile: profile.name)
def test_derived_id_differs_from_a_given_one(profile: Profile) -> None:
    """A given id that equals a derived id stays. The other call gets the next candidate."""
    (derived,) = renamed(in_rounds(["a.b"]), profile)

    one, other = renamed(in_rounds(["a.b", derived]), profile)

    assert other == derived != one


@pytest.mark.parametrize(
    "profile", [row for row in PROVIDER_PROFILES if row.call_id_form == "any"], ids=lambda row: row.name
)
def test_profiles_without_a_form_take_any_character(profile: Profile) -> None:
    """Ids with any character stay if no form is required, even if an id is used again."""
    history = [
        message | {"reasoning_content": ""} for message in in_rounds(["functions.f:0", "functions.f:0"])
    ]

    assert not {v.rule for v in find_violations(history, profile)} & {"call_id_illegal", "call_id_repeated"}
    assert ["functions.f:0"] * 2 == renamed(in_rounds(["functions.f:0", "functions.f:0"]), profile)
