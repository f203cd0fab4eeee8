"""Reads the file of Prometheus' rules: the recorded series and the alerts. Holds the paths of the rule files."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.ops.promql import read_grouping, read_selectors
from tests.ops.vocabulary import Vocabulary, labels_of_metrics, values_of

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "rules.yaml"
RULES_TEST = DEPLOY / "prometheus" / "rules_test.yaml"

_LIMITS = {"container": frozenset({"turnright"}), "pod": frozenset[str](), "resource": frozenset({"memory"})}
FOREIGN: Vocabulary = {
    "up": {},
    "kube_pod_container_resource_limits": _LIMITS,
    "kube_pod_init_container_resource_limits": _LIMITS,
}
"""Series of other programs:

Prometheus' own, and kube-state-metrics' of a pod's containers (docs/metrics/workload).
"""


@functools.cache
def rules() -> Sequence[Mapping[str, Any]]:
    """Return all rules, in the file's order."""
    written = yaml.safe_load(RULES.read_bytes())
    return [rule for group in written["groups"] for rule in group["rules"]]


def alerts() -> dict[str, Mapping[str, Any]]:
    """Return the alert rules by their names."""
    return {rule["alert"]: rule for rule in rules() if "alert" in rule}


@functools.cache
def recorded() -> Vocabulary:
    """Return the recorded series, each with the labels of its rule and the values that these labels can have.

    A label comes from the metrics in the expression, or from the rule itself, as ``quantile`` does.
    """
    found: dict[str, dict[str, frozenset[str]]] = {}
    for rule in rules():
        if "record" not in rule:
            continue
        labels = found.setdefault(rule["record"], {})
        names = [selector.metric for selector in read_selectors(rule["expr"])]
        for label in read_grouping(rule["expr"]) - {"le"}:
            values = [_values_of(name, label, {**found, **FOREIGN}) for name in names]
            labels[label] = labels.get(label, frozenset()).union(*values)
        for name in names:
            if name in found and not read_grouping(rule["expr"]):
                labels.update(found[name])
        for label, value in rule.get("labels", {}).items():
            labels[label] = labels.get(label, frozenset()) | {value}
    return found


def _values_of(name: str, label: str, known: Vocabulary) -> frozenset[str]:
    if name in known:
        return known[name].get(label, frozenset())
    return values_of(name, label) if name in labels_of_metrics() else frozenset()
