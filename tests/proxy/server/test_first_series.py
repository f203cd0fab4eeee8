"""What is there before anything happens: a rate does not see a series that begins at 1."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from proxy.observability.metrics import Metrics
from proxy.resilience.failure_table import Kind
from proxy.server.first_series import start_series
from tests.support.proxied import CHAT, GEMINI, MODEL, Proxied, settings_of
from tests.support.scraped import Samples, exposition, scrape

OTHER = "openai/gpt-4.1"


def started(models: dict[str, Any], **sections: Any) -> Metrics:
    """Return the metrics of a process that has just read its configuration."""
    metrics = Metrics()
    start_series(metrics, settings_of(models, **sections))
    return metrics


def sample(samples: Samples, name: str, **labels: str) -> float | None:
    """Return the value of one series; None where there is none."""
    return samples.get((f"turnright_{name}", tuple(sorted(labels.items()))))


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("requests_total", {"route": CHAT, "model": MODEL, "outcome": "ok"}),
        ("requests_total", {"route": CHAT, "model": MODEL, "outcome": "upstream_error"}),
        ("requests_total", {"route": CHAT, "model": MODEL, "outcome": "internal_error"}),
        ("requests_total", {"route": CHAT, "model": MODEL, "outcome": "client_disconnected"}),
        ("requests_total", {"route": "/v1/embeddings", "model": MODEL, "outcome": "ok"}),
        ("requests_total", {"route": "/v1/embeddings", "model": MODEL, "outcome": "internal_error"}),
        ("requests_total", {"route": "/v1/explain", "model": "unknown", "outcome": "internal_error"}),
        ("requests_total", {"route": CHAT, "model": MODEL, "outcome": "insufficient_quota"}),
        ("requests_total", {"route": CHAT, "model": "unknown", "outcome": "overloaded"}),
        ("requests_total", {"route": CHAT, "model": "unknown", "outcome": "invalid_api_key"}),
        ("upstream_attempts_total", {"model": MODEL, "outcome": "unavailable"}),
        ("upstream_attempts_total", {"model": MODEL, "outcome": "key_refused"}),
        ("retries_total", {"model": MODEL, "reason": "rate_limited"}),
        ("fallbacks_total", {"model": MODEL, "reason": "quota_exhausted"}),
        ("circuit_state", {"model": MODEL, "deployment": "0"}),
        ("circuit_state", {"model": "spare", "deployment": "1"}),
        ("streams_interrupted_total", {"model": MODEL, "reason": "connection_lost"}),
        ("streams_interrupted_total", {"model": MODEL, "reason": "cut_off"}),
        ("client_disconnects_total", {"route": CHAT}),
        ("client_disconnects_total", {"route": "/v1/models/{id}"}),
        ("config_reloads_total", {"result": "failed"}),
        ("tokens_total", {"model": MODEL, "type": "output"}),
        ("shed_total", {}),
    ],
)
def test_what_an_alert_asks_about_is_there(name: str, labels: dict[str, str]) -> None:
    """Each of these is 0 before the first request."""
    samples = scrape(
        started({MODEL: GEMINI, "spare": OTHER}, router_settings={"fallbacks": [{MODEL: ["spare"]}]})
    )

    assert sample(samples, name, **labels) == 0


def test_rules_are_there_where_a_history_may_break_them() -> None:
    """What is sent although it is illegal is counted from the first time on."""
    sent = scrape(started({MODEL: GEMINI}, sanitize={"on_violation": "send"}))
    assert sample(sent, "violations_sent_total", rule="orphaned_result") == 0
    assert sample(scrape(started({MODEL: GEMINI})), "violations_sent_total", rule="orphaned_result") is None


def test_what_cannot_happen_is_not() -> None:
    """A model without a fallback has no series of fallbacks, and nothing is retried that never is."""
    samples = scrape(started({MODEL: GEMINI}))

    assert not any(name == "turnright_fallbacks_total" for name, _ in samples)
    assert sample(samples, "retries_total", model=MODEL, reason="key_refused") is None


async def test_first_scrape_of_a_process(proxy: Proxied) -> None:
    """They are in the scrape of a process that has just started, whose configuration counts as taken up."""
    samples = await proxy.metrics()

    assert sample(samples, "retries_total", model=MODEL, reason=Kind.UNAVAILABLE) == 0
    assert sample(samples, "circuit_state", model=MODEL, deployment="0") == 0
    assert sample(samples, "config_reload_success") == 1
    assert (sample(samples, "config_reload_timestamp_seconds") or 0) > 1.7e9
    assert samples["process_resident_memory_bytes", ()] > 1e6
    assert ("python_gc_collections_total", (("generation", "2"),)) in samples


def test_a_model_begins_with_fewer_than_130_series() -> None:
    """A scrape of all series must not take the event loop's time."""
    names = [f"model-{number}" for number in range(5)]
    fallbacks = [{name: ["model-0"]} for name in names[1:]]
    few = scrape(started({"a": GEMINI}))
    many = scrape(started(dict.fromkeys(names, GEMINI), router_settings={"fallbacks": fallbacks}))

    assert len(many) - len(few) < 5 * 130
    assert len(few) < 250


def test_a_new_configuration_keeps_what_was_counted() -> None:
    """Another configuration adds its models; the circuits are its own, since places mean something else in it."""
    metrics = started({MODEL: GEMINI, "old": OTHER})
    metrics.retries.labels(MODEL, "unavailable").inc()
    metrics.circuits.labels("old", "1").set(2)
    start_series(metrics, settings_of({"new": OTHER, MODEL: GEMINI}))
    samples = scrape(metrics)

    assert sample(samples, "retries_total", model=MODEL, reason="unavailable") == 1
    assert sample(samples, "retries_total", model="new", reason="unavailable") == 0
    circuits = {
        labels: value for (name, labels), value in samples.items() if name == "turnright_circuit_state"
    }
    assert circuits == {
        (("deployment", "0"), ("model", "new")): 0,
        (("deployment", "1"), ("model", MODEL)): 0,
    }


def test_every_metric_says_what_it_is() -> None:
    """Each has a help text that is a sentence, and a name of ours, the library's or the convention's."""
    metrics = Metrics()
    metrics.gen_ai()
    families = list(text_string_to_metric_families(exposition(metrics)))

    for family in families:
        assert family.name.startswith(("turnright_", "gen_ai_client_", "process_", "python_gc_"))
        if family.name.startswith(("turnright_", "gen_ai_")):
            assert family.documentation.endswith(".")
            assert len(family.documentation) > 30
