"""Runs turnright in this process, on a real socket in front of the strict provider."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import orjson

from benchmarks.learned.conversations import MODEL
from benchmarks.learned.provider import Provider
from benchmarks.learned.target_faults import ROUTES
from proxy.config import load_settings
from proxy.observability.logs import configure_logs
from proxy.state.repairs.learned_repairs import LearnedRepairs
from proxy.upstream.select_transport import SelectingUpstream
from tests.support.proxied import Proxied, proxied


def config_for(provider: Provider, route: str, learn: str = "true", **sections: Any) -> dict[str, Any]:
    """Return a configuration with one model at *provider*, and with *sections*. Failed calls are not retried.

    The parameters ``litellm_params`` in *sections* are added to those of the model.
    """
    target = ROUTES[route]
    parameters = {
        "model": target["model"],
        "api_key": "scripted",
        "api_base": provider.base(route),
        **sections.pop("litellm_params", {}),
    }
    router = {"num_retries": 0, "learn": learn, **sections.pop("router_settings", {})}
    general = {"drain_delay": 0, "drain_grace": 1, **sections.pop("general_settings", {})}
    entry = {"model_name": MODEL, "transport": target["transport"], "litellm_params": parameters}
    models = {"model_list": [entry]}
    return {**models, "router_settings": router, "general_settings": general, **sections}


@asynccontextmanager
async def serving(
    config: Mapping[str, Any], clock: Callable[[], float] | None = None, log: io.StringIO | None = None
) -> AsyncIterator[Proxied]:
    """Serve *config* while the context lasts. *clock* is the clock of the evidence, and *log* takes the log."""
    configure_logs(log or io.StringIO())
    settings = load_settings(orjson.dumps(dict(config)), {}).settings
    with ExitStack() as stack:
        if clock is not None:
            make = partial(_with_clock, clock)
            stack.enter_context(patch("proxy.server.app.LearnedRepairs", make))
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as gateway:
            yield gateway


def _with_clock(clock: Callable[[], float], _: object, *rest: Any, **named: Any) -> LearnedRepairs:
    return LearnedRepairs(clock, *rest, **named)
