"""Tests of a deployment's own ``timeout``: silence is a fault, an answer that still flows is not."""

from __future__ import annotations

import pytest

from proxy.config import Settings
from tests.support.proxied import MODEL, Proxied, chat, settings_of
from tests.support.scripted_upstream import HANG, Pause, ScriptedUpstream, Step, chunk, say

FLOWING: list[Step] = [step for _ in range(100) for step in (say("x"), Pause(0.02))]
THINKING: list[Step] = [
    step for _ in range(100) for step in (chunk({"reasoning_content": "Hm."}), Pause(0.02))
]
SILENT: list[Step] = [chunk({"role": "assistant", "content": ""}), HANG]


@pytest.fixture
def settings() -> Settings:
    """Return settings with one entry, whose ``timeout`` is shorter than the router's."""
    return settings_of({MODEL: {"model": "openai/gpt-4.1", "timeout": 0.15}}, router_settings={"timeout": 5})


@pytest.mark.parametrize(
    ("steps", "kind", "state"),
    [
        (FLOWING, "overtime", 0),
        (THINKING, "overtime", 0),
        (SILENT, "first_byte_timeout", 2),
        ([HANG], "first_byte_timeout", 2),
    ],
    ids=["flowing", "thinking", "a role", "silent"],
)
async def test_only_silence_is_a_fault(
    proxy: Proxied, upstream: ScriptedUpstream, steps: list[Step], kind: str, state: int
) -> None:
    """Three answers that still flow at the timeout open no circuit.

    Three silent answers open the deployment's circuit.
    """
    for _ in range(3):
        upstream.then(*steps)
        reply = await proxy.post(chat(stream=True))
        error = reply.events[-1]["error"] if reply.status == 200 else reply.error
        assert error["code"] == "upstream_timeout"
        assert ("not complete" in error["message"]) == (kind == "overtime")

    assert await proxy.count("upstream_attempts_total", outcome=kind) == 3
    assert await proxy.count("circuit_state") == state
