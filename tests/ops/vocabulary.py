"""Lists the process's metrics, their labels, and the values that a label can have, for tests of queries.

Names and labels come from a real scrape. Values come from the code's enumerations, since a scrape shows only some of
the values. Where the code has no enumeration, the scraped values count.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from proxy.core.errors import (
    AuthenticationFailed,
    InternalFault,
    InvalidRequest,
    ProxyError,
    TooMuchWork,
    UpstreamFault,
)
from proxy.ingress.routes.paths import api_routes
from proxy.observability.metrics import UNKNOWN_MODEL, Metrics
from proxy.observability.metrics.limits import EXACTNESS, REFUSAL_KINDS
from proxy.observability.request_record import CLIENT_DISCONNECTED, CUT_OFF
from proxy.resilience.client_error import set_client_error
from proxy.resilience.failure_table import TABLE, Kind
from sanitizers.invariants import RULES
from sanitizers.turns import EVENTS
from tests.ops.driving import scrape_of_driven
from tests.ops.promql import Matcher, Selector

Vocabulary: TypeAlias = Mapping[str, Mapping[str, frozenset[str]]]
"""The names of series, their labels, and the values of each label."""

TARGET_LABELS = frozenset({"namespace", "pod", "job", "instance"})
"""The labels that Prometheus adds to every series of a target. The first two exist in Kubernetes only."""

FREE = TARGET_LABELS | {"key", "version"}
"""Labels whose values these tests cannot know."""


def _codes(base: type[ProxyError]) -> Iterator[str]:
    yield base.code
    for error in base.__subclasses__():
        yield from _codes(error)


def _told(kind: Kind) -> str:
    """Return the code that a client gets for a provider's failure."""
    fault = UpstreamFault("")
    set_client_error(fault, next(row for row in TABLE if row.kind is kind), None)
    return fault.code


_CLIENTS_OWN = {Kind.CONTEXT_OVERFLOW, Kind.CONTENT_FILTER}
"""Failures of the provider that only the client's own content causes."""

NOT_FAILED = frozenset(
    {
        *_codes(InvalidRequest),
        *_codes(TooMuchWork),
        *_codes(AuthenticationFailed),
        CLIENT_DISCONNECTED,
        *map(_told, _CLIENTS_OWN),
    }
)
"""Outcomes of failed requests that the client causes."""

OUTCOMES = frozenset({"ok", CLIENT_DISCONNECTED, *_codes(ProxyError), *map(_told, Kind)})
FAILED = OUTCOMES - NOT_FAILED - {"ok"}
"""Outcomes of failed requests that the provider or turnright causes."""

_KINDS = frozenset(kind.value for kind in Kind)
_VALUES: Mapping[tuple[str, str], frozenset[str]] = {
    ("turnright_requests_total", "outcome"): OUTCOMES,
    ("turnright_upstream_attempts_total", "outcome"): _KINDS | {"ok", "cancelled", InternalFault.code},
    ("turnright_retries_total", "reason"): _KINDS,
    ("turnright_fallbacks_total", "reason"): _KINDS,
    ("turnright_streams_interrupted_total", "reason"): _KINDS | {InternalFault.code, CUT_OFF},
    ("turnright_violations_sent_total", "rule"): frozenset(RULES),
    ("turnright_turn_events_total", "event"): frozenset(EVENTS),
    ("turnright_rate_limited_total", "kind"): frozenset(REFUSAL_KINDS),
    ("turnright_spend_usd_total", "exactness"): frozenset(EXACTNESS),
}


@functools.cache
def labels_of_metrics() -> Vocabulary:
    """Return each sample's name with its labels, and the values that were seen.

    No known history increases the metric of violations, since the repair leaves every history legal. So the labels of
    that metric come from the code.
    """
    never = Metrics()
    never.violations.labels("no_turn")
    texts = (scrape_of_driven(), generate_latest(never.registry).decode())
    seen: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for text in texts:
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                values = seen[sample.name]
                for label, value in sample.labels.items():
                    values[label].add(value)
    return {name: {label: frozenset(values) for label, values in of.items()} for name, of in seen.items()}


def find_faults(
    selectors: Iterable[Selector], recorded: Vocabulary, *, free: frozenset[str] = FREE
) -> list[str]:
    """Return a fault for each name in *selectors* that does not exist. *recorded* are the series that rules make.

    The values of *free* labels are not checked. The value of a label ``model`` may be the word for unknown models,
    ``.*``, or a pattern that fits ``openai/*``.
    """
    metrics = labels_of_metrics()
    faults = []
    for selector in selectors:
        name = selector.metric
        labels = recorded[name] if name in recorded else metrics.get(name)
        if labels is None:
            faults.append(f"no metric {name}")
            continue
        for matcher in selector.matchers:
            if matcher.label not in labels.keys() | TARGET_LABELS:
                faults.append(f"no label {matcher.label} on {name}")
            elif matcher.label not in free:
                values = labels[matcher.label] if name in recorded else values_of(name, matcher.label)
                faults += [
                    f"{name} has no {matcher.label} {value}"
                    for value in matcher.alternatives
                    if not _is_known(matcher, value, values)
                ]
    return faults


def values_of(metric: str, label: str) -> frozenset[str]:
    """Return the values that a label of a metric can have."""
    if label == "route":
        return frozenset(api_routes())
    return _VALUES.get((metric, label)) or labels_of_metrics()[metric].get(label, frozenset())


def _is_known(matcher: Matcher, alternative: str, values: frozenset[str]) -> bool:
    match matcher.label:
        case "le":
            return float(alternative) in {float(value) for value in values}
        case "model":
            return alternative in (UNKNOWN_MODEL, ".*") or matcher.fits(alternative, "openai/*")
        case _:
            return any(matcher.fits(alternative, value) for value in values)
