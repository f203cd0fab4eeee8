"""Tests that the metric series of alerts exist from the start of the process."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from proxy.observability.metrics import Metrics
from proxy.observability.metrics.limits import REFUSAL_KINDS
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
    """Return the value of one series, or None where there is none."""
    return samples.get((f"turnright_{name}", tuple(sorted(labels.items()))))


@pytest.mark.parametrize(
    ("compaction", "expected"),
    [
        ({}, None),
        ({"enabled": True, "model": MODEL}, 0.0),
        ({"model": MODEL, "per_model": [{"model": MODEL, "enabled": True}]}, 0.0),
    ],
)
def test_outcomes_of_summaries_are_there_where_compaction_is_on(
    compaction: dict[str, Any], expected: float | None
) -> None:
    """An alert on failed summaries needs the series before the first failure."""
    samples = scrape(started({MODEL: GEMINI}, compaction=compaction))
    assert sample(samples, "compactions_total", outcome="failed") == expected


@pytest.mark.parametrize("kind", REFUSAL_KINDS)
def test_refusals_are_there_for_each_limited_key(kind: str) -> None:
    """A key may be limited by its team alone. A key without limits is never refused."""
    keys = [
        {"name": "limited", "key": "sk-limited", "rpm_limit": 5},
        {"name": "in-team", "key": "sk-in-team", "team": "blue"},
        {"name": "free", "key": "sk-free", "team": "green"},
    ]
    teams = [{"name": "blue", "max_budget": 5}, {"name": "green"}]
    samples = scrape(started({MODEL: GEMINI}, general_settings={"keys": keys, "teams": teams}))

    found = [
        sample(samples, "rate_limited_total", key=name, kind=kind) for name in ("limited", "in-team", "free")
    ]
    assert found == [0, 0, None]


@pytest.mark.long
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
def test_series_of_alerts_begin_at_0(name: str, labels: dict[str, str]) -> None:
    """Series begin at 0, since a rate misses the first event of a series that begins at 1."""
    samples = scrape(
        started({MODEL: GEMINI, "spare": OTHER}, router_settings={"fallbacks": [{MODEL: ["spare"]}]})
    )

    assert sample(samples, name, **labels) == 0


def test_rules_have_series_where_illegal_histories_are_sent() -> None:
    """Series of sent violations exist only where illegal histories are sent."""
    sent = scrape(started({MODEL: GEMINI}, sanitize={"on_violation": "send"}))
    assert sample(sent, "violations_sent_total", rule="orphaned_result") == 0
    assert sample(scrape(started({MODEL: GEMINI})), "violations_sent_total", rule="orphaned_result") is None


def test_impossible_events_have_no_series() -> None:
    """The model has no fallback, and a refused key is never retried."""
    samples = scrape(started({MODEL: GEMINI}))

    assert not any(name == "turnright_fallbacks_total" for name, _ in samples)
    assert sample(samples, "retries_total", model=MODEL, reason="key_refused") is None


async def test_first_scrape_of_a_process_has_its_series(proxy: Proxied) -> None:
    """The first scrape counts the configuration as applied."""
    samples = await proxy.metrics()

    assert sample(samples, "retries_total", model=MODEL, reason=Kind.UNAVAILABLE) == 0
    assert sample(samples, "circuit_state", model=MODEL, deployment="0") == 0
    assert sample(samples, "config_reload_success") == 1
    assert (sample(samples, "config_reload_timestamp_seconds") or 0) > 1.7e9
    assert samples["process_resident_memory_bytes", ()] > 1e6
    assert ("python_gc_collections_total", (("generation", "2"),)) in samples


def test_model_begins_with_fewer_than_130_series() -> None:
    """A scrape of too many series would block the event loop."""
    names = [f"model-{number}" for number in range(5)]
    fallbacks = [{name: ["model-0"]} for name in names[1:]]
    few = scrape(started({"a": GEMINI}))
    many = scrape(started(dict.fromkeys(names, GEMINI), router_settings={"fallbacks": fallbacks}))

    assert len(many) - len(few) < 5 * 130
    assert len(few) < 260


def test_reload_keeps_counts_and_replaces_circuits() -> None:
    """Circuits are replaced, since a position means another deployment in the new configuration."""
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


def test_every_metric_has_a_known_prefix_and_a_help_text() -> None:
    """Every help text is a sentence."""
    metrics = Metrics()
    metrics.gen_ai()
    families = list(text_string_to_metric_families(exposition(metrics)))

    for family in families:
        assert family.name.startswith(("turnright_", "gen_ai_client_", "process_", "python_gc_"))
        if family.name.startswith(("turnright_", "gen_ai_")):
            assert family.documentation.endswith(".")
            assert len(family.documentation) > 30
