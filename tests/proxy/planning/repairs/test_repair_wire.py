"""Tests of asking a model without chats through the Responses API."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.profiles import OPENAI
from tests.proxy.planning.repairs.asking import repaired
from tests.support.builders import user

WORDS = "This model is only supported in v1/responses and not in v1/chat/completions."


def test_history_goes_out_as_items_and_parameters_without_a_field_are_listed() -> None:
    asked = [{**user("hi"), "name": "bo"}]
    done = repaired(WORDS, asked, {"stop": "x", "seed": 1, "max_tokens": 3, "top_p": 1}, OPENAI)

    assert done is not None
    assert done.profile is not None
    assert done.profile.items
    assert done.messages == [user("hi")]
    assert done.parameters == {"max_tokens": 16, "top_p": 1}
    assert [(change.kind, change.reason, change.detail) for change in done.changes] == [
        ("dropped", "refused_field", "name"),
        ("replaced", "no_chats", ""),
        ("dropped", "refused_parameter", "seed"),
        ("dropped", "refused_parameter", "stop"),
        ("replaced", "refused_parameter", "max_tokens"),
    ]


@pytest.mark.parametrize("parameters", [{"n": 2}, {"functions": [{"name": "f"}]}])
def test_what_the_api_does_not_have_is_not_repaired(parameters: dict[str, Any]) -> None:
    """A single answer would not be what the client asked for, and the old form of tools has no answer there."""
    assert repaired(WORDS, [user("hi")], parameters, OPENAI) is None


def test_history_of_items_is_not_repaired_again() -> None:
    assert repaired(WORDS, [user("hi")], {}, OPENAI.as_items()) is None
