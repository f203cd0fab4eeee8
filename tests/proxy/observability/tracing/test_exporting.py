"""Tests of the export of spans: the service that they name, and the last export of a process."""

from __future__ import annotations

import threading

import pytest
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from typing_extensions import override

from proxy import __version__
from proxy.observability.tracing import exporting
from proxy.observability.tracing.exporting import Exporting
from tests.proxy.conftest import LogLines


@pytest.mark.parametrize(
    ("variables", "service"),
    [({}, "turnright"), ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=gateway-7"}, "gateway-7")],
    ids=["default", "named by the operator"],
)
def test_spans_name_their_service(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], service: str
) -> None:
    """The SDK's variable ``OTEL_RESOURCE_ATTRIBUTES`` overrides the default name."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    exporter = InMemorySpanExporter()
    Exporting(SimpleSpanProcessor(exporter))._tracer.start_span("x").end()
    (span,) = exporter.get_finished_spans()

    assert span.resource.attributes["service.name"] == service
    assert span.resource.attributes["service.version"] == __version__


class StuckProcessor(SpanProcessor):
    """A processor whose collector does not answer until *answers* is set."""

    def __init__(self, answers: threading.Event) -> None:
        self._answers = answers

    @override
    def shutdown(self) -> None:
        """Wait for the collector."""
        self._answers.wait(10)


@pytest.mark.parametrize("stuck", [False, True], ids=["collector answers", "collector is stuck"])
async def test_closing_waits_no_longer_than_its_limit(
    monkeypatch: pytest.MonkeyPatch, log_lines: LogLines, stuck: bool
) -> None:
    """Spans that are not sent within the limit are reported as lost."""
    monkeypatch.setattr(exporting, "_FLUSH_S", 0.05 if stuck else 10)
    answers = threading.Event()
    if not stuck:
        answers.set()
    try:
        await Exporting(StuckProcessor(answers)).close()
    finally:
        answers.set()

    assert [line["event"] for line in log_lines()] == (["spans_lost"] if stuck else [])
