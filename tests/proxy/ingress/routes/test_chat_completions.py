"""All paths that take a chat request read the body in the same way."""

from __future__ import annotations

import pytest

from tests.support.builders import user
from tests.support.proxied import CHAT, MODEL, Proxied


@pytest.mark.parametrize("path", [CHAT, "/chat/completions", "/v1/explain", "/explain"])
async def test_paths_with_and_without_v1_find_the_same_faults(proxy: Proxied, path: str) -> None:
    """Chats and dry runs get the same error for a faulty message."""
    reply = await proxy.post({"model": MODEL, "messages": [user(5)]}, path)

    assert (reply.status, reply.error["param"]) == (400, "messages[0].content")
