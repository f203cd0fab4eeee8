"""Tests of exemplars, which link a counter or a bucket to a request's trace, in OpenMetrics alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from proxy.ingress.middlewares import observe
from proxy.observability.request_record import RequestRecord
from tests.support.proxied import CHAT, MODEL, Proxied, chat
from tests.support.scraped import exemplars_in
from tests.support.scripted_upstream import STOP, ScriptedUpstream, say

TRACE = "0af7651916cd43dd8448eb211c80319c"
OPENMETRICS = {"Accept": "application/openmetrics-text; version=1.0.0"}
WITH_EXEMPLARS = {
    "turnright_requests_total",
    "turnright_request_duration_seconds_bucket",
    "turnright_time_to_first_token_seconds_bucket",
    "turnright_overhead_seconds_bucket",
}


@pytest.fixture
def traced() -> Iterator[None]:
    """Give every request a trace."""

    def record(**fields: Any) -> RequestRecord:
        return RequestRecord(trace_id=TRACE, **fields)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observe, "RequestRecord", record)
        yield


@pytest.mark.usefixtures("traced")
async def test_metrics_of_a_traced_request_have_exemplars(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """Each exemplar holds the trace's id and the measured value. Other series have no exemplar."""
    upstream.then(say("a"), STOP)
    await proxy.post(chat(stream=True))
    reply = await proxy.get("/metrics", OPENMETRICS)
    exemplars = exemplars_in(reply.raw.decode())

    assert reply.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    assert {name for name, _ in exemplars} == WITH_EXEMPLARS
    assert len(exemplars) == len(WITH_EXEMPLARS)
    assert all(exemplar.labels == {"trace_id": TRACE} for exemplar in exemplars.values())
    labels = (("model", MODEL), ("outcome", "ok"), ("route", CHAT))
    assert exemplars["turnright_requests_total", labels].value == 1
    for (name, pairs), exemplar in exemplars.items():
        if name.endswith("_bucket"):
            assert 0 <= exemplar.value <= float(dict(pairs)["le"])


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("accept", [None, "text/plain", "text/plain; version=1.0.0"])
async def test_text_format_has_no_exemplars(proxy: Proxied, accept: str | None) -> None:
    """An exemplar in the text format would break the scrape."""
    await proxy.post(chat())
    reply = await proxy.get("/metrics", {"Accept": accept} if accept else {})

    assert reply.headers["Content-Type"].startswith("text/plain")
    assert TRACE.encode() not in reply.raw


async def test_request_without_a_trace_has_no_exemplar(proxy: Proxied) -> None:
    """The series are counted without an exemplar."""
    await proxy.post(chat())
    text = (await proxy.get("/metrics", OPENMETRICS)).raw.decode()

    assert exemplars_in(text) == {}
    assert "trace_id" not in text


async def test_accept_header_of_prometheus_gets_openmetrics(proxy: Proxied) -> None:
    """The header is that of Prometheus 3."""
    accept = (
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
        "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
        "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
    )
    reply = await proxy.get("/metrics", {"Accept": accept})

    assert reply.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    assert reply.raw.endswith(b"# EOF\n")
