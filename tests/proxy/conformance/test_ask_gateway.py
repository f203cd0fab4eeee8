"""Tests that each case becomes a request with a marker of its own."""

from __future__ import annotations

import orjson
import pytest

from proxy.conformance.ask_gateway import chat_request, marker_of
from proxy.conformance.case import Case
from proxy.conformance.corpus import load_corpus
from sanitizers import find_violations
from sanitizers.profile_names import profile_for
from tests.proxy.conformance.builders import case_of
from tests.support.builders import assistant, image, system, text, tool, user

CORPUS = load_corpus()


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.id)
def test_marker_is_in_the_request_once_and_belongs_to_no_other_case(case: Case) -> None:
    """A case's request has the case's marker once, and no other case's marker. Another run has another marker."""
    sent = orjson.dumps(chat_request(case, "m", "r1")).decode()

    assert [other.id for other in CORPUS if marker_of(other, "r1") in sent] == [case.id]
    assert sent.count(marker_of(case, "r1")) == 1
    assert marker_of(case, "r1") != marker_of(case, "r2")


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.id)
def test_marker_changes_no_rule_that_the_history_breaks(case: Case) -> None:
    """A history with the marker breaks the same rules as the history in the corpus."""
    profile = profile_for(case.target)
    asked = chat_request(case, "m", "r1")["messages"]

    assert find_violations(asked, profile) == find_violations(list(case.messages), profile)


@pytest.mark.parametrize(
    ("messages", "index"),
    [
        ([system(), user()], 1),
        ([assistant("Hi."), user("  "), user()], 2),
        ([user([image()]), assistant("A pixel.")], 1),
        ([system("Say hello.")], 0),
    ],
)
def test_marker_stands_behind_the_first_text_of_the_user_or_else_of_another_role(
    messages: list[dict[str, object]], index: int
) -> None:
    case = case_of(*messages)

    asked = chat_request(case, "m", "r1")["messages"]

    assert [marker_of(case, "r1") in str(message) for message in asked].index(True) == index
    assert list(case.messages) == messages


def test_marker_stands_in_the_first_part_with_a_text() -> None:
    asked = chat_request(case_of(user([image(), text("See?"), text("Well?")])), "m", "r1")

    assert asked["messages"][0]["content"][1]["text"] == "See? [conform one r1]"


def test_history_without_a_text_is_refused() -> None:
    with pytest.raises(ValueError, match="one: no text"):
        chat_request(case_of(assistant(None), tool("a", "ok")), "m", "r1")


def test_tools_are_declared_by_name() -> None:
    """A case's request declares its tools by name, and a case without tools declares none."""
    asked = chat_request(case_of(user(), tools=("f", "g")), "m", "r1")

    assert [one["function"]["name"] for one in asked["tools"]] == ["f", "g"]
    assert "tools" not in chat_request(case_of(user()), "m", "r1")
