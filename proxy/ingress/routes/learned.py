"""``GET`` and ``DELETE /v1/learned``: shows the operator the learned repairs, and forgets one of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from proxy.core.errors import InvalidRequest, NotFound
from proxy.forwarding.gateway import GATEWAY
from proxy.forwarding.json_response import json_response
from proxy.ingress.routes.require_master_key import require_master_key
from proxy.observability.logs import get_log
from proxy.state.repairs.learned_repairs import ListedRepair


async def list_learned(request: web.Request) -> web.Response:
    """Answer with the evidence for every repair, by client. Requires the master key where keys are configured."""
    gateway = request[GATEWAY]
    require_master_key(request)
    general = gateway.settings.general_settings
    tenants = ("", *(key.name for key in general.keys))
    data = [_as_dict(listed) for listed in gateway.learned_repairs.list_evidence(tenants)]
    return json_response({"object": "list", "learn": gateway.settings.router_settings.learn, "data": data})


async def forget_learned(request: web.Request) -> web.Response:
    """Forget the evidence of all clients for one repair. Answers 404 for an unknown id."""
    gateway = request[GATEWAY]
    require_master_key(request)
    id_ = request.query.get("id", "")
    if not id_:
        raise InvalidRequest("Name the repair to forget, as in '?id=1a2b3c4d5e6f'.", param="id")
    if not gateway.learned_repairs.forget(id_):
        raise NotFound("No repair with this id was learned.", param="id")
    get_log().info("repair_forgotten", id=id_)
    return json_response({"id": id_, "object": "learned_repair", "deleted": True})


def _as_dict(listed: ListedRepair) -> dict[str, Any]:
    standing, key = listed.standing, listed.key
    since = datetime.fromtimestamp(standing.since, UTC)
    return {
        "id": listed.id,
        "model": listed.label,
        "fault": key.fault,
        "feature": key.feature,
        "confidence": round(standing.confidence, 2),
        "confirmed": round(standing.confirmed, 1),
        "contradicted": round(standing.contradicted, 1),
        "since": since.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "learned": listed.is_learned,
        "client": listed.client,
    }
