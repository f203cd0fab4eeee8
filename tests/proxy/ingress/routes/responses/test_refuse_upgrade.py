"""Tests of ``GET /v1/responses``."""

from __future__ import annotations

from tests.proxy.ingress.routes.responses.asking import PATH, serving


async def test_websocket_is_refused_so_that_codex_goes_on_over_http() -> None:
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    async with serving() as (proxy, _):
        upgrade, plain = await proxy.get(PATH, headers), await proxy.get(PATH)
    assert (upgrade.status, plain.status) == (426, 405)
    assert plain.headers["Allow"] == "POST"
