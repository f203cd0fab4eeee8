"""Metrics of clients' keys: the spend, the requests that limits refused, and the used share of each spend limit.

The label ``key`` is the name of a key in the file. It is ``master`` for the master key, and where no keys are
configured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from proxy.observability.metrics.labelled import counter

MASTER = "master"
"""The label of the master key, and of every request where no keys are configured."""

REFUSAL_KINDS = ("requests", "tokens", "parallel", "budget")
"""The values of the label ``kind`` of refused requests: the kinds of a refusal in :mod:`proxy.state.limits.claims`."""

EXACTNESS = ("exact", "estimated")
"""The values of the label ``exactness`` of the spend."""

_NANO = 10**9

# Each definition is a metric's name, its help text, and its labels.

_SPEND = (
    "turnright_spend_usd_total",
    "Dollars that requests cost, as this process counted them, by key and configured model. exact: by the usage that "
    "the provider reported. estimated: the provider reported none, as the client left or the stream broke off. Models "
    "without a price are not counted.",
    "key",
    "model",
    "exactness",
)

_RATE_LIMITED = (
    "turnright_rate_limited_total",
    "API requests that the limits of a key or its team refused, by kind. requests and tokens: the limit of a minute. "
    "parallel: the limit of requests at one time. budget: the spend limit.",
    "key",
    "kind",
)

_BUDGET_USED = (
    "turnright_budget_used_ratio",
    "The used share of a key's spend limit in the current period, running requests included: the larger share of the "
    "key and its team. Keys without a spend limit have no series.",
)


class BudgetUsedGauge(Collector):
    """The used share of each spend limit. The handler of ``/metrics`` sets it, since a period ends without an event."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.ratios: Mapping[str, float] = {}
        """The used share by the name of the key. The mapping is replaced, as metrics are rendered in another thread."""

        registry.register(self)

    @override
    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily(*_BUDGET_USED, labels=("key",))
        for key, ratio in self.ratios.items():
            family.add_metric((key,), ratio)
        return [family]


class LimitMetrics:
    """The metrics of clients' keys."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.spend = counter(registry, *_SPEND)
        self.rate_limited = counter(registry, *_RATE_LIMITED)
        self.budget_used = BudgetUsedGauge(registry)

    def count_spend(self, key: str, model: str, exactness: str, nano_usd: int) -> None:
        """Count *nano_usd*, in 10⁻⁹ dollars, for the key with the name *key*, which is empty for the master key.

        *model* is the label of the model that the client asked for. *exactness* is one of :data:`EXACTNESS`.
        """
        self.spend.labels(key or MASTER, model, exactness).inc(nano_usd / _NANO)

    def count_rate_limited(self, key: str, kind: str) -> None:
        """Count one request that a limit of the key with the name *key* refused. *kind* is one of `REFUSAL_KINDS`."""
        self.rate_limited.labels(key or MASTER, kind).inc()
