"""Tests of lists of items: ids, pages, and items that were sent again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import InvalidRequest
from proxy.state.sessions.item_lists import MAX_ID, id_of, page_of, with_ids, without_repeated
from tests.support.session_stores import said, user

CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
ODD: dict[str, Any] = {"id": 7, "call_id": [], "type": {}}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "1"}


def test_items_without_an_id_get_one_that_stays() -> None:
    """The id depends on the seed and the position. Other items and the given list are not changed."""
    items = [user("a"), said("b"), CALL, {"type": "odd"}, {"type": 7, "id": ""}]
    before = [dict(item) for item in items]
    given_ids = with_ids(items, "resp_1")

    assert items == before
    assert with_ids(items, "resp_1") == given_ids
    assert [item["id"].partition("_")[0] for item in given_ids] == ["msg", "msg", "fc", "item", "item"]
    assert given_ids[1]["id"] == "msg_b"
    assert len({item["id"] for item in [*given_ids, *with_ids(items, "resp_2")]}) == 9
    assert all(len(item["id"]) <= 64 for item in given_ids)


@pytest.mark.parametrize(
    ("id_", "found"),
    [("x", "x"), ("x" * MAX_ID, "x" * MAX_ID), ("x" * (MAX_ID + 1), None), ("", None), (7, None)],
)
def test_only_a_short_text_is_an_id(id_: Any, found: str | None) -> None:
    """Longer texts are not looked up."""
    assert id_of({"id": id_}) == found


@given(count=st.integers(0, 30), limit=st.integers(1, 10), order=st.sampled_from(["asc", "desc"]))
def test_pages_are_the_whole_list_once(count: int, limit: int, order: str) -> None:
    """Pages that follow one another have every item once, in the order."""
    items = with_ids([user(str(number)) for number in range(count)], "s")
    read, after, pages = list[Any](), None, 0
    while True:
        page = page_of(items, after=after, limit=limit, order=order)
        read, after, pages = [*read, *page.data], page.last_id, pages + 1
        assert len(page.data) <= limit
        if not page.has_more:
            break

    assert read == (items if order == "asc" else items[::-1])
    assert pages == max(1, -(-count // limit))


def test_empty_page_has_no_ids() -> None:
    """An empty list has one empty page."""
    page = page_of([], after=None, limit=5, order="desc")

    assert (page.data, page.first_id, page.last_id, page.has_more) == ([], None, None, False)


def test_unknown_after_is_refused() -> None:
    """The error names the parameter."""
    with pytest.raises(InvalidRequest) as caught:
        page_of(with_ids([user("a")], "s"), after="msg_other", limit=5, order="asc")

    assert caught.value.param == "after"


@pytest.mark.parametrize(
    ("history", "items", "left"),
    [
        ([user("a", id="m1")], [user("a", id="m1"), user("b")], [user("b")]),
        ([user("a")], [user("a")], [user("a")]),
        ([CALL], [CALL, OUTPUT], [OUTPUT]),
        ([CALL, OUTPUT], [CALL, OUTPUT, user("b")], [user("b")]),
        ([{**CALL, "id": "fc_1"}], [{**CALL, "id": "fc_other"}, OUTPUT], [OUTPUT]),
        ([said("a")], [{"type": "item_reference", "id": "msg_a"}, user("b")], [user("b")]),
        ([], [CALL, CALL], [CALL, CALL]),
        ([ODD], [ODD], [ODD]),
    ],
)
def test_items_of_the_history_are_left_out(
    history: list[dict[str, Any]], items: list[dict[str, Any]], left: list[dict[str, Any]]
) -> None:
    """By item id, and by call id for calls and outputs apart. The text alone is no reason: users repeat themselves."""
    assert without_repeated(history, items) == left
