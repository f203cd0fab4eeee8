"""Tests that a query of the page is read from the pasted bytes."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from proxy.core.errors import InvalidRequest
from proxy.inspector.read_query import ItemsQuery, Query, read_query
from tests.proxy.inspector.looking import query
from tests.support.builders import user


def read(**fields: Any) -> Query:
    """Return the query that is read from *fields*."""
    return query(orjson.dumps(fields))


@pytest.mark.parametrize(
    ("fields", "model", "target"),
    [
        ({"request": [user("x")]}, "usual", {"model": "usual"}),
        ({"request": {"messages": [user("x")]}}, "usual", {"model": "usual"}),
        ({"request": {"messages": [user("x")], "model": ""}}, "usual", {"model": "usual"}),
        ({"request": {"messages": [user("x")], "model": None}}, "usual", {"model": "usual"}),
        ({"request": {"model": "own", "messages": [user("x")]}}, "own", {"model": "own"}),
        ({"request": {"model": "own", "messages": [user("x")]}, "target": None}, "own", {"model": "own"}),
        (
            {"request": {"model": "own", "messages": [user("x")]}, "target": {"model": "other"}},
            "other",
            {"model": "other"},
        ),
        (
            {"request": [user("x")], "target": {"model": "other", "position": 3}},
            "other",
            {"model": "other", "position": 3},
        ),
        ({"request": [user("x")], "target": {"profile": "mistral"}}, "mistral", {"profile": "mistral"}),
    ],
)
def test_target_goes_before_the_requests_own_model(
    fields: dict[str, Any], model: str, target: dict[str, str]
) -> None:
    """A ``request`` that is a list holds the messages alone."""
    asked = read(**fields)

    assert (asked.chat.model, asked.target.as_dict()) == (model, target)
    assert list(asked.chat.messages) == [user("x")]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (b"", None),
        (b"[]", None),
        (b"{}", "request"),
        (b'{"request": 1}', None),
        (b'{"request": {}}', "messages"),
        (b'{"request": []}', "messages"),
        (b'{"request": [], "target": 1}', "target"),
        (b'{"request": [], "target": {"model": 1}}', "target"),
        (b'{"request": [], "target": {"profile": "none"}}', "target.profile"),
        (b'{"request": [], "target": {"profile": ["a"]}}', "target.profile"),
        (b'{"request": [], "target": {"profile": "openai", "model": "x"}}', "target"),
        (b'{"request": [], "target": {"profile": "openai", "position": 0}}', "target"),
        (b'{"request": [], "target": {"position": 0}}', "target"),
        (b'{"request": [], "target": {"model": "x", "position": -1}}', "target.position"),
        (b'{"request": [], "target": {"model": "x", "position": true}}', "target.position"),
        (b'{"request": [], "target": {"model": "x", "position": "0"}}', "target.position"),
        (b'{"request": [], "recent": 1}', "recent"),
        (b'{"request": ' + b"[" * 5000 + b"]" * 5000 + b"}", None),
    ],
)
def test_unreadable_query_is_refused_with_its_fault(body: bytes, param: str | None) -> None:
    """The error's ``param`` names the faulty field, if there is one."""
    with pytest.raises(InvalidRequest) as refused:
        read_query(body, max_nesting=20, mends=True, default="usual")
    assert refused.value.param == param


def test_lone_surrogate_in_a_query_is_mended() -> None:
    """A request on its way to a provider is mended in the same way."""
    body = b'{"request": {"messages": [{"role": "user", "content": "cut \\ud83d"}]}}'

    asked = query(body)

    assert [change.reason for change in asked.chat.mended] == ["half_character"]


@pytest.mark.parametrize(
    ("option", "compact"), [(b"", True), (b',"compact":false', False), (b',"compact":1', True)]
)
def test_query_chooses_whole_or_compact_messages(option: bytes, compact: bool) -> None:
    """Compact messages are the default."""
    body = b'{"request": [{"role": "user", "content": "x"}]' + option + b"}"

    assert query(body).compact is compact


@pytest.mark.parametrize(
    ("request_", "is_items"),
    [
        ({"input": "x"}, True),
        ({"input": [], "previous_response_id": "resp_1"}, True),
        ({"previous_response_id": "resp_1"}, True),
        ({"conversation": "conv_1"}, True),
        ({"messages": [user("x")], "input": "x"}, False),
        ({"messages": [user("x")]}, False),
        ([user("x")], False),
    ],
)
def test_request_with_items_is_one_of_the_responses_api(request_: Any, is_items: bool) -> None:
    """A request with ``messages`` is a chat, whatever else it has."""
    body = orjson.dumps({"request": request_, "recent": "req_1", "target": {"model": "mine"}})

    asked = read_query(body, max_nesting=20, mends=True, default="usual")

    assert isinstance(asked, ItemsQuery) is is_items
    if isinstance(asked, ItemsQuery):
        assert (asked.fields.model, asked.recent) == ("mine", "req_1")
