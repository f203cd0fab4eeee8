"""What is done to chats: changes, budgets, signatures, turns."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping
from operator import attrgetter

from prometheus_client import CollectorRegistry

from proxy.observability.metrics.labelled import counter, histogram
from sanitizers import Change

_OF_CHANGE = attrgetter("step", "kind", "reason")
_ERRORS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
_ROUNDS = (0, 1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 200)


class HistoryMetrics:
    """The metrics of what is sent: each request counts once, with what was sent last."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.changes = counter(
            registry,
            "turnright_changes_total",
            "Changes made to requests and answers, by step, what was done, and why.",
            "step",
            "kind",
            "reason",
        )
        self.would_change = counter(
            registry,
            "turnright_observed_changes_total",
            "Changes that mode observe reported and did not make.",
            "step",
            "kind",
            "reason",
        )
        self.violations = counter(
            registry,
            "turnright_violations_sent_total",
            "Rules that histories still broke when they were sent, under on_violation: send.",
            "rule",
        )
        self.dropped_parameters = counter(
            registry,
            "turnright_dropped_parameters_total",
            "Request parameters that did not go upstream, since the target does not know them.",
            "model",
        )
        self.signatures = counter(
            registry,
            "turnright_signatures_total",
            "Thought signatures in histories: restored, carried by the client, withheld as another's, or replaced.",
            "model",
            "kind",
        )
        self.budget = counter(
            registry,
            "turnright_budget_requests_total",
            "Requests by what the budget made of them: bounded (not counted, surely fits), counted, or cut.",
            "model",
            "outcome",
        )
        self.cuts = counter(
            registry,
            "turnright_budget_cuts_total",
            "Requests at which something further was cut, so that the provider's prompt cache breaks once.",
            "model",
        )
        self.removed = counter(
            registry,
            "turnright_budget_removed_tokens_total",
            "Tokens that were not sent, as estimated: of every request, as long as its history holds what was cut.",
            "model",
            "reason",
        )
        self.estimate_error = histogram(
            registry,
            "turnright_estimate_error_ratio",
            "How far the calibrated estimate of a prompt was from the provider's own count, as a share; sampled.",
            _ERRORS,
            "model",
        )
        self.rounds = histogram(
            registry,
            "turnright_rounds",
            "Rounds of tool calls since the user last spoke, of each chat request.",
            _ROUNDS,
            "model",
        )
        self.turn_events = counter(
            registry,
            "turnright_turn_events_total",
            "What the newest round of a turn brought about (warning, limit, loop, ...), and requests wrapped up.",
            "model",
            "event",
        )

    def count_cut(self, model: str, removed: Mapping[str, int], *, new: bool) -> None:
        """Count a request that was cut: the tokens *removed*, by reason; *new* is what was not cut before."""
        if new:
            self.cuts.labels(model).inc()
        self.budget.labels(model, "cut").inc()
        for reason, tokens in removed.items():
            self.removed.labels(model, reason).inc(tokens)

    def count_changes(self, changes: Iterable[Change], *, made: bool) -> None:
        """Count *changes*, as made or as merely observed."""
        series = self.changes if made else self.would_change
        counted = Tally(map(_OF_CHANGE, changes))
        for values, count in counted.items():
            series.labels(*values).inc(count)
