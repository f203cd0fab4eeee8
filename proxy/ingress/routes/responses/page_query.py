"""Reads the query of a path that lists items in pages."""

from __future__ import annotations

from collections.abc import Mapping

from proxy.core.errors import InvalidRequest
from sanitizers.record import record

_MOST, _USUAL = 100, 20


@record
class PageQuery:
    """The page that a client asks for: *limit* items behind the item *after*, in ``asc`` or ``desc`` order."""

    after: str | None
    limit: int
    order: str


def read_page_query(query: Mapping[str, str]) -> PageQuery:
    """Return the page that *query* asks for. Raises :class:`InvalidRequest` for a limit outside of 1 to 100."""
    limit, order = query.get("limit", str(_USUAL)), query.get("order", "desc")
    if not limit.isdecimal() or len(limit) > 3 or not 1 <= int(limit) <= _MOST:
        raise InvalidRequest(f"'limit' must be a number from 1 to {_MOST}.", param="limit")
    if order not in ("asc", "desc"):
        raise InvalidRequest("'order' must be 'asc' or 'desc'.", param="order")
    return PageQuery(query.get("after"), int(limit), order)
