"""Tests of the client's places of chat messages."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest, UnrepairableHistory
from proxy.ingress.anthropic_messages.message_places import NO_MESSAGE, MessagePlaces
from sanitizers.native import Span

PLACES = MessagePlaces(
    [Span(range(1), range(1, 2)), Span(range(1, 2), range(2, 5)), Span(range(2, 3), range(5, 5))]
)


@pytest.mark.parametrize(
    ("message", "index"), [(0, NO_MESSAGE), (1, 0), (2, 1), (4, 1), (5, NO_MESSAGE), (99, NO_MESSAGE)]
)
def test_message_is_found_by_its_span(message: int, index: int) -> None:
    assert PLACES.of_message(message) == index


@pytest.mark.parametrize(
    ("param", "renamed"),
    [
        ("messages[2].content[0].text", "messages.1"),
        ("messages[0]", "system"),
        ("messages", "messages"),
        ("messages.3.content.1", "messages.3.content.1"),
        ("tools.1.name", "tools.1.name"),
        ("system.0", "system.0"),
        ("max_completion_tokens", "max_tokens"),
        ("max_tokens", "max_tokens"),
        ("reasoning_effort", "output_config.effort"),
        ("response_format.json_schema", "output_config.format"),
        ("stop[1]", "stop_sequences"),
        ("7", "7"),
    ],
)
def test_field_has_the_apis_name(param: str, renamed: str) -> None:
    assert PLACES.rename_param(param) == renamed


def test_part_of_the_user_has_the_place_of_its_block() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "%%%"}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "ok"}
    items: list[dict[str, Any]] = [
        {"role": "assistant", "content": [{"type": "text", "text": "Hi."}]},
        {"role": "user", "content": [result, {"type": "text", "text": "See."}, image]},
    ]
    places = MessagePlaces([Span(range(1), range(1)), Span(range(1, 2), range(1, 3))], items)

    assert places.rename("messages[2].content[1].image_url is bad") == "messages.1.content.2.image is bad"
    assert places.rename_param("messages[1].content[0]") == "messages.1.content.0"
    assert places.rename_param("messages[0].content[0]") == "messages.0"
    assert places.rename_param("messages[2].role") == "messages.1"


def test_message_without_spans_has_no_number() -> None:
    assert MessagePlaces().rename_param("messages[3].role") == "messages"


def test_refusal_has_the_clients_indexes_in_its_lists() -> None:
    error = UnrepairableHistory(
        "messages[3]: a rule is broken.",
        violations=[{"rule": "x", "index": 3}],
        changes=[
            {"step": "pairing", "index": 1},
            {"step": "items", "index": 7},
            {"step": "tools", "index": 9},
        ],
    )
    PLACES.rename_error(error)

    assert error.message == "messages.1: a rule is broken."
    assert error.details == {"violations": error.violations, "changes": error.changes}
    assert error.violations == [{"rule": "x", "index": 1}]
    assert [change["index"] for change in error.changes] == [0, 7, 9]


def test_other_refusals_have_their_text_renamed() -> None:
    error = InvalidRequest("See messages[1].content.")
    PLACES.rename_error(error)

    assert error.message == "See messages.0."


def test_explanation_has_the_clients_indexes() -> None:
    change = {"step": "pairing", "index": 2}
    described = {
        "changes": [change, change],
        "found": [{"rule": "x", "index": 2}],
        "violations": [],
        "refusal": {"message": "messages[2] is wrong", "param": "messages[2]", "code": "x"},
        "memory": {"pinned": [1], "replaced": [2, 3], "text": "x"},
    }
    renamed = PLACES.renumber_explanation(described, 1)

    assert [one["index"] for one in renamed["changes"]] == [2, 1]
    assert renamed["found"] == [{"rule": "x", "index": 1}]
    assert renamed["refusal"] == {"message": "messages.1 is wrong", "param": "messages.1", "code": "x"}
    assert renamed["memory"] == {"pinned": [0], "replaced": [1, 1], "text": "x"}
    assert PLACES.renumber_explanation({**described, "refusal": None, "memory": None}, 0)["refusal"] is None
