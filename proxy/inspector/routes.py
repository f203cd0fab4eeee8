"""The paths below ``/ui``: the inspector's page, which needs no key, and its data, which need the API's key.

With ``general_settings.ui`` off every path answers 404. A client's key gives access to the recent requests that were
sent with that key. The master key gives access to all recent requests. Without configured keys everyone has this
access. By default pages of other sites are then refused, as on every path (:mod:`proxy.ingress.middlewares.origins`).
The text of the operator's instructions and the table of keys are shown to the master key alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web

from proxy import __version__
from proxy.config.pools import is_allowed
from proxy.core.deployment import Deployment
from proxy.core.errors import BodyNotKept, InvalidRequest, NotFound, Overloaded
from proxy.core.json_text import write_json
from proxy.forwarding.gateway import GATEWAY, RECORD, Gateway
from proxy.ingress.page_headers import GUARDED, PRIVATE
from proxy.ingress.routes.gemini_paths import GEMINI_METHODS
from proxy.ingress.routes.paths import (
    UI,
    UI_FILE,
    UI_KEYS,
    UI_LIVE,
    UI_LOOK,
    UI_MODELS,
    UI_RECENT,
    UI_RECENT_ONE,
    UI_VERDICTS,
)
from proxy.ingress.routes.require_master_key import require_master_key
from proxy.inspector.dry_runs import (
    Inspection,
    Sender,
    every_target,
    find_deployment,
    input_for,
    load_kept,
    run_for,
    unsupported_by,
    visible_pools,
)
from proxy.inspector.inspect_request import inspect_request
from proxy.inspector.key_table import describe_keys
from proxy.inspector.pages import INDEX, read_files
from proxy.inspector.read_query import with_model
from proxy.inspector.receive_query import PLACES, hold_query
from proxy.inspector.targets import MODELS
from proxy.inspector.verdicts import unreadable_row, verdict_row
from proxy.inspector.worker_thread import InspectionPlaces, run_in_worker
from proxy.observability.live_buckets import BUCKET_S, bucket_to_json
from proxy.observability.model_times import times_to_json
from proxy.observability.recent_requests import RecentRequest, RecentRequests, request_to_json
from proxy.planning.dry_run import DryRun
from proxy.planning.plan_target import profile_of
from proxy.upstream.transports import transport_of

FILES = Path(__file__).parent / "static"


def add_ui_routes(app: web.Application) -> None:
    """Add the inspector's paths. The current settings decide whether these paths answer."""
    app[PLACES] = InspectionPlaces()
    app.router.add_get(UI_MODELS, list_targets)
    app.router.add_post(UI_LOOK, inspect_one)
    app.router.add_post(UI_VERDICTS, verdicts)
    app.router.add_get(UI_RECENT, list_recent)
    app.router.add_get(UI_RECENT_ONE, show_recent)
    app.router.add_get(UI_LIVE, live)
    app.router.add_get(UI_KEYS, list_keys)
    for path in UI:
        app.router.add_get(path, page)
    app.router.add_get(UI_FILE, page)


async def page(request: web.Request) -> web.Response:
    """Answer with the page or one of its files, or with 304 where the browser has the file already."""
    if not request[GATEWAY].settings.general_settings.ui:
        raise web.HTTPNotFound
    files = await asyncio.to_thread(read_files, FILES)
    found = files.get(request.match_info.get("file", INDEX))
    if found is None:
        raise web.HTTPNotFound
    headers = {**GUARDED, "Cache-Control": "no-cache", "ETag": found.etag}
    if found.etag in request.headers.get("If-None-Match", ""):
        return web.Response(status=304, headers=headers)
    return web.Response(body=found.content, headers={**headers, "Content-Type": found.content_type})


async def list_targets(request: web.Request) -> web.Response:
    """Answer with every model and deployment that the key may use, every profile, and what the page may show."""
    gateway, recent = _open(request)
    models = [
        {"name": name, "deployments": [_describe_deployment(member, gateway) for member in pool]}
        for name, pool in visible_pools(gateway, request[RECORD].allowed).items()
    ]
    return _answer(
        {
            "models": models,
            "profiles": list(MODELS),
            "bodies": recent.keeps_bodies,
            "operator": gateway.settings.general_settings.is_operator(request[RECORD].key),
            "version": __version__,
        }
    )


async def inspect_one(request: web.Request) -> web.Response:
    """Answer with one request, shown step by step for one target."""
    gateway, recent = _open(request)
    async with hold_query(request, gateway, partial(_tenant_of, request, recent)) as asked:
        seen = _find_seen(request, recent, asked.recent)
        target, deployment = find_deployment(asked, seen, gateway, request[RECORD].allowed)
        sender = _sender_of(request, seen)
        kept = await load_kept(asked, [deployment], gateway, sender)
        unsupported = await unsupported_by(target, gateway)
        inspection = Inspection(asked, sender, kept, asyncio.get_running_loop().time())
        given = await input_for(inspection, deployment, unsupported, gateway)
        dry = partial(run_for, given, inspection, gateway)
        sent_by = None if seen is None else {"key": seen.key or None, "max_rounds": seen.max_rounds}
        is_operator = gateway.settings.general_settings.is_operator(request[RECORD].key)

        def write() -> bytes:
            named = target.as_dict()
            shown = inspect_request(asked.chat, dry(), named, compact=asked.compact, for_operator=is_operator)
            return write_json({**shown, "sent_by": sent_by})

        return _answer(await run_in_worker(write))


async def verdicts(request: web.Request) -> web.Response:
    """Answer with the verdict on one request for every deployment and every profile.

    Each verdict is a separate job in the worker thread, so that other inspections can run in between.
    """
    gateway, recent = _open(request)
    rows = []
    async with hold_query(request, gateway, partial(_tenant_of, request, recent)) as asked:
        now = asyncio.get_running_loop().time()
        sender = _sender_of(request, _find_seen(request, recent, asked.recent))
        targets = every_target(asked, gateway, request[RECORD].allowed)
        kept = await load_kept(asked, [deployment for _, deployment in targets], gateway, sender)
        inspection = Inspection(asked, sender, kept, now)
        for target, deployment in targets:
            # All verdicts together may take longer than the grace period of a shutdown.
            if gateway.lifecycle.draining:
                raise Overloaded("The proxy is shutting down.", headers={"Retry-After": "1"})
            named = target.as_dict()
            try:
                unsupported = await unsupported_by(target, gateway)
                given = await input_for(inspection, deployment, unsupported, gateway)
                dry = partial(run_for, given, inspection, gateway)
                rows.append(await run_in_worker(partial(_run_for_verdict, dry, named)))
            except InvalidRequest as error:
                rows.append(unreadable_row(named, error))
    return _answer({"rows": rows})


async def list_recent(request: web.Request) -> web.Response:
    """Answer with the recent requests, newest first."""
    _, recent = _open(request)
    offset = _clock_offset()
    count, mib = recent.bounds
    shown = [seen for seen in recent.newest_first() if _may_see(request, seen)]

    def write() -> bytes:
        requests = [request_to_json(seen, offset) for seen in shown]
        bounds = {"requests": count, "mib": mib}
        return write_json({"requests": requests, "bounds": bounds, "bodies": recent.keeps_bodies})

    return _answer(await run_in_worker(write))


async def show_recent(request: web.Request) -> web.Response:
    """Answer with one recent request and its body, where the body is kept."""
    _, recent = _open(request)
    seen = _find_seen(request, recent, request.match_info["id"])
    if seen is None:
        raise NotFound("No recent request has this id.")
    body = seen.kept.body if seen.kept is not None else None
    if body is None:
        raise BodyNotKept("The body of this request is not kept (general_settings.inspector.bodies).")
    if seen.route in GEMINI_METHODS:  # the path has named the model
        body = with_model(body, seen.asked_model or seen.model)
    written = write_json(request_to_json(seen, _clock_offset()))
    return _answer(written[:-1] + b',"request":' + body + b"}")


async def live(request: web.Request) -> web.Response:
    """Answer with the sums of the last ten minutes, in all and by model."""
    gateway, recent = _open(request)
    now, offset = asyncio.get_running_loop().time(), _clock_offset()
    buckets, allowed = recent.live(now), request[RECORD].allowed
    times = times_to_json(bucket.models for bucket in buckets)
    return _answer(
        {
            "now": round(now + offset, 3),
            "bucket_s": BUCKET_S,
            "buckets": [bucket_to_json(bucket, offset) for bucket in buckets],
            "models": [row for row in times if is_allowed(row["model"], gateway.settings, allowed)],
            "in_flight": len(gateway.lifecycle.in_flight),
            "bodies": recent.keeps_bodies,
        }
    )


async def list_keys(request: web.Request) -> web.Response:
    """Answer with the spend, the limits and what is left of each key and team. Requires the master key."""
    gateway, _ = _open(request)
    require_master_key(request)
    general, limiter = gateway.settings.general_settings, gateway.limiter
    keys, teams = await limiter.totals(), await limiter.team_totals()
    now = time.time()  # noqa: TID251 - a key expires at wall-clock time

    def write() -> bytes:
        return write_json(describe_keys(general, keys, teams, now))

    return _answer(await run_in_worker(write))


def _open(request: web.Request) -> tuple[Gateway, RecentRequests]:
    """Return the gateway and its recent requests. Raises :class:`web.HTTPNotFound` where the inspector is off."""
    gateway = request[GATEWAY]
    if gateway.recent_requests is None:
        raise web.HTTPNotFound
    return gateway, gateway.recent_requests


def _may_see(request: web.Request, seen: RecentRequest) -> bool:
    key = request[RECORD].key
    return not key or key == seen.key


def _find_seen(request: web.Request, recent: RecentRequests, wanted: str | None) -> RecentRequest | None:
    """Return the recent request with the id *wanted*, or None where the client can see no such request."""
    return next(
        (one for one in recent.newest_first() if one.request_id == wanted and _may_see(request, one)), None
    )


def _sender_of(request: web.Request, seen: RecentRequest | None) -> Sender:
    """Return the sender of the recent request *seen*, or without *seen* the client that asks."""
    return Sender(request[RECORD].key) if seen is None else Sender(seen.key, seen.max_rounds)


def _tenant_of(request: web.Request, recent: RecentRequests, wanted: str | None) -> str:
    """Return the key that sent the recent request *wanted*, or that of the client that asks."""
    return _sender_of(request, _find_seen(request, recent, wanted)).key


def _run_for_verdict(dry: Callable[[], DryRun], target: Mapping[str, Any]) -> dict[str, Any]:
    return verdict_row(dry().for_client(), target)


def _describe_deployment(deployment: Deployment, gateway: Gateway) -> dict[str, Any]:
    return {
        "position": deployment.position,
        "model": deployment.model,
        "profile": profile_of(deployment, gateway.settings.sanitize).name,
        "transport": transport_of(deployment),
    }


def _answer(values: dict[str, Any] | bytes) -> web.Response:
    body = values if isinstance(values, bytes) else write_json(values)
    return web.Response(body=body, headers=PRIVATE, content_type="application/json", charset="utf-8")


def _clock_offset() -> float:
    """Return the seconds by which the wall clock is ahead of the event loop's clock."""
    return time.time() - asyncio.get_running_loop().time()  # noqa: TID251 - what is shown is wall-clock time
