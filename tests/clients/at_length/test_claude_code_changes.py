"""Tests the real Claude Code while the gateway restarts, and while other models answer than it knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proxy.emulator.signatures import sign_call
from tests.clients.at_length.claude_code import ClaudeCode
from tests.clients.at_length.claude_code_cases import (
    APPEND,
    PROMPT,
    THOUGHT,
    WRITE,
    call,
    check_answers,
    signatures_in,
)
from tests.clients.messages.cases import (
    CLAUDE,
    GEMINI,
    GEMINI_AS_CLAUDE,
    GPT,
    OLD_CLAUDE,
    SMALL_CLAUDE,
)
from tests.clients.messages.gateways import Gateways
from tests.clients.rounds import LAST_WORDS


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("model", [GEMINI, GPT, CLAUDE])
def test_a_restart_in_between(messages_gateways: Gateways, tmp_path: Path, model: str, is_kept: bool) -> None:
    """The session goes on at a new process, with a store that was kept, or without one by the envelopes."""
    gateways = messages_gateways
    stores = [tmp_path / "kept.db"] * 2 if is_kept else [tmp_path / "one.db", tmp_path / "other.db"]
    gateways.queue(model, [THOUGHT, call("Bash", WRITE)], LAST_WORDS)
    gateways.queue(model, [THOUGHT, call("Bash", APPEND)], "Still there.")
    claude = ClaudeCode(tmp_path, gateways.origin, model)

    with gateways.serving(store={"url": f"sqlite:///{stores[0]}"}):
        ended = claude.run(PROMPT)
    with gateways.serving(store={"url": f"sqlite:///{stores[1]}"}):
        again = claude.run("Go on.")

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (again.status, again.result) == (0, "Still there."), again
    bodies = gateways.accepted(model)
    assert "real-42" in json.dumps(bodies[2])
    if model == GEMINI:
        issued = [sign_call("Bash", WRITE, 0), sign_call("Bash", APPEND, 1)]
        assert [signatures_in(body) for body in bodies] == [[], issued[:1], issued[:1], issued]


@pytest.mark.parametrize(
    "models", [(GEMINI, CLAUDE), (CLAUDE, GEMINI), (GPT, GEMINI), (GEMINI_AS_CLAUDE, CLAUDE)]
)
def test_a_switch_of_the_model_in_between(
    messages_gateways: Gateways, tmp_path: Path, models: tuple[str, str]
) -> None:
    """The other model gets the whole history, and no signature that it has not made."""
    gateways = messages_gateways
    first, second = models
    gateways.queue(first, [THOUGHT, call("Bash", WRITE)], LAST_WORDS)
    gateways.queue(second, [THOUGHT, call("Bash", APPEND)], "Switched.")
    gateways.begin()
    claude = ClaudeCode(tmp_path, gateways.origin, first)

    ended = claude.run(PROMPT)
    again = claude.run("Go on.", second)

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (again.status, again.result) == (0, "Switched."), again
    assert (claude.work / "note.txt").read_text() == "real-42\nmore-53\n"
    bodies = gateways.accepted(second)
    assert "real-42" in json.dumps(bodies[-1])
    assert "more-53" in json.dumps(bodies[-1])


@pytest.mark.parametrize("fails_first", [True, False])
@pytest.mark.parametrize(
    "names", [(GEMINI, CLAUDE), (CLAUDE, GEMINI), (OLD_CLAUDE, GEMINI), (GPT, OLD_CLAUDE)]
)
def test_a_fallback_in_between(
    messages_gateways: Gateways, tmp_path: Path, names: tuple[str, str], fails_first: bool
) -> None:
    """Another provider answers one request of a turn, by the name that was asked for.

    Claude Code keeps the thoughts of that answer, and no provider gets one that it has not made.
    """
    gateways = messages_gateways
    asked, other = names
    again = {"command": "echo last-$((60 + 4)) >> note.txt; cat note.txt", "description": "Again"}
    settings = {"num_retries": 0, "cooldown_time": 0, "fallbacks": [{asked: [other]}]}
    first, second = ([THOUGHT, call("Bash", given)] for given in (WRITE, APPEND))
    if not fails_first:
        if gateways.in_a_thread(asked) is None:
            gateways.fail(asked, {})  # lets one request pass
        gateways.queue(asked, first)
    gateways.fail(asked, {"status": 503, "message": "The model is overloaded."})
    gateways.queue(other, first if fails_first else second)
    if fails_first:
        gateways.queue(asked, second)
    gateways.queue(asked, [THOUGHT, call("Bash", again)], LAST_WORDS)
    with gateways.serving(router_settings=settings):
        claude = ClaudeCode(tmp_path, gateways.origin, asked)
        ended = claude.run(PROMPT)

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (claude.work / "note.txt").read_text() == "real-42\nmore-53\nlast-64\n"
    assert [exchange.status for exchange in gateways.exchanges] == [200] * 4
    assert len(gateways.accepted(other)) == 1
    assert gateways.refusals(asked) == []
    assert "last-64" in json.dumps(gateways.last_body(asked))


@pytest.mark.parametrize(
    ("name", "served"),
    [
        (CLAUDE, OLD_CLAUDE),
        (CLAUDE, SMALL_CLAUDE),
        (OLD_CLAUDE, CLAUDE),
        (GEMINI, CLAUDE),
        ("mine", OLD_CLAUDE),
    ],
)
def test_another_claude_by_the_name(
    messages_gateways: Gateways, tmp_path: Path, name: str, served: str
) -> None:
    """Requests of Claude Code suit the model behind the name, and each is answered at once."""
    gateways = messages_gateways
    given = {
        "model": f"anthropic/{served}",
        "api_key": "emulated",
        "api_base": gateways.anthropic.base_url,
    }
    blocks = [THOUGHT, {"type": "text", "text": "Let me write."}, THOUGHT]
    gateways.queue(
        served, [*blocks, call("Bash", WRITE)], [THOUGHT, call("Bash", APPEND)], LAST_WORDS, "Yes."
    )
    with gateways.serving(model_list=[{"model_name": name, "litellm_params": given}]):
        claude = ClaudeCode(tmp_path, gateways.origin, name)
        ended, again = claude.run(PROMPT), claude.run("Still there?")

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (again.status, again.result) == (0, "Yes."), again
    assert (claude.work / "note.txt").read_text() == "real-42\nmore-53\n"
    check_answers(gateways, served, 200, 200, 200, 200)
    if served != SMALL_CLAUDE:  # it refuses a field once
        assert len(gateways.accepted(served)) == 4
    turns = [turn for turn in gateways.last_body(served)["messages"] if turn["role"] == "assistant"]
    kinds = [block["type"] for block in turns[0]["content"]]
    assert kinds == ["thinking", "text", "thinking", "tool_use"]
