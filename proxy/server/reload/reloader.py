"""Carries out reloads, one at a time: reads, validates, prepares, swaps, and reports the result."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Literal

from aiohttp import web

from proxy.config import ConfigurationError, Fault, Loaded, Settings, bind_fault
from proxy.forwarding.gateway import Current, Gateway
from proxy.observability.logs import get_log
from proxy.server.app import limit_bodies
from proxy.server.first_series import start_counts
from proxy.server.reload.renew_gateway import Renewal, plan_renewal, renew_gateway
from proxy.server.reload.watch_file import FileWatch
from proxy.server.warm_up_budgets import warm_up_budgets

Trigger = Literal["signal", "file"]


class Reloader:
    """Applies new configurations while :meth:`run` runs.

    *load* reads and validates the configuration, and raises the same errors as at the start. *host* is the API's
    listening address. A configuration without keys is refused unless this address is loopback or open access is
    permitted. *watch* reports changes of the configuration's file, if there is one.
    """

    def __init__(self, load: Callable[[], Loaded], host: str, watch: FileWatch | None = None) -> None:
        self._load = load
        self._host = host
        self._watch = watch
        self._requested = asyncio.Event()
        self._trigger: Trigger = "signal"

    def request_reload(self, trigger: Trigger = "signal") -> None:
        """Request a reload. Several requests before it begins count as one. Before :meth:`run`, the request is kept."""
        self._trigger = trigger
        self._requested.set()

    async def run(self, current: Current, app: web.Application) -> None:
        """Reload on request until this coroutine is cancelled. *app* is the API, and *current* holds its gateway."""
        async with self._watching():
            while True:
                await self._requested.wait()
                self._requested.clear()
                await self._reload(current, app, self._trigger)

    @contextlib.asynccontextmanager
    async def _watching(self) -> AsyncIterator[None]:
        if self._watch is None:
            yield
            return
        loop = asyncio.get_running_loop()

        def notify() -> None:
            loop.call_soon_threadsafe(self.request_reload, "file")

        self._watch.start(notify)
        try:
            yield
        finally:
            await asyncio.to_thread(self._watch.stop)

    async def _reload(self, current: Current, app: web.Application, trigger: Trigger) -> None:
        """Load the configuration and apply it. On a fault, change nothing and report the fault."""
        running = current.gateway
        try:
            renewal, warnings = await self._prepare(running)
            current.gateway = renew_gateway(running, renewal)
            limit_bodies(app, renewal.settings)
        except ConfigurationError as error:
            _report_refused(running, trigger, error.faults)
        except Exception as error:  # noqa: BLE001 - a defect here must not end the serving process
            frames = traceback.extract_tb(error.__traceback__)
            place = f"{frames[-1].name}:{frames[-1].lineno}" if frames else "an unknown place"
            _report_refused(running, trigger, [Fault("", f"failed with {type(error).__name__} at {place}")])
        else:
            _report_applied(running, trigger, renewal, warnings)

    async def _prepare(self, running: Gateway) -> tuple[Renewal, tuple[str, ...]]:
        """Return the validated and prepared configuration, and its warnings.

        Slow steps run in a thread or are awaited, so that streams go on meanwhile.
        """
        try:
            loaded = await asyncio.to_thread(self._load)
        except OSError as error:
            raise ConfigurationError([Fault("", f"cannot be read: {error.strerror}")]) from None
        fault = bind_fault(loaded.settings.general_settings, self._host)
        if fault is not None:
            raise ConfigurationError([fault])
        renewal = await asyncio.to_thread(plan_renewal, running.settings, loaded.settings)
        await running.upstream.prepare(renewal.settings)
        await asyncio.to_thread(_warm_up, running, renewal.settings)
        return renewal, loaded.warnings


def _warm_up(running: Gateway, settings: Settings) -> None:
    start_counts(running.metrics, settings)
    warm_up_budgets(settings)


def _report_applied(running: Gateway, trigger: Trigger, renewal: Renewal, warnings: tuple[str, ...]) -> None:
    metrics, changes = running.metrics, renewal.changes
    metrics.config_reloads.labels("ok").inc()
    metrics.config_reload_success.set(1)
    metrics.config_reload_timestamp.set_to_current_time()
    doubtful = changes.needs_restart or warnings
    log = get_log().warning if doubtful else get_log().info  # for operators who log warnings only
    log(
        "config_reloaded",
        trigger=trigger,
        changed=changes.keys,
        models_added=changes.models_added,
        models_removed=changes.models_removed,
        models_changed=changes.models_changed,
        needs_restart=changes.needs_restart,
        warnings=warnings,
    )


def _report_refused(running: Gateway, trigger: Trigger, faults: Iterable[Fault]) -> None:
    running.metrics.config_reloads.labels("failed").inc()
    running.metrics.config_reload_success.set(0)
    get_log().error("config_reload_failed", trigger=trigger, faults=[str(fault) for fault in faults])
