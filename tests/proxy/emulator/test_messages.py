"""Tests that the fields of proto messages are read in both spellings, camel case and snake case."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.emulator.messages import MESSAGES, snake_case
from proxy.emulator.proto import read_message


@pytest.mark.parametrize(
    ("name", "proto_name"),
    [
        ("functionCall", "function_call"),
        ("topK", "top_k"),
        ("text", "text"),
        ("_responseJsonSchema", "_response_json_schema"),
    ],
)
def test_proto_name_is_the_json_name_in_snake_case(name: str, proto_name: str) -> None:
    """A leading underscore of a field's JSON name is kept in the proto name."""
    assert snake_case(name) == proto_name


@pytest.mark.parametrize("kind", MESSAGES)
def test_both_spellings_of_a_field_are_read_alike(kind: str) -> None:
    """A field's value is kept or refused alike under both spellings of the field.

    A kept value is stored under the field's JSON name.
    """
    for field in MESSAGES[kind].values():
        values: tuple[Any, ...] = ("1", 1, True, {}, [{}])
        for value in values:
            message, faults = read_message(kind, {field.name: value})
            again, same = read_message(kind, {field.proto_name: value})

            assert (again, len(same)) == (message, len(faults))
            assert message.keys() <= {field.name}
