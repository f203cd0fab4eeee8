"""Tests of the paths of stored objects where nothing is stored."""

from __future__ import annotations

import pytest

from tests.proxy.ingress.routes.responses.asking import PATH, serving


@pytest.mark.parametrize("path", [f"{PATH}/resp_1", f"{PATH}/resp_1/input_items", "/v1/conversations/conv_1"])
async def test_stored_objects_are_not_found_where_sessions_are_off(path: str) -> None:
    """The error names the setting."""
    async with serving(sessions={"enabled": False}) as (proxy, _):
        refused = await proxy.get(path)
    assert (refused.status, "sessions.enabled" in refused.error["message"]) == (404, True)
