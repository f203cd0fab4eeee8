"""One request on its way to an answer: attempt after attempt, until one answers or nothing more can be done.

    choose a deployment ▶ plan for it, from the original messages ▶ call ▶ answered
         ▲                                                           │ failed
         └── retry, repair or another model ◀── decide ◀── the table ◀┘

Deciding is pure (:mod:`proxy.resilience`, :mod:`proxy.course`); here is what it decides about, the clock, and the only
place that sleeps. Each attempt is sanitized for its own target, since what one provider needs another refuses. Once a
part of an answer is on its way to the client nothing is tried again: nobody must get a text, or a call, twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from proxy.config import Deployment, Settings
from proxy.corrections import note_for, with_note
from proxy.course import Course
from proxy.errors import (
    AnswerUnusable,
    InternalFault,
    InvalidRequest,
    ProxyError,
    UpstreamFault,
    UpstreamTimeout,
)
from proxy.failures import Cause
from proxy.keys import Gateway
from proxy.observation import Record
from proxy.plan import Plan, plan_request
from proxy.resilience.balancer import Attempt
from proxy.resilience.client_error import tell_client
from proxy.resilience.decide_action import Action, Situation, Step, decide_action
from proxy.resilience.deployment_key import key_of
from proxy.resilience.failure_table import Kind, Row, find_row
from proxy.resilience.poison import Refusal
from proxy.resilience.read_error import ProviderError, read_error
from proxy.resilience.repairs import Repaired, repair_request
from proxy.upstream import Timeouts, UpstreamCall
from proxy.wire import ChatRequest
from sanitizers import Change

T = TypeVar("T")

Call = Callable[[UpstreamCall], Awaitable[T]]
"""Makes one call upstream and returns its answer; raises :class:`UpstreamFault`."""


class Attempts:
    """The attempts of one request; *body* is what the client sent."""

    def __init__(self, chat: ChatRequest, body: bytes, record: Record, gateway: Gateway) -> None:
        self._chat = chat
        self._body = body
        self._record = record
        self._gateway = gateway
        self._loop = asyncio.get_running_loop()
        self._course = Course(chat.model, gateway.settings)
        self._plans: dict[tuple[int, str], Plan] = {}
        self._noted: tuple[Change, ...] = ()
        self.deadline = record.started + gateway.settings.router_settings.timeout
        """The moment of the loop's clock at which the request's time is up."""

        self.include_usage = chat.include_usage
        self._attempted: Attempt | None = None
        self._repaired_for: Deployment | None = None
        self._spare: tuple[AnswerUnusable, Plan] | None = None

    def answering(self) -> None:
        """Say that the answer has begun, so that others may ask the same deployment again."""
        if self._attempted is not None:
            self._attempted.answering()

    async def run(self, call: Call[T], *, may_repeat: Callable[[], bool]) -> T:
        """Return what *call* returns for the first attempt that answers.

        *may_repeat* tells whether the client has got nothing of an answer yet. Raises the last failure, as the
        client is to see it, when nothing more can be done, and :class:`InvalidRequest` for a history that the model
        cannot be sent. An answer that is only to be delivered if no better one comes
        (:attr:`AnswerUnusable.answer`) goes before a failure that came after it.
        """
        last: UpstreamFault | None = None
        while True:
            try:
                plan = self._plan(self._choose())
            except InvalidRequest:
                if last is None:
                    raise
                raise self._last_word(last) from None  # the other model cannot take the history
            try:
                return await self._attempt(call, plan)
            except UpstreamFault as fault:
                action = self._after(fault, plan, may_repeat=may_repeat())
                if isinstance(fault, AnswerUnusable) and fault.answer is not None:
                    self._spare = fault, plan
                if action.step is Step.GIVE_UP:
                    raise (self._last_word(fault) if may_repeat() else fault) from None
                last = fault
            if action.wait_s > 0:
                self._record.upstream_wait += action.wait_s
                await asyncio.sleep(action.wait_s)

    def _last_word(self, fault: UpstreamFault) -> UpstreamFault:
        """Return what to raise after *fault*, the last one."""
        if self._spare is None:
            return fault
        spare, self._record.plan = self._spare
        return spare

    def _choose(self) -> Deployment:
        course, repaired = self._course, self._repaired_for
        if repaired is not None:  # its own words say what is wrong; another of the pool has not been asked
            self._repaired_for = None
            return repaired
        return self._gateway.balancer.choose(course.pool, self._loop.time(), course.tried)

    def _plan(self, deployment: Deployment) -> Plan:
        """Return the plan for *deployment*, made once."""
        key = key_of(deployment)
        if key not in self._plans:
            gateway = self._gateway
            plan = plan_request(self._chat, gateway.settings, gateway.upstream.unsupported, deployment)
            self._plans[key] = replace(plan, further=self._noted) if self._noted else plan
        return self._plans[key]

    async def _attempt(self, call: Call[T], plan: Plan) -> T:
        """Make one attempt; it is counted, and what it came to is noted, in :meth:`_after` where it failed."""
        record, deployment = self._record, plan.deployment
        now = self._loop.time()
        record.plan = plan
        self._attempted = None
        self._raise_known_refusal(plan, now)
        record.attempts += 1
        outcome = InternalFault.code
        with self._gateway.balancer.acquire(deployment, now, retry=self._course.tries > 0) as attempt:
            self._attempted = attempt
            try:
                result = await self._in_time(call, plan, now)
            except UpstreamFault:
                outcome = ""  # its kind is counted, once it is known
                raise
            except ProxyError as error:
                outcome = error.code
                raise
            except asyncio.CancelledError:
                outcome = "cancelled"
                raise
            else:
                attempt.succeeded(self._loop.time())
                self._gateway.poison.answered(key_of(deployment), self._digest, now)
                outcome = "ok"
                return result
            finally:
                if outcome:
                    self._gateway.metrics.attempts.labels(deployment.label, outcome).inc()

    async def _in_time(self, call: Call[T], plan: Plan, now: float) -> T:
        timeouts = timeouts_of(plan.deployment, self._gateway.settings, left_s=self.deadline - now)
        try:
            async with asyncio.timeout_at(now + timeouts.total_s):
                return await call(call_of(plan, timeouts))
        except TimeoutError:
            raise UpstreamTimeout("The provider did not answer in time.", cause=Cause.DEADLINE) from None

    def _after(self, fault: UpstreamFault, plan: Plan, *, may_repeat: bool) -> Action:
        """Return what happens after *fault*, and note it; one that is given up on is made ready for the client."""
        gateway, course, now = self._gateway, self._course, self._loop.time()
        wall = time.time()  # noqa: TID251 - an HTTP date is wall-clock time
        error = read_error(fault.upstream_status, fault.evidence, words=fault.message, now=wall)
        cause = fault.cause
        if cause is Cause.DEADLINE and now < self.deadline:  # it was the deployment's own time that was up
            cause = Cause.FIRST_BYTE_TIMEOUT
        row = find_row(cause, error)
        known = self._attempted is None
        if self._attempted is not None:
            gateway.metrics.attempts.labels(plan.deployment.label, row.kind).inc()
            self._attempted.failed(row.blame, error.retry_after_s, now)
        course.count(plan.deployment, row)
        repaired = self._repaired(row, error, plan) if may_repeat and not known else None
        action = Action(Step.GIVE_UP)
        if may_repeat:
            action = decide_action(
                row, error.retry_after_s, self._situation(row, repaired, now), gateway.random()
            )
        if row.kind is Kind.INVALID_REQUEST and action.step is not Step.REPAIR and not known:
            refusal = Refusal(fault.http_status, fault.message)
            gateway.poison.refused(key_of(plan.deployment), self._digest, refusal, now)
        self._go_on(action, row, fault, plan, repaired)
        if action.step in (Step.RETRY, Step.REPAIR):
            pool = course.pool if self._repaired_for is None else (self._repaired_for,)
            gateway.balancer.count_retry(pool, now, course.tried)
        if action.step is Step.GIVE_UP:
            tell_client(fault, row, error.retry_after_s)
        return action

    def _go_on(
        self, action: Action, row: Row, fault: UpstreamFault, plan: Plan, repaired: Repaired | None
    ) -> None:
        """Make ready what the next attempt needs."""
        metrics, model = self._gateway.metrics, self._record.model
        match action.step:
            case Step.REPAIR:
                assert repaired is not None
                self._course.repaired = True
                self._repaired_for = plan.deployment
                self._plans[key_of(plan.deployment)] = replace(
                    plan,
                    messages=repaired.messages,
                    parameters=repaired.parameters,
                    profile=repaired.profile or plan.profile,
                    further=(*plan.further, *repaired.changes),
                )
                metrics.retries.labels(model, row.kind).inc()
            case Step.RETRY:
                if row.note and plan.mode == "repair":
                    self._add_note(fault, plan)
                metrics.retries.labels(model, row.kind).inc()
            case Step.FALL_BACK:
                self._course.fall_back(row)
                metrics.fallbacks.labels(model, row.kind).inc()
            case Step.GIVE_UP:
                pass

    def _add_note(self, fault: UpstreamFault, plan: Plan) -> None:
        """Tell the model, in further attempts, what was wrong; once."""
        if not self._noted:
            note = note_for(
                fault.cause, self._chat.parameters, fault.detail if isinstance(fault, AnswerUnusable) else ""
            )
            self._chat, change = with_note(self._chat, note)
            self._noted = (change,)
            self._plans.clear()

    def _repaired(self, row: Row, error: ProviderError, plan: Plan) -> Repaired | None:
        if not row.repair or self._course.repaired or plan.mode != "repair":
            return None
        return repair_request(plan.messages, plan.parameters, plan.profile, error)

    def _situation(self, row: Row, repaired: Repaired | None, now: float) -> Situation:
        gateway, course = self._gateway, self._course
        return Situation(
            tries=course.tries,
            tries_of_kind=course.kinds[row.kind],
            num_retries=gateway.settings.router_settings.num_retries,
            left_s=self.deadline - now,
            another_ready=gateway.balancer.another_ready(course.pool, now, course.tried),
            budget_left=gateway.balancer.budget_left(course.pool, now, course.tried),
            can_repair=repaired is not None,
            can_fall_back=course.can_fall_back(row),
        )

    def _raise_known_refusal(self, plan: Plan, now: float) -> None:
        if self._course.repaired:
            return
        refusal = self._gateway.poison.find_refusal(key_of(plan.deployment), self._digest, now)
        if refusal is not None:
            headers = {"x-should-retry": "false"}
            raise UpstreamFault(refusal.message, upstream_status=refusal.status, headers=headers)

    def _digest(self) -> bytes:
        return hashlib.blake2b(self._body, digest_size=32).digest()


def call_of(plan: Plan, timeouts: Timeouts) -> UpstreamCall:
    """Return the call that a plan is."""
    return UpstreamCall(
        deployment=plan.deployment,
        messages=plan.messages,
        parameters=plan.parameters,
        timeouts=timeouts,
        include_usage=plan.request.include_usage,
        extra_body=plan.extra_body,
        raw_messages=plan.request.raw_messages if plan.messages is plan.request.messages else None,
        profile=plan.profile,
    )


def timeouts_of(deployment: Deployment, settings: Settings, *, left_s: float) -> Timeouts:
    """Return the limits of one call: the router's, the deployment's own total, and what is left of the deadline."""
    router = settings.router_settings
    return Timeouts(
        connect_s=router.connect_timeout,
        first_byte_s=router.first_byte_timeout,
        idle_s=router.idle_timeout,
        total_s=min(left_s, deployment.timeout_s),
    )
