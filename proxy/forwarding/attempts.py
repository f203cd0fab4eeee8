"""One request on its way to an answer: attempt after attempt, until one answers or nothing more can be done.

    choose a deployment ▶ plan for it, from the original messages ▶ call ▶ answered
         ▲                                                           │ failed
         └── retry, repair or another model ◀── decide ◀── the table ◀┘

Deciding is pure (:mod:`proxy.resilience`, :mod:`proxy.forwarding.fallback_chain`); here is what it decides about, the
clock, and the only place that sleeps. What is asked, and how it is made ready for whom, is for a :class:`Planning` to
know. Once a part of an answer is on its way to the client nothing is tried again: nobody must get a text, or a call,
twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from proxy.config import Settings
from proxy.core.deadlines import TimeLimit
from proxy.core.deployment import Deployment
from proxy.core.errors import (
    AnswerUnusable,
    ContextTooLong,
    InternalFault,
    InvalidRequest,
    ProxyError,
    UpstreamFault,
    UpstreamTimeout,
)
from proxy.core.failures import Cause, error_weight
from proxy.core.offload import run_offloaded
from proxy.core.upstream_call import Timeouts
from proxy.forwarding.fallback_chain import FallbackChain
from proxy.forwarding.gateway import Gateway
from proxy.observability.request_record import AttemptTrace, Planned, RequestRecord
from proxy.observability.tracing import ANSWERED, CANCELLED
from proxy.resilience.client_error import tell_client
from proxy.resilience.decide_action import Action, Situation, Step, decide_action
from proxy.resilience.failure_table import (
    INVALID,
    OVERFLOW,
    PERMANENT,
    Kind,
    Row,
    find_row,
)
from proxy.resilience.find_blame import find_blame
from proxy.resilience.read_error import NOTHING_SAID, ProviderError, read_error, refused_status
from proxy.resilience.request_words import RequestWords
from proxy.resilience.standing import Attempt
from proxy.state.refused_requests import Refusal

T = TypeVar("T")
PlanT = TypeVar("PlanT", bound=Planned)
CallT = TypeVar("CallT")
GivenCall = TypeVar("GivenCall", covariant=True)

_UNFINISHED = "The provider's answer was not complete in time."

Call: TypeAlias = Callable[[CallT], Awaitable[T]]
"""Makes one call upstream and returns its answer; raises :class:`UpstreamFault`."""


@dataclass(frozen=True, slots=True)
class Failure(Generic[PlanT]):
    """One attempt that failed, or that could not be made; *plan* is None where there is none."""

    error: ProxyError
    row: Row
    said: ProviderError
    deployment: Deployment
    plan: PlanT | None
    of_asked_model: bool
    counted: bool
    """Whether a call was made."""


class Planning(Protocol[PlanT, GivenCall]):
    """What is asked: one request, made ready for whichever deployment is asked."""

    @property
    def course(self) -> FallbackChain:
        """Where the request may go."""

    @property
    def not_blamed(self) -> frozenset[Kind]:
        """The failures that say nothing of a deployment: they are about the request's path."""

    @property
    def noted(self) -> bool:
        """Whether what is sent holds what the client did not say."""

    async def plan(self, deployment: Deployment, deadline: float) -> PlanT:
        """Return the plan for *deployment*; raises :class:`InvalidRequest` where there is none."""

    def values_of(self, plan: PlanT) -> tuple[Any, ...]:
        """Return all that goes out with a plan and that a client may have written."""

    def call_of(self, plan: PlanT, timeouts: Timeouts, trace: AttemptTrace | None = None) -> GivenCall:
        """Return the call that a plan is, with its part in a *trace*."""

    async def can_repair(self, failure: Failure[PlanT]) -> bool:
        """Tell whether the request can be changed by what the provider said; asked once of each failure."""

    def go_on(self, step: Step, failure: Failure[PlanT]) -> None:
        """Make ready what the next attempt needs."""

    async def answered(self) -> None:
        """Note that an attempt was answered."""


class Attempts(Generic[PlanT, CallT]):
    """The attempts of one request; *body* is what the client sent."""

    def __init__(
        self, planning: Planning[PlanT, CallT], body: bytes, record: RequestRecord, gateway: Gateway
    ) -> None:
        self._planning = planning
        self._body = body
        self._record = record
        self._gateway = gateway
        self._loop = asyncio.get_running_loop()
        self._course = planning.course
        self._asked_pool = self._course.pool
        self._failures: list[Failure[PlanT]] = []
        self._fallback_answer: Failure[PlanT] | None = None
        self._attempted: Attempt | None = None
        self._trace: AttemptTrace | None = None
        self._heard = False
        self._asked_at: float | None = None
        self._repaired_for: Deployment | None = None
        self._hashed: bytes | None = None
        self.deadline = record.started + gateway.settings.router_settings.timeout
        """The moment of the loop's clock at which the request's time is up."""

    def note_activity(self) -> None:
        """Say that the provider has said something, were it only a thought: that it takes long is then no fault."""
        self._heard = True

    def note_answer_started(self) -> None:
        """Say that the answer has begun, so that others may ask the same deployment again."""
        self.note_activity()
        self._note_wait(self._loop.time())
        if self._attempted is not None:
            self._attempted.note_answer_started()

    async def run(self, call: Call[CallT, T], *, may_repeat: Callable[[], bool]) -> T:
        """Return what *call* returns for the first attempt that answers.

        *may_repeat* tells whether the client has got nothing of an answer yet. When nothing more can be done, raises
        the failure that says most to the client (:meth:`_last_word`). An answer that is only to be delivered if no
        better one comes (:attr:`AnswerUnusable.answer`) goes before a failure that came after it.
        """
        while True:
            deployment = self._choose()
            plan: PlanT | None = None
            try:
                plan = await self._planning.plan(deployment, self.deadline)
                result = await self._attempt(call, plan)
                await self._planning.answered()
                return result
            except (UpstreamFault, InvalidRequest) as error:
                failure = await self._read(error, deployment, plan)
            self._failures.append(failure)
            again = may_repeat()
            if again and isinstance(failure.error, AnswerUnusable) and failure.error.answer is not None:
                self._fallback_answer = failure
            action = Action(Step.GIVE_UP)  # where this is cancelled meanwhile
            try:
                action = await self._after(failure, may_repeat=again)
            finally:
                if self._trace is not None:
                    self._trace.end(failure.row.kind, action.step)
                    self._trace = None
            if action.step is Step.GIVE_UP:
                raise self._last_word(failure, may_repeat=again) from None
            if action.wait_s > 0:
                self._record.upstream_wait += action.wait_s
                await asyncio.sleep(action.wait_s)

    def _last_word(self, last: Failure[PlanT], *, may_repeat: bool) -> ProxyError:
        """Return what the client is told in the end, ready for it; *last* is what failed last.

        What is wrong with the request itself goes before what happened to it elsewhere, since a client that hears of a
        busy fallback tries the same for ever. And a fallback that cannot take the history says nothing of why it was
        asked.
        """
        told = last
        if may_repeat:
            asked = [failure for failure in self._failures if failure.of_asked_model]
            called = [failure for failure in self._failures if failure.row.kind is not Kind.CONVERSION]
            if self._fallback_answer is not None:
                told = self._fallback_answer
            elif asked and asked[-1].row.kind in PERMANENT:
                told = asked[-1]
            elif last.row.kind is Kind.CONVERSION and called:
                told = called[-1]
        if told.plan is not None:
            self._record.use_plan(told.plan)
        if isinstance(told.error, UpstreamFault):
            tell_client(told.error, told.row, told.said.retry_after_s)
            told.error.message = self._gateway.secrets.mask(told.error.message)
            told.error.args = (told.error.message,)
        return told.error

    def _choose(self) -> Deployment:
        course, repaired = self._course, self._repaired_for
        if repaired is not None:  # its own words say what is wrong; another of the pool has not been asked
            self._repaired_for = None
            return repaired
        return self._gateway.balancer.choose(course.pool, self._loop.time(), course.tried, self._record.key)

    async def _attempt(self, call: Call[CallT, T], plan: PlanT) -> T:
        """Make one attempt; it is counted, and what it came to is noted, in :meth:`_after` where it failed."""
        record, deployment = self._record, plan.deployment
        now = self._loop.time()
        record.use_plan(plan)
        self._attempted = None
        self._heard = False
        self._raise_known_refusal(plan, now)
        record.attempts += 1
        if record.trace is not None:
            self._trace = record.trace.begin_attempt(record, deployment)
        outcome = InternalFault.code
        is_retry = self._course.tries > 0
        with self._gateway.balancer.acquire(deployment, now, retry=is_retry, tenant=record.key) as attempt:
            self._attempted = attempt
            self._asked_at = now
            try:
                result = await self._in_time(call, plan, now)
            except (UpstreamFault, InvalidRequest):
                outcome = ""  # its kind is counted, once it is known
                raise
            except ProxyError as error:
                outcome = error.code
                raise
            except (asyncio.CancelledError, ConnectionResetError):  # a write to a client that has gone
                outcome = CANCELLED
                raise
            else:
                end = self._loop.time()
                attempt.succeeded(end)
                self._note_wait(end)
                self._gateway.refused_requests.answered(deployment.key, self._digest, now, record.key)
                outcome = ANSWERED
                return result
            finally:
                if self._asked_at is not None:
                    self._note_wait(self._loop.time())
                if outcome:
                    self._gateway.metrics.attempts.labels(deployment.label, outcome).inc()
                    if self._trace is not None:
                        self._trace.end(outcome)

    def _note_wait(self, now: float) -> None:
        """Note how long the call was waited for; what ends the wait is its answer's beginning, or its own end."""
        if self._asked_at is not None and self._record.planned is not None:
            label = self._record.planned.deployment.label
            self._gateway.metrics.upstream_duration.labels(label).observe(now - self._asked_at)
            self._asked_at = None

    async def _in_time(self, call: Call[CallT, T], plan: PlanT, now: float) -> T:
        timeouts = timeouts_of(plan.deployment, self._gateway.settings, left_s=self.deadline - now)
        try:
            with TimeLimit(now + timeouts.total_s):
                return await call(self._planning.call_of(plan, timeouts, self._trace))
        except TimeoutError:
            words = _UNFINISHED if self._heard else "The provider did not answer in time."
            raise UpstreamTimeout(words, cause=Cause.DEADLINE) from None

    async def _read(self, error: ProxyError, deployment: Deployment, plan: PlanT | None) -> Failure[PlanT]:
        """Return what a failure is."""
        counted = plan is not None and self._attempted is not None
        said, row = NOTHING_SAID, INVALID
        if isinstance(error, ContextTooLong):
            row = OVERFLOW
        elif not isinstance(error, UpstreamFault):
            row = find_row(Cause.CONVERSION, said)
        elif counted and plan is not None:
            said = await self._read_words(error, plan)
            cause = error.cause
            if cause is Cause.DEADLINE and self._loop.time() < self.deadline:
                # It was the deployment's own time that was up.
                cause = Cause.OVERTIME if self._heard else Cause.FIRST_BYTE_TIMEOUT
            row = find_row(cause, said)
        of_asked = self._course.pool is self._asked_pool
        return Failure(error, row, said, deployment, plan, of_asked, counted)

    async def _read_words(self, error: UpstreamFault, plan: PlanT) -> ProviderError:
        """Return what the provider said; to look for its words in a long request takes as long as to plan it."""
        wall = time.time()  # noqa: TID251 - an HTTP date is wall-clock time
        request = RequestWords(*self._planning.values_of(plan), plan.deployment.model)
        status = refused_status(error.upstream_status, error.evidence)
        read = partial(read_error, status, error.evidence, words=error.message, now=wall, request=request)
        if not error.evidence.body:
            return read()
        try:
            return await run_offloaded(len(self._body) + error_weight(error.evidence.body), read)
        except BaseException:  # the client left, or the time is up
            self._gateway.metrics.attempts.labels(plan.deployment.label, CANCELLED).inc()
            if self._trace is not None:
                self._trace.end(CANCELLED)
                self._trace = None
            raise

    async def _after(self, failure: Failure[PlanT], *, may_repeat: bool) -> Action:
        """Return what happens after *failure*, note it, and make ready what the next attempt needs."""
        gateway, course, now = self._gateway, self._course, self._loop.time()
        row, plan, deployment = failure.row, failure.plan, failure.deployment
        if self._attempted is not None and failure.counted:
            gateway.metrics.attempts.labels(deployment.label, row.kind).inc()
            blame, reach, delay_s = find_blame(row, failure.said, self._planning.not_blamed)
            self._attempted.failed(blame, delay_s, now, reach)
        self._attempted = None
        course.count(deployment, row)
        if not may_repeat:
            self._record.interrupted = row.kind
        if not may_repeat or (plan is None and gateway.settings.sanitize.mode == "strict"):
            return Action(Step.GIVE_UP)
        can_repair = (
            row.repair and failure.counted and plan is not None and await self._planning.can_repair(failure)
        )
        now = self._loop.time()
        situation = self._situation(failure, now, can_repair=can_repair)
        action = decide_action(row, failure.said.retry_after_s, situation, gateway.random())
        if row is INVALID and action.step is not Step.REPAIR and failure.counted and not self._planning.noted:
            # With the note it is no longer the client's body that was refused.
            refusal = Refusal(failure.error.http_status, failure.error.message)
            gateway.refused_requests.refused(deployment.key, self._digest, refusal, now, self._record.key)
        if action.step is Step.REPAIR:
            self._repaired_for = deployment
        elif action.step is Step.FALL_BACK:
            course.fall_back(row)
            gateway.metrics.fallbacks.labels(self._record.model, row.kind).inc()
        self._planning.go_on(action.step, failure)
        if action.step in (Step.RETRY, Step.REPAIR):
            gateway.metrics.retries.labels(self._record.model, row.kind).inc()
            pool = course.pool if self._repaired_for is None else (self._repaired_for,)
            gateway.balancer.count_retry(pool, now, course.tried, self._record.key)
        return action

    def _situation(self, failure: Failure[PlanT], now: float, *, can_repair: bool) -> Situation:
        gateway, course, row, tenant = self._gateway, self._course, failure.row, self._record.key
        return Situation(
            tries=course.tries,
            tries_of_kind=course.kinds.get(row.kind, 0),
            num_retries=gateway.settings.router_settings.num_retries,
            left_s=self.deadline - now,
            another_ready=gateway.balancer.another_ready(course.pool, now, course.tried, tenant),
            budget_left=gateway.balancer.budget_left(course.pool, now, course.tried, tenant),
            can_repair=can_repair,
            can_fall_back=course.can_fall_back(row),
            larger_ready=row is OVERFLOW and course.has_larger(failure.deployment),
        )

    def _raise_known_refusal(self, plan: PlanT, now: float) -> None:
        if self._course.repair_cause is not None or self._planning.noted:
            return
        tenant = self._record.key
        refusal = self._gateway.refused_requests.find_refusal(plan.deployment.key, self._digest, now, tenant)
        if refusal is not None:
            raise UpstreamFault(refusal.message, upstream_status=refusal.status)

    def _digest(self) -> bytes:
        if self._hashed is None:
            # Another path makes another request of the same bytes.
            digest = hashlib.blake2b(self._record.route.encode() + b"\0", digest_size=32)
            digest.update(self._body)
            self._hashed = digest.digest()
        return self._hashed


def timeouts_of(deployment: Deployment, settings: Settings, *, left_s: float) -> Timeouts:
    """Return the limits of one call: the router's, the deployment's own total, and what is left of the deadline."""
    router = settings.router_settings
    return Timeouts(
        connect_s=router.connect_timeout,
        first_byte_s=router.first_byte_timeout,
        idle_s=router.idle_timeout,
        total_s=min(left_s, deployment.timeout_s),
    )
