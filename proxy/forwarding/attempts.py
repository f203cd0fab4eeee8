"""The attempts of one request: they are made one after another, until one succeeds or none is left.

    choose a deployment ▶ plan for it, from the original messages ▶ call ▶ answered
         ▲                                                           │ failed
         └── retry, repair or another model ◀── decide ◀── the table ◀┘

A handler iterates the attempts and makes the call itself::

    while True:
        async with await attempts.plan_next() as attempt:
            return await ask(attempt.call)

The context of a failed attempt waits for the retry delay and then ends without an error, so that the loop goes on.
After the last attempt the context raises the final failure (:mod:`proxy.forwarding.final_failure`).

The decisions are made in :mod:`proxy.resilience` and :mod:`proxy.forwarding.fallback_chain`. This module waits
between attempts. Nothing is tried again once the client has a part of an answer: it would get a text, or a call,
twice.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Self, TypeVar

from proxy.config.schema.router import RouterSettings
from proxy.core.deadlines import TimeLimit
from proxy.core.deployment import Deployment
from proxy.core.errors import (
    InternalFault,
    InvalidRequest,
    ProxyError,
    UpstreamFault,
    UpstreamTimeout,
)
from proxy.core.failures import Cause
from proxy.core.upstream_call import Timeouts
from proxy.forwarding.attempt_planner import AttemptPlanner, Failure, PlanT
from proxy.forwarding.final_failure import choose_final_failure
from proxy.forwarding.gateway import Gateway
from proxy.forwarding.read_failure import read_sent, read_unsent
from proxy.observability.request_record import AttemptTrace, RequestRecord
from proxy.observability.tracing import ANSWERED, CANCELLED
from proxy.resilience.client_error import tell_client
from proxy.resilience.decide_action import Action, Situation, Step, decide_action
from proxy.resilience.failure_table import INVALID, OVERFLOW
from proxy.resilience.find_blame import find_blame
from proxy.resilience.request_words import RequestWords
from proxy.state.refused_requests import Refusal

CallT = TypeVar("CallT")

_UNFINISHED = "The provider's answer was not complete in time."
_SILENT = "The provider did not answer in time."


@dataclass(frozen=True, slots=True)
class _Decision(Generic[PlanT]):
    """The next step after a failure."""

    step: Step
    wait_s: float = 0.0
    repaired: PlanT | None = None
    """The plan that is sent to the same deployment, where the step is a repair."""


class Attempts(Generic[PlanT, CallT]):
    """The attempts of one request; *body* is the client's request body."""

    def __init__(
        self, planner: AttemptPlanner[PlanT, CallT], body: bytes, record: RequestRecord, gateway: Gateway
    ) -> None:
        self.planner = planner
        self.record = record
        self.gateway = gateway
        self.clock = asyncio.get_running_loop().time
        self.body = body
        self.deadline = record.started + gateway.settings.router_settings.timeout
        """The end of the request's time, by the event loop's clock."""

        self.chain = planner.chain
        self._asked_pool = self.chain.pool
        self._failures: list[Failure[PlanT]] = []
        self._repaired_for: Deployment | None = None
        self._hashed: bytes | None = None

    async def plan_next(self) -> Attempt[PlanT, CallT]:
        """Return the next attempt, planned.

        Raises the request's final failure where no deployment is left that can be sent the request.
        """
        while True:
            now = self.clock()
            deployment = self._choose(now)
            plan: PlanT | None = None
            try:
                plan = await self.planner.plan(deployment, now, self.deadline)
                self.record.use_plan(plan)
                now = self.clock()
                self._raise_known_refusal(plan, now)
                return Attempt(self, plan, now)
            except (UpstreamFault, InvalidRequest) as error:
                row, said = read_unsent(error)
                failure = Failure(
                    error, row, said, deployment, plan, of_asked_model=self.at_asked_model, counted=False
                )
            await self.follow(await self.decide(failure))

    @property
    def at_asked_model(self) -> bool:
        """True while the client's own model is asked, False for a fallback."""
        return self.chain.pool is self._asked_pool

    async def decide(self, failure: Failure[PlanT]) -> _Decision[PlanT]:
        """Count *failure* and return the step that follows it."""
        gateway, chain, row, deployment = self.gateway, self.chain, failure.row, failure.deployment
        self._failures.append(failure)
        chain.count(deployment, row)
        if not failure.may_repeat:
            self.record.interrupted = row.kind
            return _Decision(Step.GIVE_UP)
        if failure.plan is None and gateway.settings.sanitize.mode == "strict":
            return _Decision(Step.GIVE_UP)
        repaired = None
        if row.repair and failure.counted and failure.plan is not None:
            repaired = await self.planner.repair(failure)
        now = self.clock()
        action = self._choose_action(failure, now, can_repair=repaired is not None)
        if row is INVALID and action.step is not Step.REPAIR and failure.counted and not self.planner.noted:
            # With a note added, the refused body is no longer the client's.
            refusal = Refusal(failure.error.http_status, failure.error.message)
            gateway.refused_requests.refused(deployment.key, self.digest, refusal, now, self.record.key)
        return _Decision(action.step, action.wait_s, repaired)

    async def follow(self, decision: _Decision[PlanT]) -> None:
        """Prepare the next attempt and wait until it is due.

        Raises the request's final failure where there is no next attempt.
        """
        gateway, chain, failure = self.gateway, self.chain, self._failures[-1]
        model, kind = self.record.model, failure.row.kind
        if decision.step is Step.GIVE_UP:
            raise self._final_error() from None
        if decision.step is Step.REPAIR and decision.repaired is not None:
            self._repaired_for = failure.deployment
            self.planner.use_repair(failure, decision.repaired)
        elif decision.step is Step.FALL_BACK:
            chain.fall_back(failure.row)
            gateway.metrics.fallbacks.labels(model, kind).inc()
            self.planner.begin_fallback()
        else:
            self.planner.note_retry(failure)
        if decision.step is not Step.FALL_BACK:
            gateway.metrics.retries.labels(model, kind).inc()
            pool = chain.pool if self._repaired_for is None else (self._repaired_for,)
            gateway.balancer.count_retry(pool, self.clock(), chain.tried, self.record.key)
        if decision.wait_s > 0:
            self.record.upstream_wait += decision.wait_s
            await asyncio.sleep(decision.wait_s)

    def digest(self) -> bytes:
        """Return the hash of the request's path and body. It identifies equal requests."""
        if self._hashed is None:
            # The same bytes mean another request on another path.
            digest = hashlib.blake2b(self.record.route.encode() + b"\0", digest_size=32)
            digest.update(self.body)
            self._hashed = digest.digest()
        return self._hashed

    def _choose(self, now: float) -> Deployment:
        chain, repaired = self.chain, self._repaired_for
        if repaired is not None:  # the repair follows this deployment's error; others may not need it
            self._repaired_for = None
            return repaired
        return self.gateway.balancer.choose(chain.pool, now, chain.tried, self.record.key)

    def _choose_action(self, failure: Failure[PlanT], now: float, *, can_repair: bool) -> Action:
        gateway, chain, row, tenant = self.gateway, self.chain, failure.row, self.record.key
        situation = Situation(
            tries=chain.tries,
            tries_of_kind=chain.kinds.get(row.kind, 0),
            num_retries=gateway.settings.router_settings.num_retries,
            left_s=self.deadline - now,
            another_ready=gateway.balancer.another_ready(chain.pool, now, chain.tried, tenant),
            budget_left=gateway.balancer.budget_left(chain.pool, now, chain.tried, tenant),
            can_repair=can_repair,
            can_fall_back=chain.can_fall_back(row),
            larger_ready=row is OVERFLOW and chain.has_larger(failure.deployment),
        )
        return decide_action(row, failure.said.retry_after_s, situation, gateway.random())

    def _raise_known_refusal(self, plan: PlanT, now: float) -> None:
        refusal = self.gateway.refused_requests.find_refusal(
            plan.deployment.key, self.digest, now, self.record.key
        )
        if refusal is not None and self.chain.repair_cause is None and not self.planner.noted:
            raise UpstreamFault(refusal.message, upstream_status=refusal.status)

    def _final_error(self) -> ProxyError:
        """Return the error that the client gets, with its status, its headers and secrets masked."""
        told = choose_final_failure(self._failures)
        if told.plan is not None:
            self.record.use_plan(told.plan, told.answer_changes if told.is_answer else ())
        if isinstance(told.error, UpstreamFault):
            tell_client(told.error, told.row, told.said.retry_after_s)
            told.error.message = self.gateway.secrets.mask(told.error.message)
            told.error.args = (told.error.message,)
        return told.error


class Attempt(Generic[PlanT, CallT]):
    """One attempt: the context in which the call is made, with its time limit.

    At its end the attempt is counted, and the outcome is reported to the balancer. An :class:`UpstreamFault` or
    :class:`InvalidRequest` is swallowed here where another attempt follows. Every other error is passed on.
    """

    __slots__ = (
        "_asked_at",
        "_attempts",
        "_began",
        "_bytes_arrived",
        "_limit",
        "_may_repeat",
        "_place",
        "_trace",
        "call",
        "plan",
    )

    call: CallT
    """The call to make upstream."""

    def __init__(self, attempts: Attempts[PlanT, CallT], plan: PlanT, now: float) -> None:
        self.plan = plan
        self._attempts = attempts
        self._bytes_arrived = False
        self._may_repeat = True
        self._asked_at: float | None = now
        self._began = now
        self._trace: AttemptTrace | None = None

    def note_activity(self) -> None:
        """Record that the first bytes arrived (reasoning counts). A later timeout is then not a first-byte timeout."""
        self._bytes_arrived = True

    def note_answer_started(self) -> None:
        """Record that the answer has begun. Other requests may then be sent to the same deployment again."""
        self._bytes_arrived = True
        self._observe_wait(self._attempts.clock())
        self._place.note_answer_started()

    def forbid_repeat(self) -> None:
        """Let no attempt follow this one: the client already has a part of its answer."""
        self._may_repeat = False

    async def __aenter__(self) -> Self:
        attempts, plan = self._attempts, self.plan
        gateway, record, deployment = attempts.gateway, attempts.record, plan.deployment
        now = self._began
        record.attempts += 1
        if record.trace is not None:
            self._trace = record.trace.begin_attempt(record, deployment)
        timeouts = timeouts_of(deployment, gateway.settings.router_settings, left_s=attempts.deadline - now)
        self.call = attempts.planner.call_of(plan, timeouts, self._trace)
        self._place = gateway.balancer.acquire(
            deployment, now, retry=attempts.chain.tries > 0, tenant=record.key
        )
        self._limit = TimeLimit(now + timeouts.total_s)
        self._limit.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        try:
            self._limit.__exit__(kind, error, trace)
        except TimeoutError as reached:
            error = reached
        now = self._attempts.clock()
        if error is None:
            self._place.succeeded(now)
        self._place.release()
        self._observe_wait(now)
        if error is None:
            await self._note_answered(now)
            return False
        if isinstance(error, TimeoutError):
            error = UpstreamTimeout(_UNFINISHED if self._bytes_arrived else _SILENT, cause=Cause.DEADLINE)
        if isinstance(error, UpstreamFault | InvalidRequest):
            await self._fail(error)
            return True
        if isinstance(error, ProxyError):
            self._end(error.code)
        elif isinstance(
            error, asyncio.CancelledError | ConnectionResetError
        ):  # the client has closed its connection
            self._end(CANCELLED)
        else:
            self._end(InternalFault.code)
        return False

    async def _note_answered(self, now: float) -> None:
        attempts, deployment = self._attempts, self.plan.deployment
        attempts.gateway.refused_requests.answered(deployment.key, attempts.digest, now, attempts.record.key)
        self._end(ANSWERED)
        if attempts.chain.repair_cause is not None:
            await attempts.planner.note_repair_answered()

    async def _fail(self, error: UpstreamFault | InvalidRequest) -> None:
        """Read and count the failure. Wait until the next attempt is due, or raise the request's final error."""
        attempts = self._attempts
        try:
            failure = await self._read(error)
        except BaseException:  # the client left, or the request's deadline passed
            self._end(CANCELLED)
            raise
        row = failure.row
        attempts.gateway.metrics.attempts.labels(self.plan.deployment.label, row.kind).inc()
        blame, reach, delay_s = find_blame(row, failure.said, attempts.planner.not_blamed)
        self._place.failed(blame, delay_s, attempts.clock(), reach)
        step = Step.GIVE_UP  # holds if the task is cancelled while deciding
        try:
            decision = await attempts.decide(failure)
            step = decision.step
        finally:
            if self._trace is not None:
                self._trace.end(row.kind, step)
        await attempts.follow(decision)

    async def _read(self, error: UpstreamFault | InvalidRequest) -> Failure[PlanT]:
        attempts, plan = self._attempts, self.plan
        cause: Cause | None = None
        if isinstance(error, UpstreamFault):
            cause = error.cause
            if cause is Cause.DEADLINE and attempts.clock() < attempts.deadline:
                # The deployment's own timeout passed, not the request's deadline.
                cause = Cause.OVERTIME if self._bytes_arrived else Cause.FIRST_BYTE_TIMEOUT
        words = RequestWords(*attempts.planner.values_of(plan), plan.deployment.model)
        row, said = await read_sent(error, words, len(attempts.body), cause)
        return Failure(
            error,
            row,
            said,
            plan.deployment,
            plan,
            of_asked_model=attempts.at_asked_model,
            counted=True,
            may_repeat=self._may_repeat,
            answer_changes=tuple(attempts.record.answer_changes),
        )

    def _observe_wait(self, now: float) -> None:
        """Measure the wait for the call: until its answer began, or until it ended without one."""
        if self._asked_at is not None:
            label = self.plan.deployment.label
            self._attempts.gateway.metrics.upstream_duration.labels(label).observe(now - self._asked_at)
            self._asked_at = None

    def _end(self, outcome: str) -> None:
        """Count the attempt's end. *outcome* is answered, cancelled or the code of an error."""
        self._attempts.gateway.metrics.attempts.labels(self.plan.deployment.label, outcome).inc()
        if self._trace is not None:
            self._trace.end(outcome)


def timeouts_of(deployment: Deployment, router: RouterSettings, *, left_s: float) -> Timeouts:
    """Return the limits of one call.

    They are the router's, the deployment's own total, and the rest of the request's deadline (*left_s*, in seconds).
    """
    return Timeouts(
        connect_s=router.connect_timeout,
        first_byte_s=router.first_byte_timeout,
        idle_s=router.idle_timeout,
        total_s=min(left_s, deployment.timeout_s),
    )
