"""Tests of the texts and calls of messages that nothing has checked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.compact.message_texts import (
    Call,
    answered_calls,
    calls_of,
    cut_at_word,
    plain_text,
    strings_in,
    text_of,
)
from tests.support.builders import assistant, call, image, legacy_call, legacy_result, text, tool, user


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Hi.", "Hi."),
        (None, ""),
        ([text("one"), image(), text("two")], "one\ntwo"),
        ({"error": "no"}, '{"error":"no"}'),
        (["one", 2, None, {"a": 1}], 'one\n2\nnull\n{"a":1}'),
        (7, "7"),
        ([{"type": "text", "text": 3}], ""),
        ([], ""),
    ],
)
def test_text_is_read_from_a_content_of_any_shape(content: Any, expected: str) -> None:
    assert text_of({"role": "tool", "content": content}) == expected
    assert text_of({}) == ""


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("a\tb\n漢 👩‍👩‍👧", "a\tb\n漢 👩‍👩‍👧"),
        ("\x1b[31mred\x1b[0m \x1b(B\x07bell", "red Bbell"),
        ("one\r\ntwo\rthree\x00", "one\ntwo\nthree"),
        ("\ud83d\ude00 and \ud83d", "😀 and \ufffd"),
    ],
)
def test_control_characters_and_lone_surrogates_are_removed(raw: str, plain: str) -> None:
    assert plain_text(raw) == plain


def test_calls_are_read_in_every_form() -> None:
    """Arguments that are no JSON object stay a text. Entries that are no calls are skipped."""
    custom = {"id": "3", "type": "custom", "custom": {"name": "h", "input": "raw"}}
    message = assistant(calls=[call("1", "f", '{"a": 1}'), call(2, "g", "{"), custom, "x", {"function": 5}])

    assert calls_of(message) == [
        Call("1", "f", {"a": 1}),
        Call("", "g", "{"),
        Call("3", "h", "raw"),
        Call("", "", None),
    ]
    assert calls_of(legacy_call("f", '{"b": 2}')) == [Call("", "f", {"b": 2})]
    assert calls_of({"role": "assistant", "tool_calls": "x"}) == []


def test_result_belongs_to_the_newest_call_before_it() -> None:
    """Clients use ids again. A result in the older form names its function."""
    messages = [
        assistant(calls=[call("1", "f")]),
        tool("1", "one"),
        assistant(calls=[call("1", "g")]),
        tool("1", "two"),
        tool("9", "lost"),
        legacy_call("h"),
        legacy_result("h", "three"),
        user("Hi."),
    ]

    assert [(each.at, each.call and each.call.name, each.text) for each in answered_calls(messages)] == [
        (1, "f", "one"),
        (3, "g", "two"),
        (4, None, "lost"),
        (6, "h", "three"),
    ]


def test_strings_are_found_in_order_with_their_keys() -> None:
    value = {"a": ["x", {"b": "y"}, 3], "c": "z", "d": None}

    assert list(strings_in(value)) == [("a", "x"), ("b", "y"), ("c", "z")]
    assert list(strings_in("s")) == [("", "s")]


@pytest.mark.parametrize(
    ("whole", "limit", "cut"),
    [
        ("one two", 7, "one two"),
        ("one two three", 7, "one two …"),
        ("one two three", 9, "one two …"),
        ("one two three", 4, "one …"),
        ("漢字漢字漢字", 4, "漢字漢字 …"),
        ("x" * 200, 100, "x" * 100 + " …"),
    ],
)
def test_text_is_cut_at_a_word(whole: str, limit: int, cut: str) -> None:
    assert cut_at_word(whole, limit, " …") == cut


@given(st.text(alphabet=" \nab漢👍\u0301", max_size=120), st.integers(0, 100))
def test_cut_text_is_the_beginning_of_the_text(whole: str, limit: int) -> None:
    cut = cut_at_word(whole, limit, "|")

    assert cut == whole or (cut.endswith("|") and whole.startswith(cut[:-1]) and len(cut) <= limit + 1)
