"""Tests of the query of paths that list items."""

from __future__ import annotations

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.routes.responses.page_query import PageQuery, read_page_query


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ({}, PageQuery(None, 20, "desc")),
        ({"limit": "1", "order": "asc", "after": "x"}, PageQuery("x", 1, "asc")),
        ({"limit": "100"}, PageQuery(None, 100, "desc")),
    ],
)
def test_page_is_read(query: dict[str, str], page: PageQuery) -> None:
    assert read_page_query(query) == page


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "101"}, "limit"),
        ({"limit": "-1"}, "limit"),
        ({"limit": "9" * 5000}, "limit"),
        ({"order": "random"}, "order"),
    ],
)
def test_faulty_query_is_refused(query: dict[str, str], param: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_page_query(query)
    assert refused.value.param == param
