"""The attempts of one request: the deployment of each, and the step that follows a failure.

    choose a deployment ▶ plan for it, from the original messages ▶ call ▶ answered
         ▲                                                           │ failed
         └── retry, repair or another model ◀── decide ◀── the table ◀┘

:mod:`proxy.forwarding.attempt` makes the calls. The decisions are made in :mod:`proxy.resilience` and
:mod:`proxy.forwarding.fallback_chain`. This module counts the failures and waits between attempts. After the last
attempt it raises the final failure (:mod:`proxy.forwarding.final_failure`).
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

from proxy.config.list_models import near_models
from proxy.core.deployment import Deployment
from proxy.core.errors import ProxyError, UpstreamFault
from proxy.core.usage_so_far import UsageReports
from proxy.forwarding.attempt_planner import AttemptPlanner, Failure, PlanT
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.final_failure import choose_final_failure
from proxy.forwarding.gateway import Gateway
from proxy.forwarding.limits.request_limits import limits_of_request
from proxy.forwarding.metering.request_meter import RequestMeter
from proxy.observability.request_record import RequestRecord
from proxy.resilience.client_error import set_client_error
from proxy.resilience.decide_action import Action, Situation, Step, decide_action
from proxy.resilience.failure_table import INVALID, OVERFLOW, Kind
from proxy.state.deployment_identity import identity_of
from proxy.state.refused_requests import Refusal


class ReportingCall(Protocol):
    """A call upstream, which may get reports of usage."""

    @property
    def reports(self) -> UsageReports | None:
        """The reports of usage so far, where the call gets any before its answer is complete."""


CallT = TypeVar("CallT", bound=ReportingCall)


@dataclass(frozen=True, slots=True)
class _Decision(Generic[PlanT]):
    """The next step after a failure."""

    step: Step
    wait_s: float = 0.0
    repaired: PlanT | None = None
    """The plan that is sent to the same deployment, where the step is a repair."""


class Attempts(Generic[PlanT, CallT]):
    """The attempts of one request.

    *body* is the client's request body. *out* is the stream to the client, or None for a whole answer.
    """

    def __init__(
        self,
        planner: AttemptPlanner[PlanT, CallT],
        body: bytes,
        record: RequestRecord,
        gateway: Gateway,
        out: EventStream | None = None,
    ) -> None:
        self.planner = planner
        self.record = record
        self.gateway = gateway
        self.clock = asyncio.get_running_loop().time
        self.body = body
        self.out = out
        self.meter = record.meter = RequestMeter(record)
        self.deadline = record.started + gateway.settings.router_settings.timeout
        """The end of the request's time, by the event loop's clock."""

        self.limits = limits_of_request(record, gateway) if record.key else None
        """The limits of the client's key, or None where the key has none."""

        self.chain = planner.chain
        self._asked_pool = self.chain.pool
        self._failures: list[Failure[PlanT]] = []
        self._repaired_for: Deployment | None = None
        self._hashed: bytes | None = None

    @property
    def at_asked_model(self) -> bool:
        """True while the client's own model is asked, False for a fallback."""
        return self.chain.pool is self._asked_pool

    def choose(self, now: float) -> Deployment:
        """Return the deployment of a repair that is due, otherwise the pool's best at *now*."""
        chain, repaired = self.chain, self._repaired_for
        if repaired is not None:  # the repair follows this deployment's error; others may not need it
            self._repaired_for = None
            return repaired
        return self.gateway.balancer.choose(chain.pool, now, chain.tried, self.record.key)

    def must_choose_again(self, deployment: Deployment, now: float) -> bool:
        """Return True where *deployment* takes no requests any more, but another one that was not tried does.

        Its circuit may have opened while the plan for it was made, or another request has become its probe.
        """
        balancer, chain, tenant = self.gateway.balancer, self.chain, self.record.key
        return (
            chain.repair_cause is None
            and not balancer.another_ready((deployment,), now, (), tenant)
            and balancer.another_ready(chain.pool, now, chain.tried, tenant)
        )

    def pass_over(self, deployment: Deployment, now: float) -> bool:
        """Return True where another deployment of the pool takes requests now, in place of *deployment*.

        *deployment* is at the operator's limit. Nothing was sent, so this is no retry, and no retry budget counts it.
        """
        chain = self.chain
        chain.tried.add(deployment.position)
        return self.gateway.balancer.another_ready(chain.pool, now, chain.tried, self.record.key)

    def raise_known_refusal(self, plan: PlanT, now: float) -> None:
        """Raise the stored refusal where the deployment of *plan* has refused the client's body repeatedly.

        A body that was repaired, or that got a note to the model, is sent nevertheless.
        """
        refusal = self.gateway.refused_requests.find_refusal(
            plan.deployment.key, self.digest, now, self.record.key
        )
        if refusal is not None and self.chain.repair_cause is None and not self.planner.noted:
            raise UpstreamFault(refusal.message, upstream_status=refusal.status)

    async def decide(self, failure: Failure[PlanT]) -> _Decision[PlanT]:
        """Count *failure* and return the step that follows it."""
        gateway, chain, row, deployment = self.gateway, self.chain, failure.row, failure.deployment
        self._failures.append(failure)
        chain.count(deployment, row)
        if not failure.may_repeat:
            self.record.interrupted = row.kind
            return _Decision(Step.GIVE_UP)
        is_strict = gateway.settings.sanitize.mode == "strict"
        if failure.plan is None and is_strict and not failure.error.of_deployment:
            return _Decision(Step.GIVE_UP)
        repaired = None
        if row.repair and failure.counted and failure.plan is not None:
            repaired = await self.planner.repair(failure)
        now = self.clock()
        action = self._choose_action(failure, now, can_repair=repaired is not None)
        if row is INVALID and action.step is not Step.REPAIR and failure.counted and not self.planner.noted:
            # With a note added, the refused body is no longer the client's.
            message = gateway.secrets.mask(failure.error.message)  # it may be stored outside the process
            gateway.refused_requests.refused(
                deployment.key,
                self.digest,
                Refusal(failure.error.http_status, message),
                now,
                self.record.key,
                identity=identity_of(deployment),
            )
        return _Decision(action.step, action.wait_s, repaired)

    async def follow(self, decision: _Decision[PlanT]) -> None:
        """Prepare the next attempt and wait until it is due.

        Raises the request's final failure where there is no next attempt.
        """
        gateway, chain, failure = self.gateway, self.chain, self._failures[-1]
        model, kind = self.record.model, failure.row.kind
        if decision.step is Step.GIVE_UP:
            raise await self._final_error() from None
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
        """Return the hash of the request's path and body. The hash identifies equal requests."""
        if self._hashed is None:
            # The same bytes mean another request on another path.
            digest = hashlib.blake2b(self.record.route.encode() + b"\0", digest_size=32)
            digest.update(self.body)
            self._hashed = digest.digest()
        return self._hashed

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
            higher_order_ready=gateway.balancer.another_ready(
                chain.higher_orders(), now, chain.tried, tenant
            ),
            larger_ready=row is OVERFLOW and chain.has_larger(failure.deployment),
        )
        return decide_action(row, failure.said.retry_after_s, situation, gateway.random())

    async def _final_error(self) -> ProxyError:
        """Return the client's error, with its status and headers set and secrets masked in its message.

        Where the provider does not have a model that the client named, the message suggests the nearest names.
        """
        chosen = choose_final_failure(self._failures)
        if chosen.plan is not None:
            self.record.use_plan(chosen.plan, chosen.answer_changes if chosen.is_answer else ())
        if isinstance(chosen.error, UpstreamFault):
            set_client_error(chosen.error, chosen.row, chosen.said.retry_after_s, chosen.said.codes)
            message = self.gateway.secrets.mask(chosen.error.message)
            if chosen.row.kind is Kind.MODEL_GONE:
                find = partial(
                    near_models,
                    self.gateway.settings,
                    self.record.asked,
                    chosen.deployment,
                    self.record.allowed,
                )
                near = await asyncio.to_thread(find)  # the first call reads litellm's table
                message += f" Did you mean {' or '.join(near)}?" if near else ""
            chosen.error.message = message
            chosen.error.args = (chosen.error.message,)
        return chosen.error
