"""Holds the calls to one deployment to the operator's ``rpm`` and ``tpm``.

A deployment over its limit is passed over like one that answers 429: another of its pool is asked, then the request
waits, falls back or fails, as :mod:`proxy.resilience.failure_table` says. Nothing is sent.
"""

from __future__ import annotations

from dataclasses import replace

from proxy.core.deployment import Deployment
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.forwarding.gateway import Gateway
from proxy.forwarding.limits.plan_size import PlanSize
from proxy.forwarding.limits.request_limits import CountedPlan, count_plan
from proxy.forwarding.limits.request_need import tokens_to_claim
from proxy.resilience.failure_table import Row, find_row
from proxy.resilience.read_error import NO_ERROR_FACTS, ProviderError
from proxy.state.deployment_identity import account_identity_of
from proxy.state.limits.claims import DeploymentClaim

_STATUS = 429


async def claim_call(
    deployment: Deployment, size: PlanSize | CountedPlan, now: float, tenant: str, gateway: Gateway
) -> DeploymentClaim | float | None:
    """Claim a call from the limits of *deployment*, or return the seconds to wait for it. None without limits.

    *size* is that of the call's plan, counted where the limits of the key needed the numbers. The tokens of the claim
    are an estimate, which :meth:`proxy.state.limits.limiter.Limiter.end_call` corrects.

    The limits are those of the provider's account, so they are shared by all entries and all clients that use it.
    """
    if deployment.rpm is None and deployment.tpm is None:
        return None
    tokens = 0
    if deployment.tpm is not None:
        if isinstance(size, PlanSize):
            size = await count_plan(deployment, size, now, tenant, gateway)
        tokens = tokens_to_claim(size.prompt, size.size.longest_answer, size.usual, None)
    return await gateway.limiter.admit_deployment(
        account_identity_of(deployment), deployment.rpm, deployment.tpm, tokens
    )


def limited(wait_s: float) -> tuple[UpstreamFault, Row, ProviderError]:
    """Return the error, the row of the failure table and the facts of a call that must wait for *wait_s* seconds."""
    said = replace(NO_ERROR_FACTS, status=_STATUS, retry_after_s=wait_s)
    error = UpstreamFault(
        "The model is at the limit of requests or tokens per minute that the operator of the proxy has set.",
        upstream_status=_STATUS,
    )
    return error, find_row(Cause.REFUSED, said), said
