"""Tests of the operator's instructions before a history: their forms, their place and the indexes behind them."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.combine_instructions import combine, part_of
from proxy.core.instructions import Instructions
from proxy.inspector.targets import MODELS, deployments_by_profile
from proxy.planning.add_instructions import add_instructions, describe_instructions
from proxy.planning.budgets.limits import Limit
from proxy.planning.budgets.report import INSERTED, Report
from sanitizers import Profile, Unrepairable, find_violations, profile_for, sanitize
from sanitizers.budget import Fitted, Parts
from sanitizers.budget.replay import Event
from tests.support.builders import assistant, developer, image, system, text, user
from tests.support.strategies import any_histories, damaged_histories, growth, legal_histories

RULES = "General.\n\nSpecial."


def _combined() -> Instructions:
    found = combine([part_of("gateway", "General."), part_of("team", "Special.")])
    assert found is not None
    assert found.text == RULES
    return found


OWN = _combined()
SPACED = f"{RULES}\n\n"
LATER = [assistant("Hi."), user("Go on.")]


def profile_named(name: str) -> Profile:
    """Return the profile *name*."""
    deployment = deployments_by_profile()[name]
    return profile_for(deployment.model, deployment.profile)


TAKES_SEVERAL = [name for name in MODELS if (p := profile_named(name)).system_role and p.many_systems]
TAKES_ONE = [name for name in MODELS if (p := profile_named(name)).system_role and not p.many_systems]
TAKES_NONE = [name for name in MODELS if not profile_named(name).system_role]

Message = dict[str, Any]
OWN_MESSAGE: list[tuple[list[Message], Message]] = [
    ([], system(RULES)),
    ([user("Hello.")], system(RULES)),
    ([assistant("Hi.")], system(RULES)),
    ([system("A."), user("Hello.")], system(RULES)),
    ([system("A."), developer("B."), user("Hello.")], system(RULES)),
    ([developer("A."), user("Hello.")], developer(RULES)),
    ([user("Hello."), developer("A.")], system(RULES)),
]
JOINED: list[tuple[Message, Message]] = [
    (system("A.", name="a"), system(f"{SPACED}A.", name="a")),
    (developer("A."), developer(f"{SPACED}A.")),
    (system(""), system(RULES)),
    (system(None), system(RULES)),
    (system([text("A."), text("B.")]), system([text(SPACED), text("A."), text("B.")])),
    (system([]), system([text(SPACED)])),
]
OF_USER: list[tuple[Message, Message]] = [
    (user("Hello.", name="a"), user(f"{SPACED}Hello.", name="a")),
    (user([text("Hello."), image()]), user([text(SPACED), text("Hello."), image()])),
    (user([image()]), user([text(SPACED), image()])),
]


@pytest.mark.parametrize("name", TAKES_SEVERAL)
@pytest.mark.parametrize(("history", "own"), OWN_MESSAGE)
def test_instructions_are_a_message_of_their_own_where_a_target_takes_several(
    name: str, history: list[Message], own: Message
) -> None:
    """The message has the role of a client that begins with a developer message."""
    done = add_instructions(history, OWN, profile_named(name))

    assert (list(done.messages), done.is_inserted) == ([own, *history], True)
    assert done.holder is done.messages[0]


@pytest.mark.parametrize("name", TAKES_ONE)
@pytest.mark.parametrize(("first", "joined"), JOINED)
def test_instructions_come_before_the_text_of_the_only_system_message(
    name: str, first: Message, joined: Message
) -> None:
    """A blank line separates the texts. Its other fields stay."""
    before = copy.deepcopy(first)
    done = add_instructions([first, *LATER], OWN, profile_named(name))

    assert (list(done.messages), done.is_inserted) == ([joined, *LATER], False)
    assert done.holder is done.messages[0]
    assert first == before


@pytest.mark.parametrize("name", TAKES_NONE)
@pytest.mark.parametrize(("first", "joined"), OF_USER)
def test_instructions_come_before_the_text_of_the_user_where_there_is_no_system_role(
    name: str, first: Message, joined: Message
) -> None:
    done = add_instructions([first, *LATER], OWN, profile_named(name))

    assert (list(done.messages), done.is_inserted) == ([joined, *LATER], False)


@pytest.mark.parametrize(
    ("name", "history", "role"),
    [
        *(
            (name, history, "system")
            for name in TAKES_ONE
            for history in ([], [user("A.")], [assistant("A.")])
        ),
        *((name, history, "user") for name in TAKES_NONE for history in ([], [assistant("A.")])),
        *((name, [system("A."), user("B.")], "user") for name in TAKES_NONE),  # not sanitized
    ],
)
def test_instructions_are_a_message_of_their_own_where_no_text_of_their_role_begins(
    name: str, history: list[Message], role: str
) -> None:
    done = add_instructions(history, OWN, profile_named(name))

    assert (list(done.messages), done.is_inserted) == ([{"role": role, "content": RULES}, *history], True)


def test_every_kind_of_target_is_known() -> None:
    assert min(map(len, (TAKES_SEVERAL, TAKES_ONE, TAKES_NONE))) >= 2
    assert len({*TAKES_SEVERAL, *TAKES_ONE, *TAKES_NONE}) == len(MODELS)


profiles = st.sampled_from([profile_named(name) for name in MODELS])
histories = st.one_of(any_histories(), damaged_histories(), legal_histories())


@given(histories, profiles)
def test_sanitized_history_stays_legal_and_other_messages_stay_the_same_objects(
    history: list[Message], profile: Profile
) -> None:
    """The instructions are the first text, once. Nothing is mutated."""
    try:
        messages = sanitize(history, profile).messages
    except Unrepairable:
        return
    before = copy.deepcopy(list(messages))

    done = add_instructions(messages, OWN, profile)

    assert find_violations(done.messages, profile) == ()
    assert list(messages) == before
    others = messages if done.is_inserted else messages[1:]
    assert [*map(id, done.messages[1:])] == [*map(id, others)]
    content = done.holder["content"]
    first = content if isinstance(content, str) else content[0]["text"]
    assert first.startswith(RULES)
    assert json.dumps(list(done.messages)).count(json.dumps(RULES)[1:-1]) == 1


@given(growth(), profiles)
def test_growing_history_keeps_its_first_bytes(
    drawn: tuple[list[Message], list[list[Message]]], profile: Profile
) -> None:
    """All messages that were sent before begin the next request, so that a provider's cache holds them."""
    history, pieces = drawn
    sent: list[Message] = []
    for piece in [[], *pieces]:
        history = [*history, *piece]
        messages = [*add_instructions(sanitize(history, profile).messages, OWN, profile).messages]
        assert json.dumps(messages[: len(sent)]) == json.dumps(sent)
        sent = messages


@pytest.mark.parametrize("origins", [None, (0, 2, 2)])
def test_inserted_message_has_no_index_of_the_client(origins: tuple[int, ...] | None) -> None:
    """All other messages keep theirs. A joined text moves no message."""
    history = [system("A."), *LATER]
    inserted = add_instructions(history, OWN, profile_named(TAKES_SEVERAL[0]))
    joined = add_instructions(history, OWN, profile_named(TAKES_ONE[0]))

    assert inserted.origins(origins) == (INSERTED, *(origins or (0, 1, 2)))
    assert joined.origins(origins) is origins


def report_of(fitted: Fitted | None) -> Report:
    """Return the report of a request, whose largest messages are the instructions and the client's first message."""
    parts = Parts(9, 0, 0, 0, 0, 0, ((INSERTED, 6), (0, 3)))
    return Report(9, True, Limit(None, 0, None, False, "catalogue"), 9, fitted=fitted, before=parts)


def test_report_has_the_clients_indexes() -> None:
    """The cut was made at the client's message 2. The instructions themselves count as its first message."""
    event = Event(3, ("round_dropped",), 20, 9)
    report = report_of(Fitted([], 20, 9, events=(event,), last=3))
    inserted = add_instructions(LATER, OWN, profile_named(TAKES_SEVERAL[0]))
    joined = add_instructions([system("A."), *LATER], OWN, profile_named(TAKES_ONE[0]))

    shown = inserted.client_report(report)

    assert shown.fitted is not None
    assert shown.before is not None
    assert ([one.index for one in shown.fitted.events], shown.fitted.last) == ([2], 2)
    assert shown.is_new_cut is report.is_new_cut is True
    assert shown.before.largest == ((0, 6), (0, 3))
    assert joined.client_report(report) is report


def test_report_of_a_request_that_was_not_counted_stays_the_same_object() -> None:
    report = report_of(None)

    assert add_instructions(LATER, OWN, profile_named("openai")).client_report(report) is report


def test_change_names_levels_length_and_digest_and_no_text() -> None:
    change = describe_instructions(OWN)

    assert change.as_dict() == {
        "step": "instructions",
        "kind": "inserted",
        "index": 0,
        "reason": "operator",
        "detail": f"gateway,team {len(RULES)} bytes {OWN.digest}",
    }
