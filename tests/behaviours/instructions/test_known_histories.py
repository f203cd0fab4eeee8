"""Tests that instructions change nothing else of a request, for every reported broken history and every profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sanitizers import Profile
from sanitizers.invariants import find_violations
from sanitizers.profile_names import PROFILES
from tests.behaviours.instructions.configured import GATEWAY, ask, configured, entry, general
from tests.process.asking import function_tool
from tests.support.builders import text
from tests.support.proxied import proxied
from tests.support.scripted_upstream import ScriptedUpstream

SPACED = f"{GATEWAY}\n\n"
KNOWN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[3] / "proxy" / "conformance" / "known.json").read_text()
)


def without_text(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *messages* without the instructions, which must be at the beginning of the first message."""
    first, *rest = messages
    content = first["content"]
    if content == GATEWAY:
        return rest
    if isinstance(content, list):
        assert content[0] == text(SPACED)
        return [{**first, "content": content[1:]}, *rest]
    assert content.startswith(SPACED)
    return [{**first, "content": content.removeprefix(SPACED)}, *rest]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
async def test_a_history_is_sent_as_without_instructions_and_stays_legal(profile: Profile) -> None:
    """Apart from the text at its beginning, the history is the same. A refused one is refused with the same words."""
    model = entry("chat", "openai/gpt-4.1", None, profile=profile.name)
    with_text, without = ScriptedUpstream(), ScriptedUpstream()
    refused = 0
    async with (
        proxied(configured(model), with_text) as one,
        proxied(configured(model, general_settings=general(None)), without) as other,
    ):
        for history in KNOWN:
            tools: dict[str, Any] = {"tools": [function_tool(name) for name in history.get("tools", ())]}
            fields = tools if tools["tools"] else {}
            replies = [await ask(proxy, history["messages"], "none", **fields) for proxy in (one, other)]
            assert replies[0].status == replies[1].status
            if replies[0].status != 200:
                assert replies[0].raw == replies[1].raw
                refused += 1
                continue
            sent, plain = with_text.calls[-1], without.calls[-1]
            assert without_text([*sent.messages]) == plain.messages, history["id"]
            assert sent.profile is not None
            assert not find_violations(sent.messages, sent.profile), history["id"]
            header = replies[1].headers.get("x-turnright-changes", "")
            assert replies[0].headers["x-turnright-changes"] == ",".join(
                filter(None, ("instructions=1", header))
            )

    assert len(with_text.calls) == len(KNOWN) - refused > 0.9 * len(KNOWN)
