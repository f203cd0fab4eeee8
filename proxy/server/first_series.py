"""Creates the metric series of a configuration at 0. An alert on a rate does not see a series that begins at 1.

Only series that alerts ask about are created, for each configured model: some hundred series a model. Attempts, retries
and fallbacks get series for the failures that the failure table blames on a deployment. All other series begin with
their first event.
"""

from __future__ import annotations

from proxy.config import Settings, resolve
from proxy.config.pools import chain_of, model_names
from proxy.core.errors import (
    AuthenticationFailed,
    InternalFault,
    ModelNotFound,
    Overloaded,
    UpstreamFault,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.ingress.formats import FORMATS, is_chat
from proxy.ingress.routes.paths import api_routes
from proxy.observability.metrics import UNKNOWN_MODEL, Metrics
from proxy.observability.metrics.limits import REFUSAL_KINDS
from proxy.observability.request_record import CLIENT_DISCONNECTED, CUT_OFF
from proxy.planning.compact.job_limits import SummaryOutcome
from proxy.resilience.circuit import State
from proxy.resilience.failure_table import TABLE, Blame, Fallback, Kind
from sanitizers.invariants import RULES
from sanitizers.turns import EVENTS

_FAILED = tuple(error.code for error in (UpstreamFault, UpstreamTimeout, UpstreamUnreachable, InternalFault))
_OUTCOMES = (*_FAILED, "rate_limit_exceeded", "insufficient_quota", CLIENT_DISCONNECTED)
_REJECTED = (Overloaded.code, AuthenticationFailed.code, ModelNotFound.code)

_BLAMED = [row for row in TABLE if row.blame is not Blame.NONE]
_ATTEMPTED = tuple(dict.fromkeys(row.kind for row in _BLAMED))
_RETRIED = tuple(dict.fromkeys(row.kind for row in _BLAMED if row.retries))
_FELL_BACK = tuple(dict.fromkeys(row.kind for row in _BLAMED if row.fallback is not Fallback.NEVER))
_INTERRUPTED = (Kind.CONNECTION_LOST, Kind.IDLE_TIMEOUT, Kind.TRUNCATED, InternalFault.code, CUT_OFF)


def start_series(metrics: Metrics, settings: Settings) -> None:
    """Create the series of every model of *settings*."""
    start_counts(metrics, settings)
    start_circuits(metrics, settings)


def start_counts(metrics: Metrics, settings: Settings) -> None:
    """Create the counters of every model of *settings*. Existing counts stay. May run in a worker thread."""
    for route in api_routes():
        metrics.disconnects.labels(route)
        metrics.requests.labels(route, UNKNOWN_MODEL, InternalFault.code)
    if settings.sanitize.on_violation == "send":
        for rule in RULES:
            metrics.violations.labels(rule)
    for route in FORMATS:
        for outcome in _REJECTED:
            metrics.requests.labels(route, UNKNOWN_MODEL, outcome)
    if settings.compaction.is_on_for_any:
        for summary in SummaryOutcome:
            metrics.compactions.labels(summary.value)
    general = settings.general_settings
    for key in general.keys:
        team = general.team_of(key.name)
        if key.is_limited or (team is not None and team.is_limited):
            for limit in REFUSAL_KINDS:
                metrics.rate_limited.labels(key.name, limit)
    for name in model_names(settings):
        _start_model(metrics, name)
        if chain_of(settings.router_settings.failure_chains, name, resolve(settings, name)):
            for kind in _FELL_BACK:
                metrics.fallbacks.labels(name, kind)


def start_circuits(metrics: Metrics, settings: Settings) -> None:
    """Replace the circuits' series, since the deployments of *settings* may have other positions than before.

    The gauge of a deployment that was removed would otherwise report it as down forever.
    """
    metrics.circuits.clear()
    for position, entry in enumerate(settings.model_list):
        metrics.circuits.labels(entry.model_name, str(position)).set(State.CLOSED)


def _start_model(metrics: Metrics, name: str) -> None:
    for route in FORMATS:
        metrics.requests.labels(route, name, "ok")
        metrics.requests.labels(route, name, InternalFault.code)
    for route in filter(is_chat, FORMATS):
        for outcome in _OUTCOMES:
            metrics.requests.labels(route, name, outcome)
    for outcome in ("ok", *_ATTEMPTED):
        metrics.attempts.labels(name, outcome)
    for kind in _RETRIED:
        metrics.retries.labels(name, kind)
    for reason in _INTERRUPTED:
        metrics.interrupted.labels(name, reason)
    for direction in ("input", "output"):
        metrics.tokens.labels(name, direction)
    metrics.dropped_parameters.labels(name)
    metrics.estimate_error.labels(name)
    metrics.cuts.labels(name)
    metrics.rounds.labels(name)
    for event in EVENTS:
        metrics.turn_events.labels(name, event)
    for outcome in ("bounded", "counted", "cut"):
        metrics.budget.labels(name, outcome)
    for signature in ("restored", "carried", "withheld", "replaced"):
        metrics.signatures.labels(name, signature)
