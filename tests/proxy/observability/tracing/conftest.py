"""Fixtures of a proxy with tracing, and of the spans that it exports."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from proxy.observability.tracing.exporting import Exporting
from tests.proxy.forwarding.attempting import settings_with_fallbacks
from tests.proxy.observability.tracing.read_spans import Spans
from tests.support.proxied import Proxied, proxied
from tests.support.scripted_upstream import ScriptedUpstream


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    """Return an exporter that keeps the spans in memory."""
    return InMemorySpanExporter()


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> Spans:
    """Return the spans that have ended."""
    return Spans(exporter)


@pytest.fixture
async def traced(upstream: ScriptedUpstream, exporter: InMemorySpanExporter) -> AsyncIterator[Proxied]:
    """Serve the proxy with tracing, retries and fallbacks."""
    tracing = Exporting(SimpleSpanProcessor(exporter))
    async with proxied(settings_with_fallbacks(), upstream, tracing) as served:
        yield served
