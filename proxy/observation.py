"""What one request leaves behind: a log line and some metrics, written once, at its end.

Handlers fill a :class:`Record` while they work; nothing else in the request path knows the log or the metrics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from proxy.config import Deployment
from proxy.logs import get_log
from proxy.metrics import UNKNOWN_MODEL, Metrics
from proxy.plan import Plan, format_changes, split_changes
from proxy.tracing import RequestTrace
from proxy.ui.watch import Watch
from sanitizers import Change
from sanitizers.turns import Guarded

CLIENT_DISCONNECTED = "client_disconnected"
CUT_OFF = "cut_off"
"""What a stream is broken by that outlives the grace period."""


class Planned(Protocol):
    """What there is to say of a request that is ready to be sent, whatever its path."""

    @property
    def deployment(self) -> Deployment:
        """Where it is sent."""

    @property
    def mode(self) -> str:
        """The mode of sanitizing."""

    @property
    def dropped(self) -> tuple[str, ...]:
        """The parameters that do not go upstream."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed, or in mode ``observe`` would have been."""


@dataclass(slots=True)
class Record:
    """The facts of one request. Times are seconds of the monotonic clock."""

    request_id: str
    route: str
    started: float
    outcome: str = "ok"
    status: int = 0
    model: str = UNKNOWN_MODEL
    stream: bool = False
    planned: Planned | None = None
    attempts: int = 0
    upstream_wait: float = 0.0
    overhead: float | None = None
    first_token: float | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    messages: int | None = None
    """How many messages the client sent; None on other paths, and where they could not be read."""

    budget: str | None = None
    """What was told of the budget, with the headers of the answer."""

    key: str = ""
    """The name of the client's key; empty for the master key, and where none is asked for."""

    max_rounds: int | None = None
    """The limit of rounds that the client asked for; None where it did not."""

    guarded: Guarded | None = None
    """What the turn guard found; None where it is off, and on other paths."""

    writing_s: float | None = None
    """Seconds from a stream's first text or call to its end, as the provider sent it; None for one that broke."""

    interrupted: str = ""
    """What a stream broke of, a part of whose answer was with the client: a kind of failure, or of our own end."""

    body: bytes | None = None
    """The body of a chat request, where the inspector is to keep it."""

    trace: RequestTrace | None = None
    """The request's part in its trace; None where nobody is told of it."""

    trace_id: str = ""
    """The trace that the request is part of, 32 hexadecimal digits; empty where there is none."""

    @property
    def plan(self) -> Plan | None:
        """What is planned for a chat; None on other paths."""
        return self.planned if isinstance(self.planned, Plan) else None

    def changes(self) -> str:
        """Return what was changed, step by step.

        In mode ``observe`` what would have been, beside what the turn guard did and what was put right in the answer.
        """
        if self.planned is None:
            return ""
        if self.planned.mode != "observe":
            return format_changes(self.planned.changes)
        by_mode, in_any = split_changes(self.planned.changes)
        observed = f"{format_changes(by_mode)};observed" if by_mode else ""
        return ",".join(text for text in (observed, format_changes(in_any)) if text)

    def answer_headers(self, now: float) -> dict[str, str]:
        """Return turnright's response headers, as far as they are known when the answer starts at *now*."""
        self.overhead = max(0.0, now - self.started - self.upstream_wait)
        headers = {"x-turnright-overhead-ms": f"{self.overhead * 1000:.3f}"}
        if self.guarded is not None:
            headers["x-turnright-rounds"] = self.guarded.turn.header()
        if self.planned is not None:
            headers["x-turnright-model"] = self.planned.deployment.model
            headers["x-turnright-attempts"] = str(self.attempts)
            if self.plan is not None and self.plan.budget is not None:
                self.budget = headers["x-turnright-budget"] = self.plan.budget.header()
            changes = self.changes()
            if changes:
                headers["x-turnright-changes"] = changes
        return headers


def finish_record(record: Record, metrics: Metrics, now: float, watch: Watch | None = None) -> None:
    """Write *record* to the metrics, the log, and what *watch* remembers; *now* is the end of the request."""
    duration = now - record.started
    planned, plan = record.planned, record.plan
    changes = planned.changes if planned is not None else ()
    trace = {"trace_id": record.trace_id} if record.trace_id else None
    metrics.requests.labels(record.route, record.model, record.outcome).inc(1, trace)
    metrics.duration.labels(record.route, record.model).observe(duration, trace)
    if record.overhead is not None:
        metrics.overhead.labels(record.route).observe(record.overhead, trace)
    if record.first_token is not None:
        metrics.first_token.labels(record.model).observe(record.first_token, trace)
    if record.outcome == CLIENT_DISCONNECTED:
        metrics.disconnects.labels(record.route).inc()
    if record.interrupted:
        metrics.interrupted.labels(record.model, record.interrupted).inc()
    if planned is not None and changes:
        by_mode, in_any = split_changes(changes)
        metrics.count_changes(by_mode, made=planned.mode != "observe")
        metrics.count_changes(in_any, made=True)
    if planned is not None and planned.dropped:
        metrics.dropped_parameters.labels(record.model).inc(len(planned.dropped))
    if plan is not None:
        if plan.budget is not None:
            removed = plan.budget.removed if plan.mode == "repair" else {}
            metrics.count_budget(record.model, removed, exact=plan.budget.exact, new=plan.budget.is_new_cut)
        for kind, signatures in plan.signatures.items():
            if signatures:
                metrics.signatures.labels(record.model, kind).inc(signatures)
        if plan.outcome is not None and plan.mode == "repair":
            for violation in plan.outcome.violations:
                metrics.violations.labels(violation.rule).inc()
    _finish_turn(record, metrics)
    tokens = {
        "input": record.usage.get("prompt_tokens"),
        "output": record.usage.get("completion_tokens"),
        "cached": (record.usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
        "reasoning": (record.usage.get("completion_tokens_details") or {}).get("reasoning_tokens"),
    }
    for kind, count in tokens.items():
        if isinstance(count, int) and count > 0:  # a provider's number is not to be relied on
            metrics.tokens.labels(record.model, kind).inc(count)
    if record.writing_s is not None:
        per_token = time_per_token(record.writing_s, tokens["output"], tokens["reasoning"])
        if per_token is not None:
            metrics.per_token.labels(record.model).observe(per_token)
    changed = format_changes(changes)
    rounds = record.guarded.turn.header() if record.guarded else None
    if watch is not None:
        shown = made = changed
        if planned is not None and planned.mode == "observe":
            shown, made = record.changes(), format_changes(split_changes(changes)[1])
        report = plan.budget if plan is not None else None
        watch.note(
            (
                record.request_id,
                now,
                record.route,
                record.model,
                planned.deployment.model if planned is not None else None,
                record.status,
                record.outcome,
                record.stream,
                record.messages,
                shown,
                rounds,
                duration,
                record.overhead,
                record.attempts,
                tokens["input"],
                tokens["output"],
                report.sent if report is not None else None,
                report is not None and report.exact,
                record.key,
                planned.deployment.position if planned is not None else None,
                record.max_rounds,
                watch.keep(record.body) if record.body is not None else None,
            ),
            now,
            record.outcome,
            record.overhead,
            record.attempts,
            tokens["input"],
            tokens["output"],
            made,
        )
    get_log().info(
        "request_finished",
        request_id=record.request_id,
        trace_id=record.trace_id or None,
        route=record.route,
        model=record.model,
        deployment=planned.deployment.model if planned else None,
        mode=planned.mode if planned else None,
        stream=record.stream,
        status=record.status,
        outcome=record.outcome,
        messages=record.messages,
        changes=changed,
        dropped_parameters=len(planned.dropped) if planned else 0,
        rounds=rounds,
        key=record.key or None,
        attempts=record.attempts,
        duration_ms=round(duration * 1000, 1),
        upstream_ms=round(record.upstream_wait * 1000, 1),
        overhead_ms=None if record.overhead is None else round(record.overhead * 1000, 2),
        first_token_ms=None if record.first_token is None else round(record.first_token * 1000, 1),
        budget=record.budget,
        input_tokens=tokens["input"],
        output_tokens=tokens["output"],
    )


def time_per_token(writing_s: float, output: object, reasoning: object) -> float | None:
    """Return the seconds that each token after the first took, of those that were written in *writing_s*.

    *output* and *reasoning* are the provider's counts; the thoughts are part of the output and came before it. None
    where the counts are none, or hold no second token.
    """
    if not isinstance(output, int):
        return None
    written = output - reasoning if isinstance(reasoning, int) else output
    return writing_s / (written - 1) if written > 1 else None


def _finish_turn(record: Record, metrics: Metrics) -> None:
    """Count the rounds of a turn, and tell what its newest one brought about."""
    if record.guarded is None:
        return
    turn = record.guarded.turn
    metrics.rounds.labels(record.model).observe(turn.rounds)
    for event in turn.events:
        metrics.turn_events.labels(record.model, event).inc()
        get_log().warning(
            "turn_guard",
            request_id=record.request_id,
            model=record.model,
            key=record.key or None,
            what=event,
            rounds=turn.header(),
        )
