"""Tests of the places that a client reads in an error of Anthropic's or Google's."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.client_places import words_for_client
from tests.proxy.planning.test_native_contents import planned as planned_contents
from tests.proxy.planning.test_native_messages import GEMINI, planned
from tests.sanitizers.native.gemini.building import answered as result_part
from tests.sanitizers.native.gemini.building import called as call_part
from tests.sanitizers.native.gemini.building import model
from tests.sanitizers.native.gemini.building import said as said_part
from tests.sanitizers.native.gemini.building import user as of_user
from tests.sanitizers.native.messages.building import answered, assistant, image, said, used, user
from tests.support.strategies.contents import PNG

LATE = [
    assistant("hi"),
    user("go"),
    assistant(said(""), used("toolu_1")),
    user(said("late"), answered("toolu_1")),
    user(image(), said("and?")),
]
"""The first message is the model's own, a text is empty, and a text stands before its result."""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("messages.2: no", "messages.1: no"),
        ("messages.3.content.0.tool_use.id: no", "messages.2.content.1.tool_use.id: no"),
        ("messages.4.content.0.tool_result: no", "messages.3.content.1.tool_result: no"),
        ("messages.4.content.1: no", "messages.3.content.0: no"),
        ("messages.5.content.0.image: no", "messages.4.content.0.image: no"),
        ("messages.4.content.9: no", "messages.3: no"),
        ("messages.2.content.0: no", "messages.1.content.0: no"),
        ("messages.9: no", "messages.9: no"),
        ("`messages.2` and messages.3", "`messages.1` and messages.2"),
        ("No place at all.", "No place at all."),
    ],
)
def test_place_is_that_of_the_clients_own_block(words: str, told: str) -> None:
    """Claude Code removes the block that a path names, so that another one must not be named."""
    assert words_for_client(planned(messages=LATE, thinking=None), words) == told


def test_place_of_a_block_that_was_written_here_is_that_of_its_message() -> None:
    """The client has no such block."""
    messages = [user("go"), assistant(used("toolu_1")), user("and?")]
    plan = planned(messages=messages, thinking=None)

    assert words_for_client(plan, "messages.2.content.0: no") == "messages.2: no"


@pytest.mark.parametrize("arguments", [{"deployment": GEMINI, "messages": LATE}, {}])
def test_words_of_another_plan_stay(arguments: dict[str, Any]) -> None:
    """A chat's error has no places of messages, and an unchanged request has its client's."""
    assert words_for_client(planned(**arguments), "messages.2: no") == "messages.2: no"


MOVED = [
    model(said_part("hi")),
    of_user(said_part("go")),
    model(said_part(""), said_part("so"), call_part("f", "a")),
    of_user(said_part("late"), result_part("f", "a")),
    of_user({"inlineData": {"mimeType": "image/png", "data": PNG}}, said_part("and?")),
]
"""The first content is the model's own, a text is empty, and a text stands before its response."""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("contents[2]: no", "contents[1]: no"),
        (
            "* GenerateContentRequest.contents[3].parts[0]: no",
            "* GenerateContentRequest.contents[2].parts[1]: no",
        ),
        ("contents[4].parts[0].function_response: no", "contents[3].parts[1].function_response: no"),
        ("contents[5].parts[0]: no", "contents[3].parts[0]: no"),
        ("contents[6].parts[0].inline_data: no", "contents[4].parts[0].inline_data: no"),
        ("contents[4].parts[9]: no", "contents[3]: no"),
        ("contents[9]: no", "contents[9]: no"),
        ("messages.2: no", "messages.2: no"),
    ],
)
def test_place_is_that_of_the_clients_own_part(words: str, told: str) -> None:
    """google-genai shows the path, and developers look there."""
    assert words_for_client(planned_contents(contents=MOVED), words) == told


def test_words_for_an_unchanged_request_of_contents_stay() -> None:
    """It has its client's places."""
    assert words_for_client(planned_contents(), "contents[2]: no") == "contents[2]: no"
