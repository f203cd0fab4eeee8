"""The admin listener serves health and metrics alone."""

from __future__ import annotations

import pytest

from proxy.ingress.routes.paths import LIVE, READY
from tests.support.proxied import chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

ADMIN = {"admin": {"host": "127.0.0.1", "port": 0}}


@pytest.mark.parametrize("key", [None, "tr-master"])
async def test_admin_has_health_and_metrics_and_no_api(upstream: ScriptedUpstream, key: str | None) -> None:
    """Health and metrics need no key on the admin listener."""
    general = {**ADMIN, **({} if key is None else {"master_key": key})}
    async with proxied(settings_of(general_settings=general), upstream) as proxy:
        admin = f"http://127.0.0.1:{proxy.server.admin_port}"
        statuses = {}
        for path in (*LIVE, *READY, "/metrics"):
            async with proxy.session.get(admin + path) as response:
                statuses[path] = response.status
        assert set(statuses.values()) == {200}
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        for method, path in (
            ("POST", "/v1/chat/completions"),
            ("POST", "/chat/completions"),
            ("POST", "/v1/explain"),
            ("GET", "/v1/models"),
            ("GET", "/models"),
        ):
            async with proxy.session.request(method, admin + path, json=chat(), headers=headers) as response:
                assert response.status == 404, path
        await proxy.post(chat(), headers=headers)
        async with proxy.session.get(f"{admin}/metrics") as response:
            text = await response.text()
    assert 'turnright_requests_total{model="gemini",outcome="ok",route="/v1/chat/completions"} 1.0' in text
    assert len(upstream.calls) == 1
