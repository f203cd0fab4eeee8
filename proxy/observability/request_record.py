"""The facts of one request. Handlers fill them in.

:mod:`proxy.observability.finish_request` writes these facts to the log and the metrics at the end of the request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

from proxy.config.allowed_models import AllowedModels
from proxy.core.deployment import Deployment
from proxy.core.dollars import write_dollars
from proxy.core.upstream_call import CallTrace
from proxy.observability.limit_facts import Admission, RequestMeter
from proxy.observability.limit_headers import write_limits
from proxy.observability.metrics import UNKNOWN_MODEL
from proxy.planning.plan import Plan, format_changes, split_changes
from proxy.resilience.decide_action import Step
from proxy.state.limits.claims import Standing
from sanitizers import Change
from sanitizers.turns import Guarded

CLIENT_DISCONNECTED = "client_disconnected"
CUT_OFF = "cut_off"
"""The reason for a stream that was broken off at the end of a shutdown's grace period."""

_NOT_OF_A_NAME = re.compile(r"[^A-Za-z0-9._:/@+*-]")
_LONGEST_NAME = 100


class AttemptTrace(CallTrace, Protocol):
    """One attempt of a request, as a part of its trace."""

    def end(self, outcome: str, then: Step | None = None) -> None:
        """Record the *outcome* of the call. *then* is the step that follows a failure.

        *outcome* is ``ANSWERED`` or ``CANCELLED`` of :mod:`proxy.observability.tracing`, the kind of a failure, or
        the code of an error.
        """


class RequestTrace(Protocol):
    """One request, as a part of a trace."""

    @property
    def trace_id(self) -> str:
        """The id of the trace, 32 hexadecimal digits."""

    def begin_attempt(self, record: RequestRecord, deployment: Deployment) -> AttemptTrace:
        """Return the trace of the attempt that was just counted in *record*."""

    def end(self, record: RequestRecord) -> None:
        """Record the end of the request, with its outcome."""


class Planned(Protocol):
    """The facts of a planned request, of any path."""

    @property
    def deployment(self) -> Deployment:
        """The deployment that the request is sent to."""

    @property
    def mode(self) -> str:
        """The sanitizing mode."""

    @property
    def dropped(self) -> tuple[str, ...]:
        """The parameters that do not go upstream."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that were made, or that mode ``observe`` would have made."""


@dataclass(slots=True)
class RequestRecord:
    """The facts of one request. Times are seconds of the monotonic clock."""

    request_id: str
    route: str
    started: float
    deadline: float = inf
    """The moment at which the request times out.

    The deadline becomes infinite when the answer is complete, since the delivery has a separate time limit.
    """

    overdue: bool = False
    """True where the request was cancelled at its deadline."""

    outcome: str = "ok"
    status: int = 0
    model: str = UNKNOWN_MODEL
    """The label of the model that the client asked for: a configured name, or a wildcard."""

    asked: str = ""
    """The model that the client named. It is the client's text (:attr:`asked_model`)."""

    stream: bool = False
    planned: Planned | None = None
    """The last plan, set by :meth:`use_plan`."""

    plan: Plan | None = None
    """The last plan of a chat; None on other paths."""

    answer_changes: list[Change] = field(default_factory=list)
    """The changes of the last plan's answer, oldest first."""

    attempts: int = 0
    upstream_wait: float = 0.0
    overhead: float | None = None
    first_token: float | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    messages: int | None = None
    """The number of messages of a chat request. None for other requests, and where the messages could not be read."""

    budget: str | None = None
    """The value of the answer's header about the token budget."""

    rounds: str | None = None
    """The value of the answer's header about the rounds of the turn."""

    key: str = ""
    """The name of the client's key. Empty for the master key, and where no keys are configured."""

    allowed: AllowedModels | None = None
    """The models that the client's key may ask for. None where it may ask for every model."""

    client: str = ""
    """The client whose share of admission slots, worker threads and memory is used (:mod:`proxy.core.clients`)."""

    reserved: int = 0
    """Bytes of memory that are reserved for the request (:mod:`proxy.ingress.routes.reserve_memory`)."""

    origin: str = ""
    """The allowed origin of the web page that asks (``general_settings.allowed_origins``), or empty."""

    max_rounds: int | None = None
    """The limit of rounds that the client asked for, or None where it asked for none."""

    guarded: Guarded | None = None
    """The turn guard's result for a chat. None for other requests, and where the guard is off."""

    refused: bool = False
    """True where the request was refused for its key, host or page, before its client was known."""

    chunks: int = 0
    """The number of stream chunks that were asked of the provider."""

    writing_s: float | None = None
    """Seconds from a stream's first text or call to its end.

    None for a whole answer, and for a stream that broke off.
    """

    interrupted: str = ""
    """The reason why a stream broke off: a kind of failure, :data:`CUT_OFF`, or ``internal_error``.

    Empty for other answers.
    """

    body: bytes | None = None
    """The body of a chat request, where the inspector keeps bodies."""

    unchanged: Planned | None = None
    """The plan that was found to change nothing, if any. This saves the same check when the request ends.

    The answer may still be changed afterwards.
    """

    trace: RequestTrace | None = None
    """The request's part in its trace; None without tracing."""

    trace_id: str = ""
    """The id of the request's trace, 32 hexadecimal digits. Empty where there is no trace."""

    standing: Standing | None = None
    """The rest of the key's limits after the request was admitted or refused. None where the key has no limit."""

    meter: RequestMeter | None = None
    """The usage of each attempt. None where nobody counts."""

    admission: Admission | None = None
    """The place of the request within the limits of its key, until it is settled or released."""

    cost_nano: int | None = None
    """The cost of the request, in 10⁻⁹ dollars. None where it is not known, or the model has no price."""

    is_settled: bool = False
    """True once the meter's charges were charged to the key."""

    id_header: str = ""
    """The header of the answer that has the request's id too, for a client that looks for it there."""

    write_own_limits: Callable[[Standing], Mapping[str, str]] | None = None
    """Returns the headers about limits that only the client's format has, beside those of every format."""

    def use_plan(self, planned: Planned, answer_changes: Iterable[Change] = ()) -> None:
        """Take *planned* as the last plan, with the changes of its answer so far."""
        self.planned = planned
        self.plan = planned if type(planned) is Plan else None
        self.answer_changes[:] = answer_changes

    @property
    def asked_model(self) -> str | None:
        """The model that the client named, for the log and the inspector, or None where that name is the label.

        Only characters of models' names are kept, 100 at most, so that a client cannot write free text into the log.
        """
        if not self.asked or self.asked == self.model:
            return None
        return _NOT_OF_A_NAME.sub("?", self.asked[:_LONGEST_NAME])

    @property
    def all_changes(self) -> tuple[Change, ...]:
        """The changes of the sent request, followed by those of its answer."""
        if self.planned is None:
            return ()
        return (*self.planned.changes, *self.answer_changes)

    @property
    def is_repaired_in_advance(self) -> bool:
        """True where a learned repair was made before the request was sent."""
        return self.plan is not None and self.plan.is_repaired_in_advance

    def changes(self) -> str:
        """Return the changes by step, as the response header names them.

        In mode ``observe`` these are the changes that would have been made, followed by those made in any mode.
        """
        planned, changes = self.planned, self.all_changes
        if planned is None or not changes:
            return ""
        if planned.mode != "observe":
            return format_changes(changes, learned=self.is_repaired_in_advance)
        by_mode, in_any = split_changes(changes)
        observed = f"{format_changes(by_mode)};observed" if by_mode else ""
        return ",".join(text for text in (observed, format_changes(in_any)) if text)

    def answer_headers(self, now: float) -> dict[str, str]:
        """Return turnright's response headers, as far as they are known when the answer begins at *now*."""
        self.overhead = max(0.0, now - self.started - self.upstream_wait)
        headers = {"x-turnright-overhead-ms": f"{self.overhead * 1000:.3f}"}
        if self.id_header:
            headers[self.id_header] = self.request_id
        if self.standing is not None:
            headers |= write_limits(self.standing)
            if self.write_own_limits is not None:
                headers |= self.write_own_limits(self.standing)
        if self.cost_nano is not None and not self.stream:
            headers["x-turnright-cost"] = write_dollars(self.cost_nano)
        if self.guarded is not None:
            self.rounds = headers["x-turnright-rounds"] = self.guarded.turn.header()
        planned, plan = self.planned, self.plan
        if planned is not None:
            headers["x-turnright-model"] = planned.deployment.model
            headers["x-turnright-attempts"] = str(self.attempts)
            if plan is not None and plan.budget is not None:
                self.budget = headers["x-turnright-budget"] = plan.budget.header()
            if self.answer_changes or planned.changes:
                headers["x-turnright-changes"] = self.changes()
            else:
                self.unchanged = planned
        return headers
