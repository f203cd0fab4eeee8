"""The facts of one request. Handlers fill them in.

:mod:`proxy.observability.finish_request` writes them at the end of the request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

from proxy.core.deployment import Deployment
from proxy.core.upstream_call import CallTrace
from proxy.observability.metrics import UNKNOWN_MODEL
from proxy.planning.plan import Plan, format_changes, split_changes
from proxy.resilience.decide_action import Step
from sanitizers import Change
from sanitizers.turns import Guarded

CLIENT_DISCONNECTED = "client_disconnected"
CUT_OFF = "cut_off"
"""What a stream is broken by that outlives the grace period."""


class AttemptTrace(CallTrace, Protocol):
    """One attempt of a request, as a part of its trace."""

    def end(self, outcome: str, then: Step | None = None) -> None:
        """Note that the call has ended, and how; *then* is what is done about a failure.

        *outcome* is one of :mod:`proxy.observability.tracing` (answered, cancelled), the kind of a failure, or the code
        of an error.
        """


class RequestTrace(Protocol):
    """One request's part in its trace."""

    @property
    def trace_id(self) -> str:
        """The trace's id: 32 hexadecimal digits."""

    def begin_attempt(self, record: RequestRecord, deployment: Deployment) -> AttemptTrace:
        """Return the trace of the attempt that *record* has just counted."""

    def end(self, record: RequestRecord) -> None:
        """Note that the request has ended, and how."""


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
class RequestRecord:
    """The facts of one request. Times are seconds of the monotonic clock."""

    request_id: str
    route: str
    started: float
    deadline: float = inf
    """When the request's time is up; infinite as soon as its answer begins, which has limits of its own."""

    overdue: bool = False
    """Whether the request was ended since its time was up."""

    outcome: str = "ok"
    status: int = 0
    model: str = UNKNOWN_MODEL
    stream: bool = False
    planned: Planned | None = None
    """What was planned last; set by :meth:`use_plan`."""

    plan: Plan | None = None
    """The same for a chat; None on other paths."""

    answer_changes: list[Change] = field(default_factory=list)
    """The ledger of what was changed in the answer to what was planned last, oldest first."""

    attempts: int = 0
    upstream_wait: float = 0.0
    overhead: float | None = None
    first_token: float | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    messages: int | None = None
    """How many messages the client sent; None on other paths, and where they could not be read."""

    budget: str | None = None
    """What was told of the budget, with the headers of the answer."""

    rounds: str | None = None
    """The same of the turn's rounds."""

    key: str = ""
    """The name of the client's key; empty for the master key, and where none is asked for."""

    client: str = ""
    """Whose share of places, worker threads and bytes the request takes (:mod:`proxy.core.clients`)."""

    reserved: int = 0
    """Bytes of memory that are reserved for the request (:mod:`proxy.ingress.routes.reserve_memory`)."""

    origin: str = ""
    """The origin of the web page that asks, where it is one of ``general_settings.allowed_origins``; else empty."""

    max_rounds: int | None = None
    """The limit of rounds that the client asked for; None where it did not."""

    guarded: Guarded | None = None
    """What the turn guard found; None where it is off, and on other paths."""

    refused: bool = False
    """Whether the request was refused before its client was known: for its key, its host or its page."""

    chunks: int = 0
    """How many chunks of streams the provider was asked for."""

    writing_s: float | None = None
    """Seconds from a stream's first text or call to its end, as the provider sent it; None for one that broke."""

    interrupted: str = ""
    """What a stream broke of, a part of whose answer was with the client: a kind of failure, or of our own end."""

    body: bytes | None = None
    """The body of a chat request, where the inspector is to keep it."""

    unchanged: Planned | None = None
    """What is planned, once it was found to change nothing: most requests are, and it is not asked again.

    Changes of the answer may follow."""

    trace: RequestTrace | None = None
    """The request's part in its trace; None where nobody is told of it."""

    trace_id: str = ""
    """The trace that the request is part of, 32 hexadecimal digits; empty where there is none."""

    def use_plan(self, planned: Planned, answer_changes: Iterable[Change] = ()) -> None:
        """Go by *planned* from now on, and by the changes that were made in its answer so far."""
        self.planned = planned
        self.plan = planned if isinstance(planned, Plan) else None
        self.answer_changes[:] = answer_changes

    @property
    def all_changes(self) -> tuple[Change, ...]:
        """The changes in what was sent, and behind them those in its answer."""
        if self.planned is None:
            return ()
        return (*self.planned.changes, *self.answer_changes)

    def changes(self) -> str:
        """Return what was changed, step by step.

        In mode ``observe`` what would have been, beside what the turn guard did and what was put right in the answer.
        """
        if self.planned is None:
            return ""
        if self.planned.mode != "observe":
            return format_changes(self.all_changes)
        by_mode, in_any = split_changes(self.all_changes)
        observed = f"{format_changes(by_mode)};observed" if by_mode else ""
        return ",".join(text for text in (observed, format_changes(in_any)) if text)

    def answer_headers(self, now: float) -> dict[str, str]:
        """Return turnright's response headers, as far as they are known when the answer starts at *now*."""
        self.overhead = max(0.0, now - self.started - self.upstream_wait)
        headers = {"x-turnright-overhead-ms": f"{self.overhead * 1000:.3f}"}
        if self.guarded is not None:
            self.rounds = headers["x-turnright-rounds"] = self.guarded.turn.header()
        planned, plan = self.planned, self.plan
        if planned is not None:
            headers["x-turnright-model"] = planned.deployment.model
            headers["x-turnright-attempts"] = str(self.attempts)
            if plan is not None and plan.budget is not None:
                self.budget = headers["x-turnright-budget"] = plan.budget.header()
            changes = self.changes()
            if changes:
                headers["x-turnright-changes"] = changes
            else:
                self.unchanged = planned
        return headers
