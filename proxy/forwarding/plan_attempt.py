"""The choice of the next deployment, its plan, and the limits that the call has to fit.

A request is admitted within the limits of its key with its first plan.
"""

from __future__ import annotations

from proxy.core.errors import InvalidRequest, UpstreamFault
from proxy.forwarding.attempt import Attempt
from proxy.forwarding.attempt_planner import Failure, PlanT
from proxy.forwarding.attempts import Attempts, CallT
from proxy.forwarding.limits.deployment_limits import claim_call, limited
from proxy.forwarding.read_failure import read_unsent

_LONG_PLAN_S = 0.0005
"""Seconds of a plan after which the state of the chosen deployment is looked at again.

A plan may wait for a store, or for a worker thread. Other requests go on meanwhile, and their results count.
"""


async def plan_attempt(attempts: Attempts[PlanT, CallT]) -> Attempt[PlanT, CallT]:
    """Choose the next deployment of *attempts*, and return the attempt that is planned for it.

    The first plan admits the request within the limits of its key. Raises the refusal of a limit. Raises the
    request's final failure where a plan fails or a stored refusal applies, and no further attempt follows.
    """
    while True:
        now = attempts.clock()
        deployment = attempts.choose(now)
        plan: PlanT | None = None
        try:
            chosen_at, plan = now, await attempts.planner.plan(deployment, now, attempts.deadline)
            now = attempts.clock()
            is_late = now - chosen_at > _LONG_PLAN_S
            if is_late and attempts.chain.pool[1:] and attempts.must_choose_again(deployment, now):
                continue
            attempts.record.use_plan(plan)
            attempts.raise_known_refusal(plan, now)
            if attempts.limits is None and deployment.rpm is None and deployment.tpm is None:
                return Attempt(attempts, plan, now)
            size = attempts.planner.size_of(plan)
            counted = None if attempts.limits is None else await attempts.limits.count(deployment, size, now)
        except (UpstreamFault, InvalidRequest) as error:
            row, said = read_unsent(error)
            failure = Failure(
                error, row, said, deployment, plan, of_asked_model=attempts.at_asked_model, counted=False
            )
        else:
            if attempts.limits is not None:
                await attempts.limits.admit(counted, now)
            claimed = await claim_call(
                deployment, counted or size, now, attempts.record.key, attempts.gateway
            )
            now = attempts.clock()
            if not isinstance(claimed, float):
                return Attempt(attempts, plan, now, claimed)
            if attempts.pass_over(deployment, now):
                continue
            failure = _limited(attempts, plan, claimed)
        await attempts.follow(await attempts.decide(failure))


def _limited(attempts: Attempts[PlanT, CallT], plan: PlanT, wait_s: float) -> Failure[PlanT]:
    """Return the failure of an attempt whose deployment is at the operator's limit. Nothing was sent."""
    error, row, said = limited(wait_s)
    return Failure(
        error, row, said, plan.deployment, plan, of_asked_model=attempts.at_asked_model, counted=False
    )
