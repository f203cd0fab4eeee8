"""Metrics of chats' histories: changes, violations, budgets, signatures, turns, and the error of estimates."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping
from operator import attrgetter

from prometheus_client import CollectorRegistry

from proxy.observability.metrics.labelled import counter, histogram
from sanitizers import Change

_OF_CHANGE = attrgetter("step", "kind", "reason")
_ERROR_BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
_ROUND_BUCKETS = (0, 1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 200)

# Each definition is a metric's name, its help text, a histogram's buckets, and its labels.

_CHANGES = (
    "turnright_changes_total",
    "Changes made to requests and answers, by step, kind and reason.",
    "step",
    "kind",
    "reason",
)

_WOULD_CHANGE = (
    "turnright_observed_changes_total",
    "Changes that mode observe reported and did not make.",
    "step",
    "kind",
    "reason",
)

_VIOLATIONS = (
    "turnright_violations_sent_total",
    "Violations in histories that were sent all the same, by rule, under on_violation: send.",
    "rule",
)

_DROPPED_PARAMETERS = (
    "turnright_dropped_parameters_total",
    "Request parameters that were not sent, since the target does not know them.",
    "model",
)

_SIGNATURES = (
    "turnright_signatures_total",
    "Thought signatures in histories: restored, carried by the client, withheld from another model, or replaced "
    "by a stand-in.",
    "model",
    "kind",
)

_BUDGET = (
    "turnright_budget_requests_total",
    "Requests by the budget's outcome: bounded (not counted, since it surely fits), counted, or cut.",
    "model",
    "outcome",
)

_CUTS = (
    "turnright_budget_cuts_total",
    "Requests that were cut further than before. Each such cut breaks the provider's prompt cache once.",
    "model",
)

_REMOVED = (
    "turnright_budget_removed_tokens_total",
    "Estimated tokens that were not sent. Each request counts them again while its history holds the part that "
    "was cut.",
    "model",
    "reason",
)

_ESTIMATE_ERROR = (
    "turnright_estimate_error_ratio",
    "The relative difference between the calibrated estimate of a prompt and the provider's count, sampled.",
    _ERROR_BUCKETS,
    "model",
)

_COMPACTIONS = (
    "turnright_compactions_total",
    "Summaries of long conversations that were due, by outcome. written and failed are those that were tried. "
    "meta_written and meta_failed are summaries of summaries. The others were not tried: leased (another process "
    "writes it), busy (two run already), delayed (after a failure), over_share (of the key's tokens), "
    "over_budget (the key's money is used up), not_ready (the summarizing model's circuits are open).",
    "outcome",
)

_ROUNDS = (
    "turnright_rounds",
    "Rounds of tool calls since the last user message, of each chat request.",
    _ROUND_BUCKETS,
    "model",
)

_TURN_EVENTS = (
    "turnright_turn_events_total",
    "Events of the turn guard in the newest round (warning, limit, loop and others), and requests that were "
    "wrapped up.",
    "model",
    "event",
)


class HistoryMetrics:
    """The metrics of sent histories. A request counts once, with the plan that was sent last."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.changes = counter(registry, *_CHANGES)
        self.would_change = counter(registry, *_WOULD_CHANGE)
        self.violations = counter(registry, *_VIOLATIONS)
        self.dropped_parameters = counter(registry, *_DROPPED_PARAMETERS)
        self.signatures = counter(registry, *_SIGNATURES)
        self.budget = counter(registry, *_BUDGET)
        self.cuts = counter(registry, *_CUTS)
        self.compactions = counter(registry, *_COMPACTIONS)
        self.removed = counter(registry, *_REMOVED)
        self.estimate_error = histogram(registry, *_ESTIMATE_ERROR)
        self.rounds = histogram(registry, *_ROUNDS)
        self.turn_events = counter(registry, *_TURN_EVENTS)

    def count_cut(self, model: str, removed: Mapping[str, int], *, new: bool) -> None:
        """Count a request whose history was cut, and the tokens *removed*, by reason.

        *new* says that no earlier request of the conversation had this cut.
        """
        if new:
            self.cuts.labels(model).inc()
        self.budget.labels(model, "cut").inc()
        for reason, tokens in removed.items():
            self.removed.labels(model, reason).inc(tokens)

    def count_changes(self, changes: Iterable[Change], *, made: bool) -> None:
        """Count *changes*: those that were *made*, or those that mode observe only reported."""
        series = self.changes if made else self.would_change
        counted = Tally(map(_OF_CHANGE, changes))
        for values, count in counted.items():
            series.labels(*values).inc(count)
