"""Tests of the user's own texts: whose they are, their order and their length."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from proxy.planning.compact.memory_text import MemoryInput, memory_message, write_memory
from proxy.planning.compact.user_words import LONGEST, MOST, find_user_words
from sanitizers import Message
from sanitizers.budget.markers import notice_message
from sanitizers.synthetic import CONTINUE, NOTICE_START
from tests.support.builders import assistant, image, system, text, tool, user
from tests.support.strategies import any_histories


def test_user_s_texts_come_newest_first_and_once() -> None:
    messages = [
        user("one"),
        assistant("no"),
        user("two"),
        tool("c", "no"),
        system("no"),
        user(" one\n"),
        user(""),
    ]

    assert find_user_words(messages) == ["one", "two"]


@pytest.mark.parametrize("length", [1, 399, 400])
def test_text_up_to_the_limit_is_kept_whole(length: int) -> None:
    whole = ("word " * 100)[: length - 1] + "x"

    assert find_user_words([user(whole)]) == [whole.strip()]


def test_longer_text_keeps_its_beginning_with_a_mark() -> None:
    assert find_user_words([user("word " * 90)]) == ["word " * 80 + "[…]"]
    assert find_user_words([user("漢" * 500)]) == ["漢" * LONGEST + " […]"]


@pytest.mark.parametrize(
    "message",
    [
        user(CONTINUE),
        user(f"{NOTICE_START}the call was repeated]"),
        notice_message(7),
        user([text("[Image from the result of f (call c):]"), image()]),
        memory_message(write_memory(MemoryInput([], 2, 3, None, (), 4_000, 0, lambda _: 60))),
        user([image()]),
    ],
)
def test_inserted_texts_are_not_the_user_s(message: Message) -> None:
    """Notices, texts of repairs, media of results and another gateway's memory were not written by the user."""
    assert find_user_words([message]) == []


@pytest.mark.parametrize("content", ["Hi.", [text("Hi.")], [image(), text("Hi.")], ["Hi."]])
def test_text_is_read_from_every_form_of_content(content: Any) -> None:
    assert find_user_words([user(content)]) == ["Hi."]


def test_number_of_texts_is_bounded() -> None:
    assert find_user_words([user(f"text {number}") for number in range(1_000)])[-1] == f"text {1_000 - MOST}"


@given(any_histories())
def test_any_history_has_words_without_errors(messages: list[Message]) -> None:
    assert all(0 < len(words) <= LONGEST + 5 for words in find_user_words(messages))
