"""Every metric, in one place, on a registry of its own.

Labels come from closed sets only: route templates, configured model names, step names and reasons, error codes.
Nothing a client sends becomes a label.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

from proxy import __version__
from sanitizers import Change
from sanitizers.turns import EVENTS

# The `_created` series double every counter and nothing here reads them.
disable_created_metrics()  # type: ignore[no-untyped-call]  # prometheus_client has no annotation for it

UNKNOWN_MODEL = "unknown"
"""The model label of requests that name no configured model."""

_FORWARDED = ("/v1/chat/completions", "/v1/embeddings", "/v1/completions")
_DURATIONS = (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)
_FIRST_TOKEN = (0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160)
_ERRORS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
_ROUNDS = (0, 1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 200)
_OVERHEAD = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25)


MetricT = TypeVar("MetricT", Counter, Gauge, Histogram)


class Labelled(Generic[MetricT]):
    """A metric with labels, whose series are looked up once: their values are from closed sets, so that all are kept.

    The library's ``labels`` takes a lock and writes every value as text, 2.5 us where this takes 0.2.
    """

    __slots__ = ("_metric", "_series")

    def __init__(self, metric: MetricT) -> None:
        self._metric: MetricT = metric
        self._series: dict[tuple[str, ...], MetricT] = {}

    def labels(self, *values: str) -> MetricT:
        """Return the series of these label values."""
        series = self._series.get(values)
        if series is None:
            series = self._series[values] = self._metric.labels(*values)
        return series


class Metrics:
    """The process's metrics; *models* are the configured names, which get their series at once."""

    def __init__(self, models: Iterable[str] = ()) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        registry = self.registry
        self.requests = Labelled(
            Counter(
                "turnright_requests_total",
                "Requests that ended, by outcome: ok, an error code, or client_disconnected.",
                ["route", "model", "outcome"],
                registry=registry,
            )
        )
        self.duration = Labelled(
            Histogram(
                "turnright_request_duration_seconds",
                "Time from a request's arrival to the end of its answer.",
                ["route", "model"],
                buckets=_DURATIONS,
                registry=registry,
            )
        )
        self.first_token = Labelled(
            Histogram(
                "turnright_time_to_first_token_seconds",
                "Time from a streaming request's arrival to its first chunk.",
                ["model"],
                buckets=_FIRST_TOKEN,
                registry=registry,
            )
        )
        self.overhead = Labelled(
            Histogram(
                "turnright_overhead_seconds",
                "Time spent in turnright itself before the answer's headers went out, upstream waits left out.",
                ["route"],
                buckets=_OVERHEAD,
                registry=registry,
            )
        )
        self.attempts = Labelled(
            Counter(
                "turnright_upstream_attempts_total",
                "Calls made upstream, by outcome: ok, what went wrong, or cancelled.",
                ["model", "outcome"],
                registry=registry,
            )
        )
        self.retries = Labelled(
            Counter(
                "turnright_retries_total",
                "Further attempts on the same model, by what the last one failed of.",
                ["model", "reason"],
                registry=registry,
            )
        )
        self.fallbacks = Labelled(
            Counter(
                "turnright_fallbacks_total",
                "Requests that went on to another model, by what the last attempt failed of.",
                ["model", "reason"],
                registry=registry,
            )
        )
        self.circuits = Labelled(
            Gauge(
                "turnright_circuit_state",
                "0: a deployment takes requests, 1: one is let through to try it, 2: it is left alone.",
                ["model", "deployment"],
                registry=registry,
            )
        )
        self.shed = Counter(
            "turnright_shed_total", "API requests refused because too many were in flight.", registry=registry
        )
        self.changes = Labelled(
            Counter(
                "turnright_changes_total",
                "Changes made to histories.",
                ["step", "kind", "reason"],
                registry=registry,
            )
        )
        self.would_change = Labelled(
            Counter(
                "turnright_observed_changes_total",
                "Changes that mode observe reported and did not make.",
                ["step", "kind", "reason"],
                registry=registry,
            )
        )
        self.violations = Labelled(
            Counter(
                "turnright_violations_sent_total",
                "Rules that histories still broke when they were sent, under on_violation: send.",
                ["rule"],
                registry=registry,
            )
        )
        self.dropped_parameters = Labelled(
            Counter(
                "turnright_dropped_parameters_total",
                "Request parameters that did not go upstream.",
                ["model"],
                registry=registry,
            )
        )
        self.signatures = Labelled(
            Counter(
                "turnright_signatures_total",
                "Thought signatures in histories: restored, carried by the client, withheld as another's, or replaced.",
                ["model", "kind"],
                registry=registry,
            )
        )
        self.budget = Labelled(
            Counter(
                "turnright_budget_requests_total",
                "Requests by what the budget made of them: bounded (not counted, surely fits), counted, or cut.",
                ["model", "outcome"],
                registry=registry,
            )
        )
        self.cuts = Labelled(
            Counter(
                "turnright_budget_cuts_total",
                "Requests at which something further was cut, so that the provider's prompt cache breaks once.",
                ["model"],
                registry=registry,
            )
        )
        self.removed = Labelled(
            Counter(
                "turnright_budget_removed_tokens_total",
                "Tokens that were not sent, as estimated: of every request, as long as its history holds what was cut.",
                ["model", "reason"],
                registry=registry,
            )
        )
        self.estimate_error = Labelled(
            Histogram(
                "turnright_estimate_error_ratio",
                "How far the calibrated estimate of a prompt was from the provider's own count, as a share; sampled.",
                ["model"],
                buckets=_ERRORS,
                registry=registry,
            )
        )
        self.rounds = Labelled(
            Histogram(
                "turnright_rounds",
                "Rounds of tool calls since the user last spoke, of each chat request.",
                ["model"],
                buckets=_ROUNDS,
                registry=registry,
            )
        )
        self.turn_events = Labelled(
            Counter(
                "turnright_turn_events_total",
                "What the newest round of a turn brought about (warning, limit, loop, ...), and requests wrapped up.",
                ["model", "event"],
                registry=registry,
            )
        )
        self.tokens = Labelled(
            Counter(
                "turnright_tokens_total",
                "Tokens as the providers counted them.",
                ["model", "type"],
                registry=registry,
            )
        )
        self.in_flight = Gauge("turnright_in_flight", "API requests being worked on.", registry=registry)
        self.ready = Gauge(
            "turnright_ready", "1 while new requests are wanted, 0 before and after.", registry=registry
        )
        self.config_reloads = Labelled(
            Counter(
                "turnright_config_reloads_total",
                "Attempts to take up a changed configuration: ok, or failed and then nothing was changed.",
                ["result"],
                registry=registry,
            )
        )
        self.config_reload_success = Gauge(
            "turnright_config_reload_success",
            "1 while the newest configuration is the one in use, 0 after one that was refused.",
            registry=registry,
        )
        self.config_reload_timestamp = Gauge(
            "turnright_config_reload_timestamp_seconds",
            "Unix time at which the configuration in use was taken up, the start included.",
            registry=registry,
        )
        self.config_reload_success.set(1)  # the start is the first
        self.config_reload_timestamp.set_to_current_time()
        for result in ("ok", "failed"):
            self.config_reloads.labels(result)
        build = Gauge(
            "turnright_build_info", "Always 1; the version is a label.", ["version"], registry=registry
        )
        build.labels(__version__).set(1)
        for model in models:
            for route in _FORWARDED:
                self.requests.labels(route, model, "ok")
            self.attempts.labels(model, "ok")
            self.dropped_parameters.labels(model)
            self.estimate_error.labels(model)
            self.cuts.labels(model)
            self.rounds.labels(model)
            for event in EVENTS:
                self.turn_events.labels(model, event)
            for outcome in ("bounded", "counted", "cut"):
                self.budget.labels(model, outcome)
            for kind in ("restored", "carried", "withheld", "replaced"):
                self.signatures.labels(model, kind)

    def count_budget(self, model: str, removed: Mapping[str, int], *, exact: bool, new: bool) -> None:
        """Count what the budget made of a request: the tokens *removed* by reason, and whether it was counted.

        *new* says that something was cut for the first time.
        """
        if removed and new:
            self.cuts.labels(model).inc()
        self.budget.labels(model, "cut" if removed else "counted" if exact else "bounded").inc()
        for reason, tokens in removed.items():
            self.removed.labels(model, reason).inc(tokens)

    def count_changes(self, changes: Iterable[Change], *, made: bool) -> None:
        """Count *changes*, as made or as merely observed."""
        counter = self.changes if made else self.would_change
        counted = Tally((change.step, change.kind, change.reason) for change in changes)
        for values, count in counted.items():
            counter.labels(*values).inc(count)
