"""Tests of the attributes of a request's span: names, numbers and closed sets."""

from __future__ import annotations

import pytest

from proxy.observability.request_record import RequestRecord
from proxy.observability.tracing import IncomingRequest
from proxy.observability.tracing.request_attributes import (
    attributes_of_record,
    attributes_of_request,
    fault_of,
)
from sanitizers.turns import Guarded, Turn
from tests.proxy.observability.planned import MENDED, PAIRED, Sent, record_of


@pytest.mark.parametrize(
    ("status", "outcome", "expected"),
    [
        (200, "ok", None),
        (200, "client_disconnected", None),
        (200, "upstream_error", "upstream_error"),
        (400, "invalid_request", None),
        (429, "upstream_error", None),
        (500, "internal_error", "internal_error"),
        (504, "upstream_timeout", "upstream_timeout"),
        (0, "client_disconnected", None),
    ],
)
def test_span_has_an_error_for_the_servers_faults_only(
    status: int, outcome: str, expected: str | None
) -> None:
    """A client's mistake is no error of the span. An answer that broke off after status 200 is an error of the span."""
    assert fault_of(RequestRecord("r", "/v1/x", 0.0, status=status, outcome=outcome)) == expected


def test_new_request_has_its_route_template_and_no_path() -> None:
    """The attribute ``url.path`` is the template, since a real path may hold a client's text."""
    incoming = IncomingRequest("GET", "http", "/v1/models/{id}", "/v1/models/{id}")

    assert attributes_of_request(incoming) == {
        "http.request.method": "GET",
        "http.route": "/v1/models/{id}",
        "url.path": "/v1/models/{id}",
        "url.scheme": "http",
    }


def test_unplanned_request_has_no_attempts_attribute() -> None:
    """Without an answer the span has no status either."""
    assert attributes_of_record(RequestRecord("r", "/v1/x", 0.0), 0, 0) == {
        "turnright.model": "unknown",
        "turnright.outcome": "ok",
    }


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("repair", {"turnright.changes.pairing": 2, "turnright.changes.answer_repair": 1}),
        ("observe", {"turnright.observed_changes.pairing": 2, "turnright.changes.answer_repair": 1}),
    ],
)
def test_observed_changes_have_an_attribute_of_their_own(mode: str, expected: dict[str, int]) -> None:
    """Changes of an answer are made in every mode."""
    attributes = attributes_of_record(record_of(Sent(mode, (PAIRED, PAIRED)), MENDED), 1, 2)

    assert {name: count for name, count in attributes.items() if "changes" in name} == expected
    assert attributes["turnright.retries"] == 1
    assert attributes["turnright.fallbacks"] == 2


@pytest.mark.parametrize(("limit", "shown"), [(25, 25), (0, None)])
def test_limit_of_rounds_is_an_attribute_where_there_is_one(limit: int, shown: int | None) -> None:
    """The limit 0 means that there is no limit."""
    record = record_of(Sent())
    record.guarded = Guarded((), {}, Turn("warn", 3, limit))
    attributes = attributes_of_record(record, 0, 0)

    assert attributes["turnright.rounds"] == 3
    assert attributes.get("turnright.rounds.limit") == shown
