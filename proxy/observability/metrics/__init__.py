"""All metrics of the process, on a separate registry.

    requests   requests, tokens and times        histories  changes, violations, budgets and turns
    upstream   calls, retries and circuits       process    the process itself; loop_lag is its event loop
    store      the store outside the process     labelled   cheap look-ups of labels; series counts them
    learned    repairs made in advance, probes   gen_ai     OpenTelemetry's names
    limits     spend, refusals and limits of keys

Labels come from closed sets only: route templates, configured model names, step names and reasons, error codes. Nothing
that a client sends becomes a label. The trace id of a request may be shown as an exemplar in the OpenMetrics format.
The help texts are the reference: each text says what is counted, when, and under which name.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, disable_created_metrics

from proxy.observability.metrics.gen_ai import GenAiMetrics
from proxy.observability.metrics.histories import HistoryMetrics
from proxy.observability.metrics.learned import LearnedMetrics
from proxy.observability.metrics.limits import LimitMetrics
from proxy.observability.metrics.process import ProcessMetrics
from proxy.observability.metrics.requests import RequestMetrics
from proxy.observability.metrics.store import StoreMetrics
from proxy.observability.metrics.upstream import UpstreamMetrics

__all__ = ["UNKNOWN_MODEL", "Metrics"]

# The `_created` series would double every counter, and no dashboard of turnright reads them.
disable_created_metrics()  # type: ignore[no-untyped-call]  # prometheus_client has no annotation for it

UNKNOWN_MODEL = "unknown"
"""The model label of requests that name no configured model."""


class Metrics(
    RequestMetrics,
    UpstreamMetrics,
    HistoryMetrics,
    LearnedMetrics,
    LimitMetrics,
    StoreMetrics,
    ProcessMetrics,
):
    """The process's metrics.

    :func:`proxy.server.first_series.start_series` gives the models of a configuration their series.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        RequestMetrics.__init__(self, self.registry)
        UpstreamMetrics.__init__(self, self.registry)
        HistoryMetrics.__init__(self, self.registry)
        LearnedMetrics.__init__(self, self.registry)
        LimitMetrics.__init__(self, self.registry)
        StoreMetrics.__init__(self, self.registry)
        ProcessMetrics.__init__(self, self.registry)
        self._gen_ai: GenAiMetrics | None = None

    def gen_ai(self) -> GenAiMetrics:
        """Return OpenTelemetry's GenAI metrics. The first call registers them."""
        if self._gen_ai is None:
            self._gen_ai = GenAiMetrics(self.registry)
        return self._gen_ai
