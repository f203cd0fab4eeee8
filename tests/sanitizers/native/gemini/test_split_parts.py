"""Tests of parts by the messages that they belong to."""

from __future__ import annotations

import pytest

from sanitizers.native.gemini.parts import Part, data_of
from sanitizers.native.gemini.split_parts import split_parts
from tests.sanitizers.native.gemini.building import answered, called, said

TEXT, CALL, RESPONSE = said("a"), called("f", "c"), answered("f", "c")


@pytest.mark.parametrize(
    ("parts", "side", "messages"),
    [
        ([], "user", [("user", [])]),
        ([TEXT, TEXT], "user", [("user", [TEXT, TEXT])]),
        ([TEXT, CALL], "assistant", [("assistant", [TEXT, CALL])]),
        ([RESPONSE, RESPONSE], "user", [("tool", [RESPONSE]), ("tool", [RESPONSE])]),
        ([TEXT, RESPONSE, TEXT], "user", [("tool", [RESPONSE]), ("user", [TEXT, TEXT])]),
        ([TEXT, CALL], "user", [("user", [TEXT]), ("assistant", [CALL])]),
        ([CALL, RESPONSE], "assistant", [("assistant", [CALL]), ("tool", [RESPONSE])]),
    ],
)
def test_each_message_has_the_parts_of_its_role(
    parts: list[Part], side: str, messages: list[tuple[str, list[Part]]]
) -> None:
    """Responses come before the texts of the same content, and calls are the model's."""
    split = split_parts([(part, data_of(part), "") for part in parts], side)

    assert [(role, [part for part, _, _ in placed]) for role, placed in split] == messages
