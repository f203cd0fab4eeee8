"""Tests that a finished request is recorded by its last plan, even if its headers were sent before."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.observability.finish_request import finish_request
from proxy.observability.metrics import Metrics
from proxy.observability.recent_requests import RecentRequests, request_to_json
from proxy.observability.request_record import RequestRecord
from sanitizers import Change
from sanitizers.turns import Guarded, Turn
from tests.support.proxied import CHAT, GEMINI, MODEL, settings_of
from tests.support.scraped import scrape

SETTINGS = settings_of({MODEL: GEMINI})
NOTED = Change("answer_repair", "replaced", 0, "arguments")


@dataclass
class Sent:
    """A sent request with its changes."""

    changes: tuple[Change, ...] = ()
    mode: str = "repair"
    dropped: tuple[str, ...] = ()
    deployment: Deployment = resolve(SETTINGS, MODEL)[0]


def record_of(sent: Sent) -> RequestRecord:
    """Return the record of a request that is sent with *sent*."""
    record = RequestRecord(request_id="x", route=CHAT, started=0.0, model=MODEL)
    record.use_plan(sent)
    return record


def counted(record: RequestRecord) -> tuple[str, float]:
    """Finish *record*. Return the remembered changes and the count of changes."""
    metrics, watch = Metrics(), RecentRequests(SETTINGS.general_settings.inspector)
    finish_request(record, metrics, 2.0, watch)
    made = [value for (name, _), value in scrape(metrics).items() if name == "turnright_changes_total"]
    return next(iter(watch.newest_first())).changes, sum(made)


def test_change_after_the_headers_is_counted() -> None:
    """A change after the headers is in the metrics and in the recent requests."""
    record = record_of(Sent())
    headers = record.answer_headers(1.0)
    record.use_plan(Sent((NOTED, NOTED)))

    assert "x-turnright-changes" not in headers
    assert counted(record) == ("answer_repair=2", 2)


def test_change_in_the_headers_is_counted_once() -> None:
    record = record_of(Sent((NOTED,)))

    assert record.answer_headers(1.0)["x-turnright-changes"] == "answer_repair=1"
    assert counted(record) == ("answer_repair=1", 1)


@pytest.mark.parametrize("answered", [True, False])
def test_rounds_of_a_turn_are_kept_with_or_without_an_answer(*, answered: bool) -> None:
    """A turn's rounds are in the recent requests, with an answer or without."""
    record = record_of(Sent())
    record.guarded = Guarded((), {}, Turn("observe", 3, 25, warns=True))
    if answered:
        assert record.answer_headers(1.0)["x-turnright-rounds"] == "3/25;warn"
    watch = RecentRequests(SETTINGS.general_settings.inspector)
    finish_request(record, Metrics(), 2.0, watch)

    assert [seen.rounds for seen in watch.newest_first()] == ["3/25;warn"]


def test_request_that_ends_before_its_headers_is_counted() -> None:
    """A request that ends before its headers is counted with its changes."""
    record = record_of(Sent((NOTED,)))

    assert counted(record) == ("answer_repair=1", 1)


def test_request_without_changes_counts_none() -> None:
    """A request without changes leaves the counters of changes at 0."""
    record = record_of(Sent())
    record.answer_headers(1.0)

    assert counted(record) == ("", 0)


def test_asked_model_is_remembered_and_is_no_label() -> None:
    """The inspector's page shows the asked model next to the configured name. Clients may name any number of models."""
    record = record_of(Sent())
    record.asked = "gemini/any-name"
    metrics, watch = Metrics(), RecentRequests(SETTINGS.general_settings.inspector)
    finish_request(record, metrics, 2.0, watch)

    (seen,) = watch.newest_first()
    shown = request_to_json(seen, 0.0)
    assert (shown["model"], shown["asked_model"]) == (MODEL, "gemini/any-name")
    assert not [labels for _, labels in scrape(metrics) if "gemini/any-name" in str(labels)]
