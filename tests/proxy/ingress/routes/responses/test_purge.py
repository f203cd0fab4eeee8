"""Tests of ``DELETE /v1/sessions``."""

from __future__ import annotations

import pytest

from tests.proxy.ingress.routes.responses.asking import KEYS, PATH, ask, bearer, serving

MASTER = {"Authorization": "Bearer sk-master-0123456789"}
GENERAL = {"keys": KEYS, "master_key": "sk-master-0123456789"}


async def test_all_of_one_key_is_deleted_and_nothing_of_another() -> None:
    async with serving(general_settings=GENERAL) as (proxy, _):
        ids = {name: (await ask(proxy, client=name)).json["id"] for name in ("ann", "bob")}
        gone = await proxy.request("DELETE", "/v1/sessions?key=ann", headers=MASTER)
        left = [(await proxy.get(f"{PATH}/{ids[name]}", bearer(name))).status for name in ("ann", "bob")]
    values = gone.json.pop("values")
    assert values > 0
    assert gone.json == {"object": "sessions", "key": "ann", "deleted": True, "values": values}
    assert left == [404, 200]


async def test_without_keys_every_caller_is_the_operator() -> None:
    async with serving() as (proxy, _):
        id_ = (await ask(proxy)).json["id"]
        assert (await proxy.request("DELETE", "/v1/sessions?key=")).status == 200
        assert (await proxy.get(f"{PATH}/{id_}")).status == 404


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [("?key=ann", bearer("ann"), 403), ("", MASTER, 400)],
)
async def test_other_requests_are_refused(query: str, headers: dict[str, str], status: int) -> None:
    """A client may not purge, and a name must be given."""
    async with serving(general_settings=GENERAL) as (proxy, _):
        assert (await proxy.request("DELETE", f"/v1/sessions{query}", headers=headers)).status == status
