"""Writes a request's log line and metrics, once, after the request has ended."""

from __future__ import annotations

from proxy.core.dollars import NANO_A_DOLLAR
from proxy.observability.logs import get_log
from proxy.observability.metrics import Metrics
from proxy.observability.recent_requests import RecentRequest, RecentRequests
from proxy.observability.request_record import CLIENT_DISCONNECTED, RequestRecord
from proxy.planning.plan import Plan, format_changes, split_changes
from sanitizers.turns import Turn


def finish_request(
    record: RequestRecord, metrics: Metrics, now: float, recent: RecentRequests | None = None
) -> None:
    """Add *record* to the metrics, the log, and the *recent* requests.

    *now* is the end of the request, by the event loop's clock. A request that was refused before its client was known
    goes to the metrics alone.
    """
    duration, model, usage = now - record.started, record.model, record.usage
    planned, plan = record.planned, record.plan
    unchanged = planned is record.unchanged and not record.answer_changes
    changes = () if unchanged else record.all_changes
    changed = format_changes(changes, learned=record.is_repaired_in_advance) if changes else ""
    rounds = record.rounds
    if rounds is None and record.guarded is not None:  # no answer began, so no header was made
        rounds = record.guarded.turn.header()
    trace = {"trace_id": record.trace_id} if record.trace_id else None
    metrics.requests.labels(record.route, model, record.outcome).inc(1, trace)
    metrics.duration.labels(record.route, model).observe(duration, trace)
    if record.overhead is not None:
        metrics.overhead.labels(record.route).observe(record.overhead, trace)
    if record.first_token is not None:
        metrics.first_token.labels(model).observe(record.first_token, trace)
    if record.outcome == CLIENT_DISCONNECTED:
        metrics.disconnects.labels(record.route).inc()
    if record.interrupted:
        metrics.interrupted.labels(model, record.interrupted).inc()
    if planned is not None and changes:
        by_mode, in_any = split_changes(changes)
        metrics.count_changes(by_mode, made=planned.mode != "observe")
        metrics.count_changes(in_any, made=True)
    if planned is not None and planned.dropped:
        metrics.dropped_parameters.labels(model).inc(len(planned.dropped))
    if plan is not None:
        _count_plan(plan, model, metrics)
    if record.guarded is not None:
        _finish_turn(record, record.guarded.turn, rounds, metrics)
    sent, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
    of_prompt, of_answer = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    cached = of_prompt.get("cached_tokens") if of_prompt else None
    reasoning = of_answer.get("reasoning_tokens") if of_answer else None
    for kind, count in (("input", sent), ("output", written), ("cached", cached), ("reasoning", reasoning)):
        if count and count.__class__ is int and count > 0:  # providers send counts of any type and sign
            metrics.tokens.labels(model, kind).inc(count)
    if record.writing_s is not None:
        per_token = time_per_token(record.writing_s, written, reasoning)
        if per_token is not None:
            metrics.per_token.labels(model).observe(per_token)
    if record.refused:  # :mod:`proxy.observability.refusal_log` logs only their number
        return
    if recent is not None:
        _remember(record, recent, now, changed, rounds)
    _log_request(record, duration, changed, rounds, (sent, written))


def _log_request(
    record: RequestRecord, duration: float, changed: str, rounds: str | None, tokens: tuple[object, object]
) -> None:
    """Write the log line of a request that took *duration* seconds.

    *changed* names all changes of the request. *rounds* is the response header about the turn's rounds of tool calls.
    *tokens* are the provider's counts of the prompt and of the answer.
    """
    planned = record.planned
    get_log().info(
        "request_finished",
        request_id=record.request_id,
        trace_id=record.trace_id or None,
        route=record.route,
        model=record.model,
        asked_model=record.asked_model,
        deployment=planned.deployment.model if planned is not None else None,
        mode=planned.mode if planned is not None else None,
        stream=record.stream,
        status=record.status,
        outcome=record.outcome,
        messages=record.messages,
        changes=changed,
        dropped_parameters=len(planned.dropped) if planned is not None else 0,
        rounds=rounds,
        key=record.key or None,
        attempts=record.attempts,
        duration_ms=round(duration * 1000, 1),
        upstream_ms=round(record.upstream_wait * 1000, 1),
        overhead_ms=None if record.overhead is None else round(record.overhead * 1000, 2),
        first_token_ms=None if record.first_token is None else round(record.first_token * 1000, 1),
        budget=record.budget,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cost_usd=None if record.cost_nano is None else record.cost_nano / NANO_A_DOLLAR,
    )


def _count_plan(plan: Plan, model: str, metrics: Metrics) -> None:
    """Count the facts of a chat's plan: its budget, its signatures, and the rules that its history still breaks."""
    budget = plan.budget
    if budget is not None:
        if plan.mode == "repair" and (removed := budget.removed):
            metrics.count_cut(model, removed, new=budget.is_new_cut)
        else:
            metrics.budget.labels(model, "counted" if budget.exact else "bounded").inc()
    for kind, signatures in plan.signatures.items():
        if signatures:
            metrics.signatures.labels(model, kind).inc(signatures)
    if plan.outcome is not None and plan.outcome.violations and plan.mode == "repair":
        for violation in plan.outcome.violations:
            metrics.violations.labels(violation.rule).inc()


def _remember(
    record: RequestRecord, recent: RecentRequests, now: float, changed: str, rounds: str | None
) -> None:
    """Add a request that ended at *now* to the *recent* requests. *changed* names all its changes."""
    planned, plan = record.planned, record.plan
    report = plan.budget if plan is not None else None
    shown = made = changed
    if changed and planned is not None and planned.mode == "observe":
        shown, made = record.changes(), format_changes(split_changes(record.all_changes)[1])
    seen = RecentRequest(
        request_id=record.request_id,
        ended=now,
        route=record.route,
        model=record.model,
        deployment=planned.deployment.model if planned is not None else None,
        position=planned.deployment.position if planned is not None else None,
        status=record.status,
        outcome=record.outcome,
        stream=record.stream,
        messages=record.messages,
        changes=shown,
        rounds=rounds,
        max_rounds=record.max_rounds,
        duration=now - record.started,
        overhead=record.overhead,
        attempts=record.attempts,
        input_tokens=record.usage.get("prompt_tokens"),
        output_tokens=record.usage.get("completion_tokens"),
        estimate=report.sent if report is not None else None,
        exact=report is not None and report.exact,
        key=record.key,
        kept=recent.keep(record.body) if record.body is not None else None,
        asked_model=record.asked_model,
        first_token=record.first_token,
    )
    recent.note(seen, made)


def time_per_token(writing_s: float, output: object, reasoning: object) -> float | None:
    """Return the mean seconds per output token after the first. Writing all tokens took *writing_s*.

    *output* and *reasoning* are the provider's counts. The count *output* includes reasoning tokens, which came before
    the first text. Returns None where a count is missing or there is no second token.
    """
    if not isinstance(output, int):
        return None
    written = output - reasoning if isinstance(reasoning, int) else output
    return writing_s / (written - 1) if written > 1 else None


def _finish_turn(record: RequestRecord, turn: Turn, rounds: str | None, metrics: Metrics) -> None:
    """Count the rounds of *turn*, and log the events of the newest round. *rounds* is the response header."""
    metrics.rounds.labels(record.model).observe(turn.rounds)
    for event in turn.events:
        metrics.turn_events.labels(record.model, event).inc()
        get_log().warning(
            "turn_guard",
            request_id=record.request_id,
            model=record.model,
            key=record.key or None,
            what=event,
            rounds=rounds,
        )
