"""Tests of the type checks for values in a strict chunk, the form of every chunk that a client gets.

Each wrong value is similar to a right value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proxy.answers.chunk_shapes import (
    are_logprobs,
    behind_object,
    has_delta_types,
    has_head_types,
    is_choice,
    is_piece,
    is_signed,
    is_usage,
)

COUNTS = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
CHOICE = {"index": 0, "delta": {}, "finish_reason": None}
PIECE = {"index": 0, "function": {"arguments": ""}}
SIGNED = {"google": {"thought_signature": "cw=="}}

RIGHT: list[tuple[Callable[[Any], bool], Any]] = [
    (has_head_types, HEAD),
    (is_choice, CHOICE),
    (is_choice, {**CHOICE, "logprobs": {}}),
    (has_delta_types, {}),
    (has_delta_types, {"content": None, "audio": {}, "annotations": [{}], "function_call": {"name": "f"}}),
    (is_piece, PIECE),
    (is_signed, SIGNED),
    (is_usage, COUNTS),
    (is_usage, {**COUNTS, "completion_tokens_details": {"reasoning_tokens": 0}}),
    (are_logprobs, {"content": [{"token": "", "logprob": 0}], "refusal": None}),
]
WRONG: list[tuple[Callable[[Any], bool], Any]] = [
    (has_head_types, {**HEAD, "id": 1}),
    (has_head_types, {**HEAD, "created": True}),
    (has_head_types, {**HEAD, "created": -1}),
    (is_choice, None),
    (is_choice, {**CHOICE, "index": True}),
    (is_choice, {**CHOICE, "delta": None}),
    (is_choice, {"index": 0, "delta": {}}),
    (is_choice, {**CHOICE, "x": 1}),
    (has_delta_types, {"refusal": 1}),
    (has_delta_types, {"audio": []}),
    (has_delta_types, {"annotations": [1]}),
    (has_delta_types, {"function_call": {"arguments": {}}}),
    (has_delta_types, {"function_call": {"x": ""}}),
    (is_piece, {**PIECE, "index": None}),
    (is_piece, {**PIECE, "function": {"arguments": None}}),
    (is_piece, {**PIECE, "function": {"name": 1, "arguments": ""}}),
    (is_piece, {**PIECE, "custom": {}}),
    (is_signed, {"google": SIGNED}),
    (is_signed, {**SIGNED, "vertex": {}}),
    (is_signed, {"google": {"thought_signature": ""}}),
    (is_usage, None),
    (is_usage, {**COUNTS, "total_tokens": 4}),
    (is_usage, {**COUNTS, "cost": 1}),
    (is_usage, {"prompt_tokens": 1.0, "completion_tokens": 2, "total_tokens": 3.0}),
    (is_usage, {**COUNTS, "prompt_tokens_details": {"text_tokens": 1}}),
    (is_usage, {**COUNTS, "prompt_tokens_details": {"cached_tokens": -1}}),
    (is_usage, {**COUNTS, "prompt_tokens_details": None}),
    (are_logprobs, None),
    (are_logprobs, {"tokens": []}),
    (are_logprobs, {"content": [{"logprob": 0}]}),
    (are_logprobs, {"content": {}}),
]


@pytest.mark.parametrize(("holds", "value"), RIGHT)
def test_a_right_value_is_accepted(holds: Callable[[Any], bool], value: Any) -> None:
    """Right values are accepted with and without their optional fields."""
    assert holds(value)


@pytest.mark.parametrize(("holds", "value"), WRONG)
def test_a_wrong_value_is_refused(holds: Callable[[Any], bool], value: Any) -> None:
    """A value with a field too many, a field too few or a wrong type is refused."""
    assert not holds(value)


@pytest.mark.parametrize(
    ("text", "behind"),
    [
        (' {"a":{}} \n', ""),
        ('{}{"a"', '{"a"'),
        ("{} x ", "x"),
        ("", None),
        ("{", None),
        ("[]", None),
        ('{"a":NaN}', None),
        ('{"a":' * 100_000, None),
    ],
)
def test_text_behind_an_object_is_found(text: str, behind: str | None) -> None:
    """The text after a JSON object is returned, or None where no object can be read."""
    assert behind_object(text) == behind
