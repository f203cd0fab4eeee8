"""Tests of reading the contents that nearly all messages of agents have."""

from __future__ import annotations

import json
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Unrepairable
from sanitizers.native.messages import message_reader
from sanitizers.native.messages.project import project
from sanitizers.native.messages.usual_contents import read_usual_turn, read_usual_user
from tests.sanitizers.native.messages.building import (
    MARK,
    TENANT,
    Item,
    answered,
    assistant,
    image,
    said,
    sealed,
    thought,
    used,
    user,
)
from tests.sanitizers.native.messages.drawn import items

USUAL_OF_USER: dict[str, Any] = {
    "a text": "go",
    "one text block": [said("go")],
    "a result": [answered("a")],
    "a result of one text": [answered("a", [said("ok")])],
    "a failed result": [{**answered("a"), "is_error": True}],
    "a result that says it has not failed": [{**answered("a"), "is_error": False}],
    "results and a text": [answered("a"), answered("b"), said("x")],
}
UNUSUAL_OF_USER: dict[str, Any] = {
    "nothing": [],
    "no content": None,
    "an image": [image()],
    "a marked text": [said("go", **MARK)],
    "two texts": [said("go"), said("on")],
    "a text before a result": [said("go"), answered("a")],
    "a marked result": [{**answered("a"), **MARK}],
    "a result of two texts": [answered("a", [said("x"), said("y")])],
    "a result without a call": [answered("")],
    "a null for an error": [{**answered("a"), "is_error": None}],
    "no block": ["go"],
}
USUAL_OF_MODEL: dict[str, Any] = {
    "a text": "yes",
    "one text block": [said("yes")],
    "a call": [used("a")],
    "a text and calls": [said("yes"), used("a"), used("b")],
    "thinking, a text and a call": [thought(), said("yes"), used("a")],
}
UNUSUAL_OF_MODEL: dict[str, Any] = {
    "nothing": [],
    "an empty text": "",
    "an empty block": [said("")],
    "two texts": [said("yes"), said("no")],
    "a text behind a call": [used("a"), said("yes")],
    "thinking alone": [thought()],
    "thinking behind a text": [said("yes"), thought(), used("a")],
    "an envelope": [sealed("a"), used("a")],
    "unsigned thinking": [thought(""), said("yes")],
    "a marked call": [{**used("a"), **MARK}],
    "a call without an object": [{**used("a"), "input": "{}"}],
    "a number that JSON cannot hold": [{**used("a"), "input": {"n": 10**30}}],
    "no block": ["yes"],
}


@pytest.mark.parametrize("content", USUAL_OF_USER.values(), ids=USUAL_OF_USER)
def test_contents_of_a_users_are_read_at_once(content: Any) -> None:
    """A text and results of texts need no further reading."""
    assert (
        read_usual_user(content)
        == project([user("x"), assistant("y"), {**user(), "content": content}]).messages[2:]
    )


@pytest.mark.parametrize("content", UNUSUAL_OF_USER.values(), ids=UNUSUAL_OF_USER)
def test_other_contents_of_a_users_are_left_to_the_reader(content: Any) -> None:
    """The reader keeps marks and parts, and reports what it leaves out."""
    assert read_usual_user(content) is None


@pytest.mark.parametrize("content", USUAL_OF_MODEL.values(), ids=USUAL_OF_MODEL)
def test_contents_of_the_models_are_read_at_once(content: Any) -> None:
    """Signed thinking, a text and calls in this order need no open turn."""
    made = _read_at_length([user("x"), {**assistant(), "content": content}])
    assert [read_usual_turn(content)] == json.loads(made[1])[1:]


@pytest.mark.parametrize("content", UNUSUAL_OF_MODEL.values(), ids=UNUSUAL_OF_MODEL)
def test_other_contents_of_the_models_are_left_to_the_reader(content: Any) -> None:
    """The reader keeps their order, and reports what it leaves out."""
    assert read_usual_turn(content) is None


@given(st.one_of(items(), items(odd=True)))
def test_usual_contents_become_what_the_reader_makes_of_them(native: list[Item]) -> None:
    """The short way and the long way give equal messages, spans, changes, needs and errors."""
    assert _read(native) == _read_at_length(native)


def _read_at_length(native: list[Item]) -> tuple[Any, str]:
    with (
        mock.patch.object(message_reader, "read_usual_user", return_value=None),
        mock.patch.object(message_reader, "read_usual_turn", return_value=None),
    ):
        return _read(native)


def _read(native: list[Item]) -> tuple[Any, str]:
    """Return the projection and its messages as JSON, which has their order of fields, or the error."""
    try:
        read = project(native, tenant=TENANT)
    except Unrepairable as error:
        return (error.message, error.rule), error.param or ""
    return read, json.dumps(read.messages)
