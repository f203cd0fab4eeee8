"""Builders of failed attempts for the tests of forwarding."""

from __future__ import annotations

from typing import Any

from proxy.config.pools import resolve
from proxy.core.deployment import Deployment
from proxy.core.errors import ProxyError, UpstreamFault
from proxy.forwarding.attempt_planner import Failure
from proxy.planning.plan import Plan
from proxy.resilience.failure_table import TABLE, Kind, Row
from proxy.resilience.read_error import NO_ERROR_FACTS
from tests.support.proxied import settings_of

ROWS: dict[Kind, Row] = {row.kind: row for row in reversed(TABLE)}


def a_deployment() -> Deployment:
    """Return the only deployment of a small configuration."""
    return resolve(settings_of({"a": "openai/gpt-4o"}), "a")[0]


def failure_of(
    error: ProxyError | None = None, kind: Kind = Kind.SERVER_ERROR, **fields: Any
) -> Failure[Plan]:
    """Return a failure of *kind* in a call to the requested model."""
    given: dict[str, Any] = {"of_asked_model": True, "counted": True, **fields}
    return Failure(error or UpstreamFault("x"), ROWS[kind], NO_ERROR_FACTS, a_deployment(), None, **given)
