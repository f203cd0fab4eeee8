"""Tests that ``truncation: auto`` lets a history be cut where the operator's budget never cuts, on a real socket."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.behaviours.test_provider_objects import PATH, ask, serving

LONG: list[dict[str, Any]] = [
    {"role": role, "content": f"{turn} " + "word " * 400}
    for turn in range(8)
    for role in ("user", "assistant")
]
GIVEN = [*LONG, {"role": "user", "content": "And now?"}]
SMALL = {"model_info": {"max_input_tokens": 2_000}}


@pytest.mark.parametrize("kind", ["native", "chat"])
@pytest.mark.parametrize(
    ("budget", "truncation", "is_cut"),
    [("off", None, False), ("off", "disabled", False), ("off", "auto", True), ("balanced", None, True)],
)
async def test_client_may_allow_cuts_that_the_budget_does_not_make(
    budget: str, truncation: str | None, is_cut: bool, kind: str
) -> None:
    """Without leave the budget decides alone."""
    fields = {} if truncation is None else {"truncation": truncation}
    async with serving((kind, SMALL), budget={"preset": budget}) as (proxy, provider):
        reply = await ask(proxy, kind, input=GIVEN, **fields)

    assert reply.status == 200, reply.raw
    sent = provider.asked
    messages = sent["input"] if kind == "native" else sent["messages"]
    assert (len(messages) < len(GIVEN)) is is_cut
    assert messages[-1]["content"].endswith("And now?")
    assert ("budget" in reply.headers.get("x-turnright-changes", "")) is is_cut


async def test_dry_run_shows_the_cuts() -> None:
    given = {"model": "chat", "input": GIVEN, "truncation": "auto"}
    async with serving(("chat", SMALL), budget={"preset": "off"}) as (proxy, _):
        shown = (await proxy.post(given, "/v1/explain?format=openai_responses")).json
        counted = await proxy.post(given, f"{PATH}/input_tokens")

    assert counted.status == 200, counted.raw
    assert "budget" in {change["step"] for change in shown["changes"]}


async def test_compaction_by_the_provider_is_reported_as_dropped() -> None:
    """``context_management`` has a threshold of tokens, and chats have nothing like it."""
    managed = [{"type": "compaction", "compact_threshold": 1_000}]
    async with serving(("chat", {}), ("native", {})) as (proxy, provider):
        dropped = await ask(proxy, "chat", context_management=managed)
        passed = await ask(proxy, "native", context_management=managed)
        counted = await proxy.count("dropped_parameters_total")

    assert (dropped.status, passed.status) == (200, 200)
    assert b"context_management" not in provider.bodies[0]
    assert json.loads(provider.bodies[1])["context_management"] == managed
    assert counted == 1
