"""The charges of one request: what each of its attempts used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from proxy.core.charge import Charge
from proxy.core.deployment import Deployment
from proxy.observability.request_record import RequestRecord
from proxy.planning.prices import cost_of, find_prices


class RequestMeter:
    """Counts what the attempts of one request use (:class:`proxy.observability.limit_facts.RequestMeter`).

    The sum of the costs goes into ``cost_nano`` of the request's *record*.
    """

    __slots__ = ("charges", "record")

    def __init__(self, record: RequestRecord) -> None:
        self.record = record
        self.charges: list[Charge] = []

    def add(
        self,
        deployment: Deployment,
        usage: Mapping[str, Any],
        service_tier: str | None,
        exactness: Literal["exact", "estimated"] = "exact",
    ) -> None:
        """Charge an attempt at *deployment* that used *usage*, the counts of a canonical answer.

        *service_tier* is the tier that the answer names.
        """
        prices = find_prices(deployment)
        nano: int | None = None
        if prices is not None:
            nano = cost_of(prices, usage, service_tier)
            record = self.record
            record.cost_nano = nano if record.cost_nano is None else record.cost_nano + nano
        answered = usage["completion_tokens"] if "completion_tokens" in usage else 0  # noqa: SIM401 - saves a call
        self.charges.append(Charge(deployment, nano, usage["prompt_tokens"], answered, exactness))
