"""Tests of dry runs of histories with a memory: their plans, and their description."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.describe_dry_run import describe_dry_run
from proxy.planning.dry_run import DryRun, DryRunInput, run_dry
from tests.proxy.inspector.looking import parse
from tests.proxy.planning.budgets.shapes import GEMINI, LOCAL, agent, facts_for
from tests.proxy.planning.compact.memories import TEXT, memory_of
from tests.proxy.planning.test_plan import target_of
from tests.support.builders import system, user

HISTORY = [*agent(20)[:12], user("Now the other test."), *agent(20)[12:]]
MEMORY = memory_of(2, 33, 12)


def dry(
    memory: AppliedMemory | None = MEMORY,
    history: list[dict[str, Any]] = HISTORY,
    *,
    mode: str = "repair",
    model: str = LOCAL,
    window: int = 200_000,
) -> DryRun:
    """Return the dry run of *history* with *memory*."""
    return run_dry(
        DryRunInput(parse(history), target_of(mode, model), facts_for(model, window), memory=memory)
    )


def test_a_memory_is_described() -> None:
    """The first and the last replaced index are those of the client. The time is in UTC."""
    described = describe_dry_run(dry())

    assert described["memory"] == {
        "replaced": [2, 32],
        "pinned": [12],
        "tokens": 1_840,
        "reflections": 3,
        "created": "2026-11-24T06:00:00Z",
        "model": "cheap",
        "text": TEXT,
    }
    assert described["verdict"] == "repaired"
    assert described["summary"] == "compaction=1"
    assert described["body"]["messages"] == [*HISTORY[:2], user(TEXT), HISTORY[12], *HISTORY[33:]]
    assert described["budget"]["memory"] == 1_840


@pytest.mark.parametrize("mode", ["observe", "strict", "off"])
def test_a_memory_that_the_mode_does_not_use_is_not_described(mode: str) -> None:
    """The dry run is the one without a memory."""
    assert describe_dry_run(dry(mode=mode)) == describe_dry_run(dry(None, mode=mode))


def test_a_memory_that_does_not_fit_is_not_described() -> None:
    """The history is planned, cut and described without the memory."""
    huge = memory_of(2, 33, text="word " * 20_000, tokens=20_000)

    assert describe_dry_run(dry(huge, window=16_000)) == describe_dry_run(dry(None, window=16_000))


def test_a_refused_request_is_described_without_its_memory() -> None:
    """The request is refused as it would be without a memory."""
    hopeless = [system("word " * 40_000), *HISTORY[1:]]

    described = describe_dry_run(dry(history=hopeless, window=16_000))
    assert described == describe_dry_run(dry(None, hopeless, window=16_000))
    assert (described["verdict"], "memory" in described) == ("refused", False)


def test_a_cut_of_a_compacted_history_is_described_with_both() -> None:
    """The changes are the memory and the cuts."""
    described = describe_dry_run(dry(history=[*HISTORY, *agent(30)[2:]], window=9_000, model=GEMINI))

    assert described["summary"].startswith("compaction=1,")
    assert "budget=" in described["summary"]
    assert user(TEXT) in described["body"]["messages"]
