"""Tests of what all chat formats share: the turn guard, and the facts of the record."""

from __future__ import annotations

import pytest

from tests.proxy.ingress.routes.responses.asking import MODEL
from tests.support.builders import user
from tests.support.proxied import CHAT, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, {"messages": [user("Hi.")]}),
        ("/v1/responses", {"input": "Hi."}),
    ],
)
async def test_every_chat_format_has_a_turn_guard_and_headers(path: str, body: dict[str, object]) -> None:
    """The answer names the rounds of tool calls, the deployment and the attempts."""
    async with proxied(settings_of({MODEL: "openai/gpt-4.1"}), ScriptedUpstream()) as proxy:
        reply = await proxy.post({"model": MODEL, **body}, path, {"x-turnright-max-rounds": "3"})
    assert reply.headers["x-turnright-rounds"] == "0/3"
    assert reply.headers["x-turnright-model"] == "openai/gpt-4.1"
    assert reply.headers["x-turnright-attempts"] == "1"
