"""The attributes of a request's span: OpenTelemetry's conventions for HTTP servers, and turnright's own.

Of the HTTP request, only the method, scheme and path template are written. No address, header, query or text is
written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proxy.observability.tracing.gen_ai_attributes import Attribute
from proxy.planning.plan import split_changes

if TYPE_CHECKING:
    from proxy.observability.request_record import RequestRecord
    from proxy.observability.tracing import IncomingRequest
    from proxy.planning.budgets.report import Report

_NO_FAULT = frozenset({"ok", "client_disconnected"})


def attributes_of_request(incoming: IncomingRequest) -> dict[str, Attribute]:
    """Return the attributes that are known when a request arrives. Sampling may depend on them."""
    return {
        "http.request.method": incoming.method,
        "http.route": incoming.route,
        "url.path": incoming.path,
        "url.scheme": incoming.scheme,
    }


def fault_of(record: RequestRecord) -> str | None:
    """Return the error code of a request that failed by the server's fault; None for all others.

    The server is at fault for a status from 500 on, as the convention says, and for an answer that broke off after a
    200.
    """
    failed = record.status >= 500 or (record.status == 200 and record.outcome not in _NO_FAULT)
    return record.outcome if failed else None


def attributes_of_record(record: RequestRecord, retries: int, fallbacks: int) -> dict[str, Attribute]:
    """Return the attributes that are known at the end of a request."""
    attributes: dict[str, Attribute] = {"turnright.model": record.model, "turnright.outcome": record.outcome}
    if record.status:
        attributes["http.response.status_code"] = record.status
    if record.planned is not None:
        attributes |= {
            "turnright.mode": record.planned.mode,
            "turnright.attempts": record.attempts,
            "turnright.retries": retries,
            "turnright.fallbacks": fallbacks,
        }
        _count_changes(record, attributes)
    if record.guarded is not None:
        turn = record.guarded.turn
        attributes["turnright.rounds"] = turn.rounds
        if turn.limit:
            attributes["turnright.rounds.limit"] = turn.limit
    if record.plan is not None and record.plan.budget is not None:
        attributes |= _attributes_of_budget(record.plan.budget)
    return attributes


def _count_changes(record: RequestRecord, attributes: dict[str, Attribute]) -> None:
    """Count the changes by step. Changes that mode ``observe`` did not make have a name of their own."""
    assert record.planned is not None
    by_mode, in_any = split_changes(record.all_changes)
    made = "changes" if record.planned.mode != "observe" else "observed_changes"
    counts: dict[str, int] = {}
    for kind, changes in ((made, by_mode), ("changes", in_any)):
        for change in changes:
            name = f"turnright.{kind}.{change.step}"
            counts[name] = counts.get(name, 0) + 1
    attributes |= counts


def _attributes_of_budget(budget: Report) -> dict[str, Attribute]:
    attributes: dict[str, Attribute] = {
        "turnright.budget.estimate": budget.estimate,
        "turnright.budget.sent": budget.sent,
        "turnright.budget.exact": budget.exact,
    }
    if budget.limit.tokens is not None:
        attributes["turnright.budget.limit"] = budget.limit.tokens
    return attributes
