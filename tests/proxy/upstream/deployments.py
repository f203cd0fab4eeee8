"""Deployments that are resolved from a configuration, and timeouts that tests do not reach."""

from __future__ import annotations

from typing import Any

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.core.upstream_call import Timeouts
from tests.support.proxied import settings_of

LIMITS = Timeouts(1, 1, 1, 1)


def deployment_of(model: str, **params: Any) -> Deployment:
    """Return a deployment of *model* with these ``litellm_params``."""
    [deployment] = resolve(settings_of({"m": {"model": model, **params}}), "m")
    return deployment
