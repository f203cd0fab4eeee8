"""Tests the running process's metrics: answers, retries, errors, disconnects, refusals, and both scrape formats."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.process.asking import ask, body
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.scraped import Samples, exemplars_in, samples_of

CHAT = "/v1/chat/completions"
MAIN, SPARE, PLACES = "main", "spare", 2
LONG_S = 600.0
TEXT = "a text of some words that comes in more than one piece"
TRACE = "0af7651916cd43dd8448eb211c80319c"
OPENMETRICS = {"Accept": "application/openmetrics-text; version=1.0.0"}


@pytest.fixture(scope="module")
def counted(directory: Path, gemini_process: Gemini) -> Iterator[Served]:
    """Run ``turnright serve`` with a fallback, two request slots, and all metrics."""

    def entry(name: str, model: str) -> dict[str, object]:
        given = {"model": f"gemini/{model}", "api_key": "emulated", "api_base": gemini_process.api_base}
        return {"model_name": name, "transport": "direct", "litellm_params": given}

    config = {
        "model_list": [entry(MAIN, "gemini-3.6-flash"), entry(SPARE, "gemini-2.5-pro")],
        "general_settings": {
            "drain_delay": 0,
            "drain_grace": 2,
            "max_in_flight": PLACES,
            "gen_ai_metrics": True,
        },
        "router_settings": {"num_retries": 1, "fallbacks": [{MAIN: [SPARE]}]},
    }
    with serve(directory, config) as process:
        yield process


class Scraper:
    """Reads the metrics, and how much they have grown since the test began."""

    def __init__(self, http: httpx.Client, served: Served) -> None:
        self._http, self._url = http, f"{served.origin}/metrics"
        self._before = self.read()

    def read(self) -> Samples:
        """Return every sample, from the text format."""
        return samples_of(text_string_to_metric_families(self._http.get(self._url).text))

    def openmetrics(self) -> httpx.Response:
        """Return the scrape in OpenMetrics."""
        return self._http.get(self._url, headers=OPENMETRICS)

    def more(self, name: str, **labels: str) -> float:
        """Return by how much a series has grown since this object was made. Fails if the series is new."""
        key = (name, tuple(sorted(labels.items())))
        return self.read()[key] - self._before[key]

    def wait_for(self, name: str, **labels: str) -> float:
        """Return :meth:`more` as soon as it is not 0, since a request is counted after its answer."""
        limit = time.monotonic() + 30
        while not (found := self.more(name, **labels)) and time.monotonic() < limit:
            time.sleep(0.02)
        return found


@pytest.fixture
def scraper(http: httpx.Client, counted: Served, gemini: Gemini) -> Scraper:
    """Return a scraper that counts from now on. The provider's queues are empty."""
    del gemini
    return Scraper(http, counted)


def outcome(scraper: Scraper, model: str, named: str) -> float:
    """Return how many chats of *model* ended with the outcome *named*."""
    return scraper.wait_for("turnright_requests_total", route=CHAT, model=model, outcome=named)


def chat(model: str = MAIN, *, stream: bool = False) -> dict[str, object]:
    """Return a chat request."""
    return body(model, [{"role": "user", "content": "x"}], stream=stream)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_metrics_of_an_answer(
    http: httpx.Client, counted: Served, gemini: Gemini, scraper: Scraper, stream: bool
) -> None:
    """An answer counts as one request and one attempt, with durations and tokens."""
    gemini.say(TEXT)

    assert ask(http, counted, chat(stream=stream)).is_whole
    assert outcome(scraper, MAIN, "ok") == 1
    assert scraper.more("turnright_upstream_attempts_total", model=MAIN, outcome="ok") == 1
    assert scraper.more("turnright_tokens_total", model=MAIN, type="output") > 1
    after = scraper.read()
    streamed = after.get(("turnright_time_per_output_token_seconds_count", (("model", MAIN),)), 0)
    assert after["turnright_upstream_request_duration_seconds_count", (("model", MAIN),)] >= 1
    assert after["turnright_overhead_seconds_count", (("route", CHAT),)] >= 1
    assert bool(streamed) is stream
    assert after["turnright_in_flight", ()] == 0
    assert 0 <= after["turnright_event_loop_lag_seconds", ()] < 60


def test_metrics_of_a_retry(http: httpx.Client, counted: Served, gemini: Gemini, scraper: Scraper) -> None:
    """A failure that a retry overcomes counts as one retry and no fallback."""
    gemini.fault(status=503)

    assert ask(http, counted, chat()).status == 200
    assert outcome(scraper, MAIN, "ok") == 1
    assert scraper.more("turnright_upstream_attempts_total", model=MAIN, outcome="unavailable") == 1
    assert scraper.more("turnright_retries_total", model=MAIN, reason="unavailable") == 1
    assert scraper.more("turnright_fallbacks_total", model=MAIN, reason="unavailable") == 0


def test_metrics_of_a_fallback(http: httpx.Client, counted: Served, gemini: Gemini, scraper: Scraper) -> None:
    """A refused key counts as one fallback, and opens the circuit of its deployment."""
    gemini.fault(status=401, model="gemini-3.6-flash")

    assert ask(http, counted, chat()).status == 200
    assert outcome(scraper, MAIN, "ok") == 1
    assert scraper.more("turnright_fallbacks_total", model=MAIN, reason="key_refused") == 1
    assert scraper.more("turnright_upstream_attempts_total", model=SPARE, outcome="ok") == 1
    assert scraper.more("turnright_circuit_state", model=MAIN, deployment="0") == 2


def test_metrics_of_an_error(http: httpx.Client, counted: Served, gemini: Gemini, scraper: Scraper) -> None:
    """A lasting failure counts as two attempts, one retry and one failed request."""
    gemini.fault(status=500, times=9, model="gemini-2.5-pro")

    assert ask(http, counted, chat(SPARE)).status == 500
    assert outcome(scraper, SPARE, "upstream_error") == 1
    assert scraper.more("turnright_upstream_attempts_total", model=SPARE, outcome="server_error") == 2
    assert scraper.more("turnright_retries_total", model=SPARE, reason="server_error") == 1


def test_metrics_of_an_interrupted_stream(
    http: httpx.Client, counted: Served, gemini: Gemini, scraper: Scraper
) -> None:
    """A stream that breaks after its first text counts as interrupted, not as a client's disconnect."""
    gemini.say(TEXT)
    gemini.fault(cut_after_chunks=1)

    assert '"error"' in ask(http, counted, chat(SPARE, stream=True)).events[-1]
    assert outcome(scraper, SPARE, "upstream_unreachable") == 1
    assert scraper.more("turnright_streams_interrupted_total", model=SPARE, reason="connection_lost") == 1
    assert scraper.more("turnright_client_disconnects_total", route=CHAT) == 0


def test_metrics_of_a_client_that_disconnects(counted: Served, gemini: Gemini, scraper: Scraper) -> None:
    """A client that leaves in mid-stream counts as a disconnect, not as an interrupted stream."""
    gemini.say(TEXT)
    gemini.fault(chunk_delay_seconds=LONG_S)
    address, payload = urlsplit(counted.origin), json.dumps(chat(SPARE, stream=True)).encode()
    with socket.create_connection((address.hostname or "", address.port or 80), timeout=30) as client:
        head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(payload)}\r\n\r\n"
        client.sendall(head.encode() + payload)
        received = b""
        while b"data: " not in received:
            received += client.recv(65536)

    assert scraper.wait_for("turnright_client_disconnects_total", route=CHAT) == 1
    assert outcome(scraper, SPARE, "client_disconnected") == 1
    assert scraper.more("turnright_streams_interrupted_total", model=SPARE, reason="connection_lost") == 0


def test_metrics_of_a_request_without_a_place(
    http: httpx.Client, counted: Served, gemini: Gemini, scraper: Scraper
) -> None:
    """A request beyond the limit of slots counts as shed, with the outcome ``overloaded``."""
    gemini.fault(delay_seconds=3.0, times=PLACES)
    with ThreadPoolExecutor(PLACES) as pool:
        waiting = [pool.submit(ask, http, counted, chat(SPARE)) for _ in range(PLACES)]
        limit = time.monotonic() + 30
        while len(gemini.journal()) < PLACES and time.monotonic() < limit:
            time.sleep(0.01)
        refused = ask(http, counted, chat(SPARE))
        answered = [one.result().status for one in waiting]

    assert (refused.status, answered) == (503, [200] * PLACES)
    assert scraper.more("turnright_shed_total") == 1
    assert outcome(scraper, "unknown", "overloaded") == 1


def test_both_formats_say_the_same(http: httpx.Client, counted: Served, scraper: Scraper) -> None:
    """The OpenMetrics scrape passes its stricter parser, and has the same metrics as the text format."""
    assert ask(http, counted, chat(SPARE)).status == 200
    scrape = scraper.openmetrics()
    exemplars_in(scrape.text)  # reads it all
    names = {line.split()[2] for line in scrape.text.splitlines() if line.startswith("# TYPE ")}
    plain = {
        family.name for family in text_string_to_metric_families(http.get(f"{counted.origin}/metrics").text)
    }

    assert scrape.headers["Content-Type"].startswith("application/openmetrics-text")
    assert names == plain
    assert {"gen_ai_client_operation_duration_seconds", "gen_ai_client_token_usage"} <= names
    assert {"process_cpu_seconds", "python_gc_collections", "turnright_build_info"} <= names


def test_exemplars_lead_to_the_trace_of_a_request(
    http: httpx.Client, counted: Served, scraper: Scraper
) -> None:
    """The metrics that count a traced request have exemplars with its trace id."""
    http.post(
        f"{counted.base_url}/chat/completions",
        json=chat(SPARE),
        headers={"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"},
    ).raise_for_status()
    found = exemplars_in(scraper.openmetrics().text)

    assert {name for name, _ in found} >= {
        "turnright_requests_total",
        "turnright_request_duration_seconds_bucket",
    }
    assert all(exemplar.labels == {"trace_id": TRACE} for exemplar in found.values())
