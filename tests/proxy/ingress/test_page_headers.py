"""Tests that the inspector's files and answers have the page's security headers."""

from __future__ import annotations

import pytest

from proxy.ingress.page_headers import POLICY
from tests.support.proxied import proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

MASTER = "tr-master-17"


@pytest.mark.parametrize(
    ("path", "key", "status", "cached"),
    [
        ("/ui", "", 200, "no-cache"),
        ("/ui/app.js", "", 200, "no-cache"),
        ("/ui/none.js", "", 404, "no-store"),
        ("/ui/api/models", MASTER, 200, "no-store"),
        ("/ui/api/models", "", 401, "no-store"),
        ("/ui/api/models", "wrong", 401, "no-store"),
        ("/ui/api/none", MASTER, 404, "no-store"),
        ("/v1/models", MASTER, 200, None),
    ],
)
async def test_answers_below_ui_have_the_policy_and_only_files_may_be_cached(
    upstream: ScriptedUpstream, path: str, key: str, status: int, cached: str | None
) -> None:
    """The inspector's errors have the headers as well, since an error may hold data."""
    async with proxied(settings_of(general_settings={"master_key": MASTER}), upstream) as proxy:
        reply = await proxy.get(path, {"Authorization": f"Bearer {key}"} if key else {})

    found = {
        name: reply.headers.get(name)
        for name in (
            "Content-Security-Policy",
            "X-Content-Type-Options",
            "Referrer-Policy",
            "X-Frame-Options",
        )
    }
    assert (reply.status, reply.headers.get("Cache-Control")) == (status, cached)
    assert list(found.values()) == (
        [None] * 4 if cached is None else [POLICY, "nosniff", "no-referrer", "DENY"]
    )
