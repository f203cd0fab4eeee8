"""Tests of the paths that show learned repairs and forget them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.forwarding.chat.test_request_repairs import StrictUpstream, no_temperature, serving, teach
from tests.support.proxied import MODEL, Proxied, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

MASTER, CLIENT = "sk-master-0123456789", "sk-client-0123456789"
KEYS = [{"name": "ci", "key": CLIENT}]


def bearer(key: str) -> dict[str, str]:
    """Return the header with *key*."""
    return {"Authorization": f"Bearer {key}"}


async def delete(proxy: Proxied, query: str, headers: dict[str, str] | None = None) -> Any:
    """Delete a learned repair."""
    return await proxy.request("DELETE", f"/v1/learned{query}", headers=headers)


@pytest.mark.parametrize("path", ["/v1/learned", "/learned"])
async def test_repair_is_listed_with_its_evidence_until_it_is_forgotten(path: str) -> None:
    """The list has no words of errors. A forgotten repair has to be confirmed anew."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        assert (await proxy.get(path)).json == {"object": "list", "learn": "true", "data": []}
        await teach(proxy, upstream, range(4))
        [row] = (await proxy.get(path)).json["data"]
        assert row.pop("since").endswith("Z")
        id_ = row.pop("id")
        assert row == {
            "model": MODEL,
            "fault": "parameter",
            "feature": "temperature",
            "confidence": 0.71,
            "confirmed": 4.0,
            "contradicted": 0.0,
            "learned": True,
            "client": "",
        }
        assert await proxy.count("learned_repairs", model=MODEL, fault="parameter") == 1
        gone = await delete(proxy, f"?id={id_}")
        assert gone.json == {"id": id_, "object": "learned_repair", "deleted": True}
        assert (await proxy.get(path)).json["data"] == []
        assert await proxy.count("learned_repairs", model=MODEL) == 0
        await teach(proxy, upstream, range(4, 8))


async def test_unknown_and_missing_ids_are_refused() -> None:
    """An unknown id is a 404 and a missing one a 400."""
    async with proxied(settings_of(), ScriptedUpstream()) as proxy:
        assert (await delete(proxy, "?id=ffffffffffff")).status == 404
        assert (await delete(proxy, "")).status == 400


@pytest.mark.parametrize(
    ("general", "key", "status"),
    [
        ({"master_key": MASTER, "keys": KEYS}, MASTER, 200),
        ({"master_key": MASTER, "keys": KEYS}, CLIENT, 403),
        ({"keys": KEYS}, CLIENT, 403),
        ({"master_key": MASTER}, "", 401),
    ],
)
async def test_only_the_master_key_sees_and_forgets(general: Any, key: str, status: int) -> None:
    """A client's key sees nothing of other clients."""
    async with proxied(settings_of(general_settings=general), ScriptedUpstream()) as proxy:
        headers = bearer(key) if key else None
        assert (await proxy.get("/v1/learned", headers)).status == status
        assert (await delete(proxy, "?id=ffffffffffff", headers)).status == (404 if status == 200 else status)
