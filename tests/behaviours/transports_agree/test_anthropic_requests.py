"""Tests that both transports send Claude the same request, except for the differences in the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.behaviours.transports_agree.differences import ABSENT, Places
from tests.behaviours.transports_agree.requests import REQUESTS, SCHEMA, STREAMED
from tests.behaviours.transports_agree.sending import TRANSPORTS, sending
from tests.behaviours.transports_agree.test_requests import compared
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = [*LITELLM_NOISE, pytest.mark.usefixtures("litellm")]

OLDER, NEWER = "anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-8"

_FORMAT = {"type": "json_schema", "schema": SCHEMA}
_BY_BETA: Places = {
    # litellm asks for a schema by the field of a beta, which has come to stay as `output_config.format`.
    "headers.anthropic-beta": ("structured-outputs-2025-11-13", ABSENT),
    "body.output_format": (_FORMAT, ABSENT),
    "body.output_config": (ABSENT, {"format": _FORMAT}),
}

OF_ALL: Mapping[str, Places] = {
    "schema": _BY_BETA,
    "schema and tools": _BY_BETA,
    # A result that holds nothing has no content, as Claude Code sends it.
    "empty texts": {"body.messages[2].content[0].content": ("", ABSENT)},
}

OF_MODEL: Mapping[tuple[str, str], Places] = {
    # litellm leaves room for a short answer behind the thoughts. The model's maximum holds both.
    (OLDER, "effort"): {"body.max_tokens": (5_120, 64_000)},
    # litellm makes a later system message the user's, and nothing tells the model who speaks.
    (OLDER, "names"): {
        "body.messages[2].content[0].text": (
            "Be briefer.",
            "<system-reminder>\nBe briefer.\n</system-reminder>",
        )
    },
}


@pytest.mark.parametrize("model", [OLDER, NEWER])
async def test_claude_gets_the_same_request(model: str) -> None:
    """The address, the headers and the body are the same. litellm names the type of each tool, which is the default."""
    async with sending(model) as sender:
        settings = {transport: sender.settings_of(model, transport) for transport in TRANSPORTS}
        for name, stream in [*((name, False) for name in REQUESTS), *((name, True) for name in STREAMED)]:
            litellm, direct = [
                await sender.send(settings[transport], transport, REQUESTS[name], stream=stream)
                for transport in ("litellm", "direct")
            ]
            if (model, name) == (NEWER, "names"):
                assert direct["body"]["messages"][-1]["role"] == "system"  # litellm makes it the user's
                continue
            for tool in _tools_of(litellm):
                assert tool.pop("type") == "custom"
            expected = {**OF_ALL.get(name, {}), **OF_MODEL.get((model, name), {})}
            assert compared(litellm, direct) == expected, (name, stream)


def _tools_of(arrival: Mapping[str, Any]) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = arrival.get("body", {}).get("tools", [])
    return tools
