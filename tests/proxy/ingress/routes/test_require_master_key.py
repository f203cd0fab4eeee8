"""Tests of paths that only the operator may use."""

from __future__ import annotations

import pytest

from tests.proxy.ingress.routes.responses.asking import KEYS, bearer, serving

MASTER = "sk-master-0123456789"


@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/learned"), ("DELETE", "/v1/sessions?key=ann")])
async def test_client_is_refused_and_the_operator_is_not(method: str, path: str) -> None:
    async with serving(general_settings={"keys": KEYS, "master_key": MASTER}) as (proxy, _):
        refused = await proxy.request(method, path, headers=bearer("ann"))
        passed = await proxy.request(method, path, headers={"Authorization": f"Bearer {MASTER}"})
    assert (refused.status, refused.error["code"], passed.status) == (403, "forbidden", 200)
