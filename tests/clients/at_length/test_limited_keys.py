"""Tests that real agents wait for a limit of their key, and stop where its budget is used up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.clients.at_length.claude_code import ClaudeCode
from tests.clients.at_length.codex import Codex
from tests.clients.at_length.gemini_cli import GeminiCli
from tests.clients.limits.gateway import MODEL, LimitedGateway, key_of, use_up

PROMPT = "Say hello."
Run = Callable[[LimitedGateway, Path, str], tuple[int, str]]


def run_codex(limited: LimitedGateway, directory: Path, key: str) -> tuple[int, str]:
    """Run codex, and return its exit status and the answer."""
    ended = Codex(directory, limited.base_url, MODEL, retries=3, key=key).run(PROMPT)
    return ended.status, "".join(ended.texts)


def run_claude_code(limited: LimitedGateway, directory: Path, key: str) -> tuple[int, str]:
    """Run Claude Code, and return its exit status and the answer."""
    ended = ClaudeCode(directory, limited.origin, MODEL, key=key).run(PROMPT)
    return ended.status, "" if ended.is_error else ended.result


def run_gemini_cli(limited: LimitedGateway, directory: Path, key: str) -> tuple[int, str]:
    """Run gemini-cli, and return its exit status and the answer."""
    ended = GeminiCli(directory, limited.origin, MODEL, key=key).run(PROMPT)
    return ended.status, ended.text


AGENTS: Mapping[str, tuple[Run, int]] = {
    "codex": (run_codex, 200),
    "claude-code": (run_claude_code, 429),
    "gemini-cli": (run_gemini_cli, 429),
}
"""The agents, each with the status by which it is told to wait. codex is told so in a stream."""


@pytest.mark.parametrize("agent", AGENTS)
def test_agent_waits_for_the_limit_of_its_key(limited: LimitedGateway, tmp_path: Path, agent: str) -> None:
    """The key has no request left when the agent starts. The second request of the agent is served."""
    key = key_of(f"slow-{agent}")
    run, told = AGENTS[agent]
    use_up(limited.served, key)
    status, text = run(limited, tmp_path, key)

    assert (status, bool(text)) == (0, True)
    assert limited.statuses() == [told, 200]


@pytest.mark.parametrize("agent", AGENTS)
def test_agent_stops_where_the_budget_of_its_key_is_used_up(
    limited: LimitedGateway, tmp_path: Path, agent: str
) -> None:
    """The agent asks once, and shows the refusal to its user."""
    run, _ = AGENTS[agent]
    status, text = run(limited, tmp_path, key_of("spent"))

    assert (status != 0, text) == (True, "")
    assert limited.statuses() == [429]
