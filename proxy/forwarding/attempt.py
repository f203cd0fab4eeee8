"""One attempt of a request: the context manager around a deployment's call, with the call's time limit.

A handler makes attempts until one succeeds, and makes the call itself::

    while True:
        async with await plan_attempt(attempts) as attempt:
            return await ask(attempt.call)

The context of a failed attempt waits for the retry delay and then ends without an error, so that the loop goes on.
After the last attempt the context raises the final failure. Nothing is tried again once the client has a part of an
answer. The client would otherwise get a text, or a call, twice.
"""

from __future__ import annotations

import asyncio
from functools import partial
from types import TracebackType
from typing import Generic, Self

from proxy.config.schema.router import RouterSettings
from proxy.core.deadlines import TimeLimit
from proxy.core.deployment import Deployment
from proxy.core.errors import InternalFault, InvalidRequest, ProxyError, UpstreamFault, UpstreamTimeout
from proxy.core.failures import Cause
from proxy.core.instructions import Instructions
from proxy.core.offload import run_offloaded
from proxy.core.upstream_call import Timeouts
from proxy.forwarding.attempt_planner import Failure, PlanT
from proxy.forwarding.attempts import Attempts, CallT
from proxy.forwarding.metering.meter_attempt import EndedAttempt, meter_attempt
from proxy.forwarding.metering.used_by_attempt import AttemptUse
from proxy.forwarding.read_failure import read_sent
from proxy.observability.key_refusals import RefusedKey
from proxy.observability.request_record import AttemptTrace
from proxy.observability.tracing import ANSWERED, CANCELLED
from proxy.resilience.decide_action import Step
from proxy.resilience.find_blame import find_blame
from proxy.resilience.hide_quotations import hide_quotations
from proxy.resilience.request_words import NO_WORDS, RequestWords
from proxy.state.limits.claims import DeploymentClaim

_HIDING_WEIGHT = 100
"""The cost of looking for quotations, for each byte of the instructions and of the message."""

_UNFINISHED = "The provider's answer was not complete in time."
_SILENT = "The provider did not answer in time."


class Attempt(Generic[PlanT, CallT]):
    """One attempt: the context in which the call is made, with its time limit.

    At its end the metrics count the attempt, and the balancer gets the outcome. The context swallows an
    :class:`UpstreamFault` or :class:`InvalidRequest` if another attempt follows. Every other error is passed on.
    """

    __slots__ = (
        "_asked_at",
        "_attempts",
        "_began",
        "_bytes_arrived",
        "_charged",
        "_claim",
        "_limit",
        "_place",
        "_trace",
        "_words",
        "call",
        "plan",
        "use",
    )

    call: CallT
    """The call to make upstream."""

    def __init__(
        self, attempts: Attempts[PlanT, CallT], plan: PlanT, now: float, claim: DeploymentClaim | None = None
    ) -> None:
        self.plan = plan
        self._attempts = attempts
        self._claim = claim
        self._charged = len(attempts.meter.charges)
        self._bytes_arrived = False
        self._asked_at: float | None = now
        self._began = now
        self._trace: AttemptTrace | None = None
        self._words = NO_WORDS
        self.use = AttemptUse()
        """The known use of the attempt. The code that makes the call fills it in."""

    def note_activity(self) -> None:
        """Record that the first bytes arrived (reasoning counts). A later timeout is then not a first-byte timeout."""
        self._bytes_arrived = True

    def note_answer_started(self) -> None:
        """Record that the answer has begun.

        The deployment's circuit then closes, unless it opened after the call began.
        """
        self._bytes_arrived = True
        self._observe_wait(self._attempts.clock())
        self._place.note_answer_started()

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
        if error is not None and self._attempts.out is not None:
            self._attempts.out.discard()  # at once: its timer would send it during the wait for the next attempt
        use = self.use
        if use.usage:  # as nearly every answer has
            self._attempts.meter.add(self.plan.deployment, use.usage, use.service_tier)
        else:
            try:
                await self._meter(error)
            except BaseException:  # the client left meanwhile, or the request's deadline passed
                if self._claim is not None:
                    self._correct(self._claim)
                self._end(CANCELLED)
                raise
        if self._claim is not None:
            self._correct(self._claim)
        if error is None:
            attempts, key = self._attempts, self.plan.deployment.key
            attempts.gateway.refused_requests.answered(key, attempts.digest, now, attempts.record.key)
            self._end(ANSWERED)
            if attempts.planner.answer_teaches:
                await attempts.planner.note_answered(self.plan)
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

    def _correct(self, claim: DeploymentClaim) -> None:
        """Correct *claim* on the deployment's limits by the tokens that the attempt has used."""
        attempts = self._attempts
        charges = attempts.meter.charges[self._charged :]
        attempts.gateway.limiter.end_call(claim, sum(one.tokens for one in charges))

    async def _meter(self, error: BaseException | None) -> None:
        """Charge what the attempt used, which ended with *error* or without a report of usage."""
        attempts, plan = self._attempts, self.plan
        gateway, tenant = attempts.gateway, attempts.record.key
        self.use.reports = self.call.reports
        ended = EndedAttempt(
            plan.deployment,
            self.use,
            error,
            partial(attempts.planner.size_of, plan),
            lambda: gateway.learned_windows.peek(plan.deployment, attempts.clock(), tenant),
        )
        await meter_attempt(ended, attempts.meter)

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
        if isinstance(error, UpstreamFault):
            refused = RefusedKey(self.plan.deployment, error, row, failure.said, self._words)
            note = attempts.gateway.key_refusals.note
            await note(refused, attempts.record.request_id, attempts.clock, len(attempts.body))
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
        self._words = RequestWords(*attempts.planner.values_of(plan), plan.deployment.model)
        row, said = await read_sent(error, self._words, len(attempts.body), cause)
        instructions = attempts.planner.instructions_of(plan)
        if instructions is not None and isinstance(error, UpstreamFault):
            await self._hide(instructions, error)
        if isinstance(error, UpstreamFault):
            error.message = attempts.planner.words_for_client(plan, error.message)
        return Failure(
            error,
            row,
            said,
            plan.deployment,
            plan,
            of_asked_model=attempts.at_asked_model,
            counted=True,
            may_repeat=attempts.out is None or not attempts.out.committed,
            answer_changes=tuple(attempts.record.answer_changes),
        )

    @staticmethod
    async def _hide(instructions: Instructions, error: UpstreamFault) -> None:
        """Hide *instructions* in the message of *error*, which the client gets and which may be stored."""
        hide = partial(hide_quotations, error.message, instructions)
        error.message = await run_offloaded(_HIDING_WEIGHT * (len(error.message) + instructions.bytes), hide)
        error.args = (error.message,)

    def _observe_wait(self, now: float) -> None:
        """Measure the time from the call to the start of its answer, or to its end without an answer."""
        if self._asked_at is not None:
            label = self.plan.deployment.label
            self._attempts.gateway.metrics.upstream_duration.labels(label).observe(now - self._asked_at)
            self._asked_at = None

    def _end(self, outcome: str) -> None:
        """Count the end of the attempt. *outcome* is answered, cancelled or the code of an error."""
        self._attempts.gateway.metrics.attempts.labels(self.plan.deployment.label, outcome).inc()
        if self._trace is not None:
            self._trace.end(outcome)


def timeouts_of(deployment: Deployment, router: RouterSettings, *, left_s: float) -> Timeouts:
    """Return the timeouts of one call upstream.

    The section ``router_settings`` (*router*) sets all timeouts except the total. The total is the deployment's
    timeout, or *left_s*, the seconds to the request's deadline, if that is less.
    """
    return Timeouts(
        connect_s=router.connect_timeout,
        first_byte_s=router.first_byte_timeout,
        idle_s=router.idle_timeout,
        total_s=left_s if left_s < deployment.timeout_s else deployment.timeout_s,  # `min` is a call
    )
