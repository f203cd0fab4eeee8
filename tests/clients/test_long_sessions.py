"""Tests a long session of a real agent with compaction, over two processes that share a store."""

from __future__ import annotations

from pathlib import Path

from benchmarks.compaction.agent import LEAST_COMPACTIONS, ROUNDS, run


async def test_an_agent_of_60_rounds_finishes_and_the_strict_emulator_refuses_nothing(tmp_path: Path) -> None:
    """The agent's requests go to the processes in turn. Each memory that one wrote, the other one sends."""
    result = await run(tmp_path)

    assert result.violations == []
    assert result.requests == ROUNDS + 1
    assert len(result.memories) >= LEAST_COMPACTIONS
