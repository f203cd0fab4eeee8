"""Holds one request to the limits of its key and of its key's team.

A request is admitted once, with its first plan. Later attempts are the same request. They only raise the reserved
money, where they may cost more than is left of it.
"""

from __future__ import annotations

from functools import partial
from math import isinf

from proxy.core.deployment import Deployment
from proxy.core.errors import ProxyError
from proxy.core.key_errors import (
    BudgetExceeded,
    LimitsUnavailable,
    RateLimited,
    RequestNeverFits,
    RequestTooDear,
    UnpricedModel,
)
from proxy.core.offload import MEDIUM, run_offloaded
from proxy.forwarding.gateway import Gateway
from proxy.forwarding.limits.plan_size import PlanSize
from proxy.forwarding.limits.request_need import most_cost, tokens_to_claim
from proxy.observability.request_record import RequestRecord
from proxy.planning.prices import Prices, find_prices
from proxy.state.limits.admission import Admission
from proxy.state.limits.claims import Need, Refusal, Unavailable
from proxy.state.limits.limit_table import KeyLimits
from sanitizers.record import record as value

_EXTRA_S = 10.0
"""Seconds after a request's deadline for which its place is held, where nobody frees it."""


@value
class CountedPlan:
    """The numbers of one plan that the limits need."""

    size: PlanSize
    prompt: int
    """The tokens of the prompt."""

    usual: int
    """The usual tokens of an answer."""

    prices: Prices | None = None
    """The prices of the deployment. None without any, and where no money is limited."""


class RequestLimits:
    """The limits of one request, whose key has the *limits*."""

    __slots__ = ("_admission", "_gateway", "_limits", "_record", "_reserved")

    def __init__(self, limits: KeyLimits, record: RequestRecord, gateway: Gateway) -> None:
        self._limits = limits
        self._record = record
        self._gateway = gateway
        self._admission: Admission | None = None
        self._reserved = 0

    async def count(self, deployment: Deployment, size: PlanSize, now: float) -> CountedPlan | None:
        """Return the numbers of a plan of *size* for *deployment*, or None where no limit needs them.

        Only keys with limits of tokens or money pay for the count. Raises :class:`UnpricedModel` for a model without a
        price, where the operator refuses such models to keys with a budget. A fallback may have a price.
        """
        limits, record, gateway = self._limits, self._record, self._gateway
        if not limits.has_budget and (not limits.counts_tokens or self._admission is not None):
            return None
        prices = find_prices(deployment) if limits.has_budget else None
        if limits.has_budget and prices is None and _refuses_unpriced(gateway):
            raise UnpricedModel(record.asked or deployment.label)
        counted = await count_plan(deployment, size, now, record.key, gateway)
        return counted if prices is None else CountedPlan(size, counted.prompt, counted.usual, prices)

    async def admit(self, counted: CountedPlan | None, now: float) -> None:
        """Admit the request, or raise what is reserved to what its next attempt may cost.

        The record gets the admission, and what is left of the limits.

        Raises :class:`RateLimited` and :class:`BudgetExceeded` for a limit that is used up. Raises
        :class:`RequestNeverFits` and :class:`RequestTooDear` for a request that no wait would help. Raises
        :class:`LimitsUnavailable` where the store is down and the operator refuses requests then.
        """
        record, gateway = self._record, self._gateway
        if self._admission is not None:
            if counted is not None:
                await self._raise(self._admission, counted)
            return
        ends_at = record.started + gateway.settings.router_settings.timeout
        need = self._need_of(counted, ends_at - now + _EXTRA_S)
        found = await gateway.limiter.admit(record.key, record.request_id, need)
        if isinstance(found, Refusal):
            raise refuse(found, record, gateway) if found.most is None else _misfit(found, need)
        if isinstance(found, Unavailable):
            raise LimitsUnavailable
        record.admission = self._admission = found
        record.standing = found.standing
        self._reserved = need.nano_usd

    def _need_of(self, counted: CountedPlan | None, lifetime_s: float) -> Need:
        if counted is None:
            return Need(0, 0, lifetime_s)
        limits, longest = self._limits, counted.size.longest_answer
        tokens = 0
        if limits.counts_tokens:
            tokens = tokens_to_claim(
                counted.prompt, longest, counted.usual, limits.largest_tokens, limits.holder_of_tokens
            )
        cost = most_cost(counted.prices, counted.size, counted.prompt, counted.usual, limits.largest_nano)
        return Need(tokens, cost, lifetime_s)

    async def _raise(self, admission: Admission, counted: CountedPlan) -> None:
        record = self._record
        charged = 0 if record.meter is None else sum(charge.nano_usd or 0 for charge in record.meter.charges)
        cost = charged + most_cost(counted.prices, counted.size, counted.prompt, counted.usual)
        if cost <= self._reserved:
            return
        refusal = await admission.raise_to(cost)
        if refusal is not None:
            raise refuse(refusal, record, self._gateway)
        self._reserved = cost


def limits_of_request(record: RequestRecord, gateway: Gateway) -> RequestLimits | None:
    """Return the limits of the request of *record*, or None where neither its key nor the key's team has any."""
    limits = gateway.limiter.limits_of(record.key)
    return None if limits is None else RequestLimits(limits, record, gateway)


async def count_plan(
    deployment: Deployment, size: PlanSize, now: float, tenant: str, gateway: Gateway
) -> CountedPlan:
    """Return the numbers of a plan of *size*, corrected by what *deployment* has counted before. Prices are left out.

    *now* is the event loop's time, and *tenant* the name of the client's key.
    """
    lessons = gateway.learned_windows.peek(deployment, now, tenant)
    if size.weight <= MEDIUM:  # as nearly every request: saves two calls
        prompt = size.count(lessons)
    else:
        prompt = await run_offloaded(size.weight, partial(size.count, lessons))
    return CountedPlan(size, prompt, gateway.output_lengths.find_usual(tenant, deployment.model))


def refuse(refusal: Refusal, record: RequestRecord, gateway: Gateway) -> ProxyError:
    """Count *refusal* and return the client's error for it. The record gets what is left of the limits."""
    record.standing = refusal.standing
    gateway.metrics.count_rate_limited(record.key, refusal.kind)
    if refusal.kind == "budget":
        wait_s = None if isinf(refusal.wait_s) else refusal.wait_s
        return BudgetExceeded(wait_s, holder=refusal.holder)
    return RateLimited(refusal.kind, refusal.wait_s, holder=refusal.holder)


def _misfit(refusal: Refusal, need: Need) -> ProxyError:
    """Return the client's error for a request that asks for more than a whole limit."""
    most = refusal.most or 0
    if refusal.kind == "budget":
        return RequestTooDear(need.nano_usd, most, holder=refusal.holder)
    return RequestNeverFits(need.tokens, most, holder=refusal.holder)


def _refuses_unpriced(gateway: Gateway) -> bool:
    return gateway.settings.general_settings.on_unpriced == "refuse"
