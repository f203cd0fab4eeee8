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
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from proxy.budgets.fit_request import estimate_sent, facts_of, has_media
from proxy.budgets.learn_overflow import Refused
from proxy.budgets.limits import asked_output
from proxy.config import Deployment, Settings
from proxy.corrections import note_for, with_note
from proxy.course import Course
from proxy.errors import (
    AnswerUnusable,
    ContextTooLong,
    InternalFault,
    InvalidRequest,
    ProxyError,
    UpstreamFault,
    UpstreamTimeout,
)
from proxy.failures import Cause
from proxy.keys import Gateway
from proxy.observation import Record
from proxy.plan import REPLACED, Plan, plan_request, profile_of
from proxy.resilience.balancer import Attempt
from proxy.resilience.client_error import tell_client
from proxy.resilience.decide_action import Action, Situation, Step, decide_action
from proxy.resilience.deployment_key import key_of
from proxy.resilience.failure_table import INVALID, OVERFLOW, PERMANENT, Kind, Row, find_row
from proxy.resilience.poison import Refusal
from proxy.resilience.read_error import NOTHING_SAID, ProviderError, read_error
from proxy.resilience.read_overflow import Overflow
from proxy.resilience.repairs import repair_request
from proxy.signatures.kept import Kept
from proxy.signatures.restoring import WITHHELD
from proxy.signatures.stand_ins import with_stand_ins
from proxy.signing import load_signatures, note_refused
from proxy.upstream import Timeouts, UpstreamCall
from proxy.windows import window_of
from proxy.wire import ChatRequest
from sanitizers import Change, Messages

T = TypeVar("T")

Call = Callable[[UpstreamCall], Awaitable[T]]
"""Makes one call upstream and returns its answer; raises :class:`UpstreamFault`."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One attempt that failed, or that could not be made; *plan* is None where there is none."""

    error: ProxyError
    row: Row
    said: ProviderError
    deployment: Deployment
    plan: Plan | None
    of_asked_model: bool
    counted: bool
    """Whether a call was made."""


class Attempts:
    """The attempts of one request; *body* is what the client sent."""

    def __init__(self, chat: ChatRequest, body: bytes, record: Record, gateway: Gateway) -> None:
        self._asked = self._chat = chat
        self._body = body
        self._record = record
        self._gateway = gateway
        self._loop = asyncio.get_running_loop()
        self._course = Course(chat.model, gateway.settings)
        self._asked_pool = self._course.pool
        self._plans: dict[tuple[int, str], Plan] = {}
        self._kept: Mapping[str, Kept] | None = None
        self._doubted: Messages | None = None
        self._overflowed: dict[tuple[int, str], int | None] = {}  # and what is sent again at most
        self._noted: tuple[Change, ...] = ()
        self._failures: list[Failure] = []
        self._spare: Failure | None = None
        self._attempted: Attempt | None = None
        self._repaired_for: Deployment | None = None
        self._hashed: bytes | None = None
        self.deadline = record.started + gateway.settings.router_settings.timeout
        """The moment of the loop's clock at which the request's time is up."""

        self.include_usage = chat.include_usage

    def answering(self) -> None:
        """Say that the answer has begun, so that others may ask the same deployment again."""
        if self._attempted is not None:
            self._attempted.answering()

    async def run(self, call: Call[T], *, may_repeat: Callable[[], bool]) -> T:
        """Return what *call* returns for the first attempt that answers.

        *may_repeat* tells whether the client has got nothing of an answer yet. When nothing more can be done, raises
        the failure that says most to the client (:meth:`_last_word`). An answer that is only to be delivered if no
        better one comes (:attr:`AnswerUnusable.answer`) goes before a failure that came after it.
        """
        while True:
            deployment = self._choose()
            plan: Plan | None = None
            try:
                plan = await self._plan(deployment)
                result = await self._attempt(call, plan)
                if self._doubted is not None and self._course.refused_for is not None:
                    await note_refused(self._gateway.store, self._doubted)
                return result
            except (UpstreamFault, InvalidRequest) as error:
                failure = self._read(error, deployment, plan)
            self._failures.append(failure)
            again = may_repeat()
            if again and isinstance(failure.error, AnswerUnusable) and failure.error.answer is not None:
                self._spare = failure
            action = self._after(failure, may_repeat=again)
            if action.step is Step.GIVE_UP:
                raise self._last_word(failure, may_repeat=again) from None
            if action.step is Step.REPAIR:
                self._doubt(failure)
            if action.wait_s > 0:
                self._record.upstream_wait += action.wait_s
                await asyncio.sleep(action.wait_s)

    def _doubt(self, failure: Failure) -> None:
        """Keep what was refused for its signatures, until it is known that it was for them."""
        plan, said = failure.plan, failure.said
        if plan is None or said.says("missing a thought_signature"):
            return
        repaired = _repaired(plan, said)
        if repaired is not None and any(change.reason == "signature" for change in repaired.further):
            self._doubted = plan.messages

    def _last_word(self, last: Failure, *, may_repeat: bool) -> ProxyError:
        """Return what the client is told in the end, ready for it; *last* is what failed last.

        What is wrong with the request itself goes before what happened to it elsewhere, since a client that hears of a
        busy fallback tries the same for ever. And a fallback that cannot take the history says nothing of why it was
        asked.
        """
        told = last
        if may_repeat:
            asked = [failure for failure in self._failures if failure.of_asked_model]
            called = [failure for failure in self._failures if failure.row.kind is not Kind.CONVERSION]
            if self._spare is not None:
                told = self._spare
            elif asked and asked[-1].row.kind in PERMANENT:
                told = asked[-1]
            elif last.row.kind is Kind.CONVERSION and called:
                told = called[-1]
        if told.plan is not None:
            self._record.plan = told.plan
        if isinstance(told.error, UpstreamFault):
            tell_client(told.error, told.row, told.said.retry_after_s)
        return told.error

    def _choose(self) -> Deployment:
        course, repaired = self._course, self._repaired_for
        if repaired is not None:  # its own words say what is wrong; another of the pool has not been asked
            self._repaired_for = None
            return repaired
        return self._gateway.balancer.choose(course.pool, self._loop.time(), course.tried)

    async def _plan(self, deployment: Deployment) -> Plan:
        """Return the plan for *deployment*, made once: with the note, and with the repair, if there is one."""
        key = key_of(deployment)
        if key not in self._plans:
            gateway = self._gateway
            if self._kept is None and profile_of(deployment, gateway.settings).signs_calls:
                self._kept = await load_signatures(gateway.store, self._chat.messages)
            self._plans[key] = self._planned(deployment)
        return self._plans[key]

    def _planned(self, deployment: Deployment) -> Plan:
        gateway = self._gateway
        taught = gateway.knowledge.of(deployment, self._loop.time())
        tight, most = (key := key_of(deployment)) in self._overflowed, self._overflowed.get(key)
        plan = plan_request(
            self._chat,
            gateway.settings,
            gateway.upstream.unsupported,
            deployment,
            self._kept or {},
            facts_of(deployment, gateway.settings, taught, tight=tight, most=most),
        )
        if plan.budget is not None and plan.budget.factor is not None:
            gateway.knowledge.plan_by(deployment, plan.budget.factor, self._loop.time())
        if not taught.reports_usage:
            plan = replace(plan, ask_usage=False)
        if self._noted:
            plan = replace(plan, further=self._noted)
        if self._course.refused_for is not None:
            plan = _repaired(plan, self._course.refused_for) or plan
        return plan

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
            except (UpstreamFault, InvalidRequest):
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

    def _read(self, error: ProxyError, deployment: Deployment, plan: Plan | None) -> Failure:
        """Return what a failure is."""
        counted = plan is not None and self._attempted is not None
        said, row = NOTHING_SAID, INVALID
        if isinstance(error, ContextTooLong):
            row = OVERFLOW
        elif not isinstance(error, UpstreamFault):
            row = find_row(Cause.CONVERSION, said)
        elif counted:
            wall = time.time()  # noqa: TID251 - an HTTP date is wall-clock time
            said = read_error(error.upstream_status, error.evidence, words=error.message, now=wall)
            cause = error.cause
            if cause is Cause.DEADLINE and self._loop.time() < self.deadline:
                cause = Cause.FIRST_BYTE_TIMEOUT  # it was the deployment's own time that was up
            row = find_row(cause, said)
        of_asked = self._course.pool is self._asked_pool
        return Failure(error, row, said, deployment, plan, of_asked, counted)

    def _after(self, failure: Failure, *, may_repeat: bool) -> Action:
        """Return what happens after *failure*, note it, and make ready what the next attempt needs."""
        gateway, course, now = self._gateway, self._course, self._loop.time()
        row, plan, deployment = failure.row, failure.plan, failure.deployment
        if self._attempted is not None and failure.counted:
            gateway.metrics.attempts.labels(deployment.label, row.kind).inc()
            self._attempted.failed(row.blame, failure.said.retry_after_s, now)
        self._attempted = None
        course.count(deployment, row)
        if not may_repeat or (plan is None and gateway.settings.sanitize.mode == "strict"):
            return Action(Step.GIVE_UP)
        tighter = self._cut_further(failure) if row is OVERFLOW and failure.counted else None
        can_repair = (
            row.repair
            and failure.counted
            and plan is not None
            and (
                tighter is not None
                if row is OVERFLOW
                else course.refused_for is None and _repaired(plan, failure.said) is not None
            )
        )
        situation = self._situation(failure, now, can_repair=can_repair)
        action = decide_action(row, failure.said.retry_after_s, situation, gateway.random())
        if row is INVALID and action.step is not Step.REPAIR and failure.counted and not self._noted:
            # With the note it is no longer the client's body that was refused.
            refusal = Refusal(failure.error.http_status, failure.error.message)
            gateway.poison.refused(key_of(deployment), self._digest, refusal, now)
        self._go_on(action, failure, tighter)
        if action.step in (Step.RETRY, Step.REPAIR):
            gateway.metrics.retries.labels(self._record.model, row.kind).inc()
            pool = course.pool if self._repaired_for is None else (self._repaired_for,)
            gateway.balancer.count_retry(pool, now, course.tried)
        return action

    def _go_on(self, action: Action, failure: Failure, tighter: Plan | None) -> None:
        """Make ready what the next attempt needs."""
        if action.step is Step.REPAIR and tighter is not None:
            self._repaired_for = failure.deployment
            self._plans = {key_of(failure.deployment): tighter}
        elif action.step is Step.REPAIR:
            self._course.refused_for = failure.said
            if failure.plan is not None and failure.said.says("stream_options", "include_usage"):
                now = self._loop.time()
                self._gateway.knowledge.of(failure.deployment, now).reports_usage = False
            self._repaired_for = failure.deployment
            self._plans.clear()
        elif action.step is Step.RETRY:
            if failure.row.note and failure.plan is not None and failure.plan.mode == "repair":
                self._add_note(failure.error, failure.plan)
        elif action.step is Step.FALL_BACK:
            self._course.fall_back(failure.row)
            self._chat, self._noted = self._asked, ()  # the note is about what another model did
            self._plans.clear()
            self._gateway.metrics.fallbacks.labels(self._record.model, failure.row.kind).inc()

    def _cut_further(self, failure: Failure) -> Plan | None:
        """Take in what an overflow teaches, and return a plan that is cut by it; None where there is nothing to cut.

        Once for each deployment: one that refuses again has been told all that we know.
        """
        gateway, plan, deployment = self._gateway, failure.plan, failure.deployment
        key = key_of(deployment)
        if plan is None or plan.mode != "repair" or key in self._overflowed:
            return None
        now = self._loop.time()
        refused = Refused(
            estimate_sent(plan.messages, plan.parameters, gateway.knowledge.of(deployment, now).family),
            asked_output(plan.parameters),
            window_of(deployment).max_input_tokens,
            has_media(plan.messages),
        )
        lesson = gateway.knowledge.learn(deployment, failure.said.overflow or Overflow(), refused, now)
        self._overflowed[key] = lesson.most
        try:
            tighter = self._planned(deployment)
        except InvalidRequest:
            return None
        same = tighter.messages == plan.messages and tighter.parameters == plan.parameters
        return None if same else tighter

    def _add_note(self, error: ProxyError, plan: Plan) -> None:
        """Tell the model, in further attempts, what was wrong; once."""
        if self._noted or not isinstance(error, UpstreamFault):
            return
        detail = error.detail if isinstance(error, AnswerUnusable) else ""
        self._chat, change = with_note(self._chat, note_for(error.cause, plan.parameters, detail))
        self._noted = (change,)
        self._plans.clear()

    def _situation(self, failure: Failure, now: float, *, can_repair: bool) -> Situation:
        gateway, course, row = self._gateway, self._course, failure.row
        return Situation(
            tries=course.tries,
            tries_of_kind=course.kinds[row.kind],
            num_retries=gateway.settings.router_settings.num_retries,
            left_s=self.deadline - now,
            another_ready=gateway.balancer.another_ready(course.pool, now, course.tried),
            budget_left=gateway.balancer.budget_left(course.pool, now, course.tried),
            can_repair=can_repair,
            can_fall_back=course.can_fall_back(row),
            larger_ready=row is OVERFLOW and course.has_larger(failure.deployment),
        )

    def _raise_known_refusal(self, plan: Plan, now: float) -> None:
        if self._course.refused_for is not None or self._noted:
            return
        refusal = self._gateway.poison.find_refusal(key_of(plan.deployment), self._digest, now)
        if refusal is not None:
            raise UpstreamFault(refusal.message, upstream_status=refusal.status)

    def _digest(self) -> bytes:
        if self._hashed is None:
            self._hashed = hashlib.blake2b(self._body, digest_size=32).digest()
        return self._hashed


def _repaired(plan: Plan, said: ProviderError) -> Plan | None:
    """Return *plan* repaired by a provider's words; None where that changes nothing, or nothing may be changed."""
    if plan.ask_usage and said.says("stream_options", "include_usage"):
        return replace(plan, ask_usage=False)
    if plan.mode != "repair":
        return None
    repaired = repair_request(plan.messages, plan.parameters, plan.profile, said)
    if repaired is None:
        return None
    signatures = plan.signatures
    if any(change.reason == "signature" for change in repaired.changes):
        withheld = sum(count for kind, count in signatures.items() if kind != REPLACED)
        _, stand_ins = with_stand_ins(repaired.messages, repaired.profile or plan.profile)
        signatures = {WITHHELD: withheld, REPLACED: stand_ins}
    return replace(
        plan,
        signatures=signatures,
        messages=repaired.messages,
        parameters=repaired.parameters,
        profile=repaired.profile or plan.profile,
        further=(*plan.further, *repaired.changes),
    )


def call_of(plan: Plan, timeouts: Timeouts) -> UpstreamCall:
    """Return the call that a plan is."""
    return UpstreamCall(
        deployment=plan.deployment,
        messages=plan.messages,
        parameters=plan.parameters,
        timeouts=timeouts,
        ask_usage=plan.ask_usage,
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
