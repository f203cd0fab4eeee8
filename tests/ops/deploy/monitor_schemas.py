"""JSON schemas of the Prometheus operator's two resources, with the fields that ``deploy/`` uses.

The schemas of Kubernetes do not cover these resources. The fields come from the operator's API reference
(monitoring.coreos.com/v1). A schema refuses any other field: look it up there before you add it.
"""

from __future__ import annotations

from typing import Any


def _closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_DURATION = {"type": "string", "pattern": "^[0-9]+(ms|s|m|h)$"}
_LABELS = {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}
_SELECTOR = _closed({"matchLabels": _LABELS}, "matchLabels")
_ENDPOINTS = {
    "type": "array",
    "minItems": 1,
    "items": _closed(
        {
            "port": {"type": "string"},
            "path": {"type": "string"},
            "interval": _DURATION,
            "scrapeTimeout": _DURATION,
        },
        "port",
    ),
}
_METADATA = _closed({"name": {"type": "string"}, "namespace": {"type": "string"}, "labels": _LABELS}, "name")


def _monitor(kind: str, endpoints: str) -> dict[str, Any]:
    return _closed(
        {
            "apiVersion": {"const": "monitoring.coreos.com/v1"},
            "kind": {"const": kind},
            "metadata": _METADATA,
            "spec": _closed({"selector": _SELECTOR, endpoints: _ENDPOINTS}, "selector", endpoints),
        },
        "apiVersion",
        "kind",
        "metadata",
        "spec",
    )


MONITOR_SCHEMAS = {
    "PodMonitor": _monitor("PodMonitor", "podMetricsEndpoints"),
    "ServiceMonitor": _monitor("ServiceMonitor", "endpoints"),
}
"""Maps each of the two kinds of resources to its JSON schema."""
