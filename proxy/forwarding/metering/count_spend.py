"""Counts the spend of a request in the metrics."""

from __future__ import annotations

from proxy.observability.metrics import Metrics
from proxy.observability.metrics.limits import MASTER
from proxy.observability.request_record import RequestRecord

_NANO = 10**9


def count_spend(record: RequestRecord, metrics: Metrics) -> None:
    """Add the cost of the request of *record* to its key's spend, by model and exactness."""
    meter = record.meter
    if meter is None:
        return
    key = record.key or MASTER
    for charge in meter.charges:
        if charge.nano_usd:
            metrics.spend.labels(key, record.model, charge.exactness).inc(charge.nano_usd / _NANO)
