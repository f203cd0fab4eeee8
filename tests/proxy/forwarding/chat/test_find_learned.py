"""Tests of the learned repairs that an explanation shows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.forwarding.chat.test_request_repairs import StrictUpstream, no_temperature, serving, teach
from tests.support.builders import user
from tests.support.proxied import MODEL, Proxied


async def explained(proxy: Proxied, **fields: Any) -> Any:
    """Return the explanation of a request."""
    reply = await proxy.post({"model": MODEL, "messages": [user("x")], **fields}, "/v1/explain")
    assert reply.status == 200, reply.raw
    return reply.json


async def test_explanation_shows_what_is_made_in_advance_and_teaches_nothing() -> None:
    """It says since when and how sure. Explaining a hundred times neither counts as requests nor probes."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream) as proxy:
        assert "learned" not in await explained(proxy, temperature=0.5)
        await teach(proxy, upstream, range(4))
        for _ in range(99):
            await explained(proxy, temperature=0.5)
        said = await explained(proxy, temperature=0.5)
        assert said["summary"] == "repair=1;learned"
        assert said["verdict"] == "repaired"
        assert "temperature" not in said["body"]
        [shown] = said["learned"]
        assert shown.pop("since").endswith("Z")
        [listed] = (await proxy.get("/v1/learned")).json["data"]
        assert shown == {
            "id": listed["id"],
            "fault": "parameter",
            "feature": "temperature",
            "confidence": 0.71,
            "confirmed": 4.0,
            "contradicted": 0.0,
            "scope": "deployment",
        }
        assert "learned" not in await explained(proxy)


@pytest.mark.parametrize("learn", ["observe", "false"])
async def test_explanation_shows_nothing_that_is_not_made(learn: str) -> None:
    """Under ``observe`` and ``false`` nothing is made in advance."""
    upstream = StrictUpstream(no_temperature)
    async with serving(upstream, learn) as proxy:
        await teach(proxy, upstream, range(4))
        assert "learned" not in await explained(proxy, temperature=0.5)
