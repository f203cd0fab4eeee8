"""Tests the real gemini-cli while its session is resumed, the gateway restarts, and other models answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from proxy.emulator.signatures import DUMMIES, sign_call
from tests.clients.at_length.claude_code_cases import signatures_in
from tests.clients.at_length.gemini_cli import GeminiCli
from tests.clients.at_length.gemini_cli_cases import (
    AGAIN,
    APPEND,
    PROMPT,
    SHELL,
    THOUGHT,
    WRITE,
    call,
    results_by_call,
)
from tests.clients.at_length.gemini_session import holding
from tests.clients.gemini.cases import CLAUDE, CLAUDES, FLASH, GPT, OLD_CLAUDE, check_answers
from tests.clients.gemini.gateways import Gateways
from tests.clients.rounds import LAST_WORDS


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("model", [FLASH, GPT, CLAUDE, OLD_CLAUDE])
def test_a_resumed_session(gemini_gateways: Gateways, tmp_path: Path, model: str, is_kept: bool) -> None:
    """gemini-cli 0.61 sends each earlier result twice, and a stand-in for each signature.

    Each provider gets a result once. The gateway is a new process then, with a store that was kept, or without one.
    """
    gateways = gemini_gateways
    stores = [tmp_path / "kept.db"] * 2 if is_kept else [tmp_path / "one.db", tmp_path / "other.db"]
    gateways.queue(model, [THOUGHT, call(SHELL, WRITE)], LAST_WORDS)
    gateways.queue(model, [THOUGHT, call(SHELL, APPEND)], "Still there.")
    cli = GeminiCli(tmp_path, gateways.origin, model)

    with gateways.serving(store={"url": f"sqlite:///{stores[0]}"}):
        ended = cli.run(PROMPT)
    with gateways.serving(store={"url": f"sqlite:///{stores[1]}"}):
        again = cli.run("Go on.")
        check_answers(gateways.exchanges, model, 200, 200)

    assert (ended.status, ended.text) == (0, LAST_WORDS), ended
    assert (again.status, again.text) == (0, "Still there."), again
    assert (cli.work / "note.txt").read_text() == "real-42\nmore-53\n"
    bodies = gateways.accepted(model)
    assert [len(results_by_call(body)) for body in bodies] == [0, 1, 1, 2]
    assert "real-42" in json.dumps(results_by_call(bodies[2])[0])


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("model", [FLASH, GPT, CLAUDE, OLD_CLAUDE])
def test_a_restart_in_between(gemini_gateways: Gateways, tmp_path: Path, model: str, is_kept: bool) -> None:
    """The session goes on at a new process, with a store that was kept, or without one by the envelopes."""
    gateways = gemini_gateways
    stores = [tmp_path / "kept.db"] * 2 if is_kept else [tmp_path / "one.db", tmp_path / "other.db"]
    gateways.queue(model, [THOUGHT, call(SHELL, WRITE)], LAST_WORDS)
    gateways.queue(model, [THOUGHT, call(SHELL, APPEND)], "Still there.")
    cli = GeminiCli(tmp_path, gateways.origin, model)

    with holding(cli) as session:
        with gateways.serving(store={"url": f"sqlite:///{stores[0]}"}):
            first = session.prompt(PROMPT)
        with gateways.serving(store={"url": f"sqlite:///{stores[1]}"}):
            second = session.prompt("Go on.")

    assert (first, second) == (LAST_WORDS, "Still there.")
    assert (cli.work / "note.txt").read_text() == "real-42\nmore-53\n"
    bodies = gateways.accepted(model)
    assert "real-42" in json.dumps(results_by_call(bodies[2])[0])
    if model == FLASH:
        issued = [sign_call(SHELL, WRITE, 0), sign_call(SHELL, APPEND, 1)]
        assert [signatures_in(body) for body in bodies] == [[], issued[:1], issued[:1], issued]
    if model in CLAUDES:
        texts = (
            [0, 0, 1, 1] if is_kept else [0] * 4
        )  # the store alone has the thought of an answer without calls
        assert [thoughts_in(body) - more for body, more in zip(bodies, texts, strict=True)] == [0, 1, 1, 2]


@pytest.mark.parametrize("models", [(FLASH, CLAUDE), (CLAUDE, FLASH), (GPT, FLASH), (FLASH, OLD_CLAUDE)])
def test_a_switch_of_the_model_in_between(
    gemini_gateways: Gateways, tmp_path: Path, models: tuple[str, str]
) -> None:
    """The other model gets the whole history, and no signature that it has not made. So does the first, again."""
    gateways = gemini_gateways
    first, second = models
    gateways.queue(first, [THOUGHT, call(SHELL, WRITE)], LAST_WORDS)
    gateways.queue(second, [THOUGHT, call(SHELL, APPEND)], "Switched.")
    gateways.queue(first, [THOUGHT, call(SHELL, AGAIN)], "And back.")
    gateways.begin()
    cli = GeminiCli(tmp_path, gateways.origin, first)

    with holding(cli) as session:
        said = [session.prompt(PROMPT)]
        session.take_model(second)
        said.append(session.prompt("Go on."))
        session.take_model(first)
        said.append(session.prompt("Go on again."))

    assert said == [LAST_WORDS, "Switched.", "And back."]
    assert (cli.work / "note.txt").read_text() == "real-42\nmore-53\nlast-64\n"
    assert [len(results_by_call(body)) for body in gateways.accepted(second)] == [1, 2]
    bodies = gateways.accepted(first)
    assert [len(results_by_call(body)) for body in bodies] == [0, 1, 2, 3]
    if first == FLASH:
        ours, stand_in, last = signatures_in(bodies[-1])
        assert (ours, last) == (sign_call(SHELL, WRITE, 0), sign_call(SHELL, AGAIN, 2))
        assert stand_in in DUMMIES
    if first == CLAUDE:
        assert thoughts_in(bodies[-1]) == 3


def thoughts_in(body: Mapping[str, Any]) -> int:
    """Return the number of thoughts in a request to Claude."""
    turns = [turn["content"] for turn in body["messages"] if turn["role"] == "assistant"]
    return sum(block["type"] == "thinking" for turn in turns for block in turn)


@pytest.mark.parametrize("fails_first", [True, False])
@pytest.mark.parametrize("names", [(FLASH, CLAUDE), (CLAUDE, FLASH), (OLD_CLAUDE, FLASH), (GPT, OLD_CLAUDE)])
def test_a_fallback_in_between(
    gemini_gateways: Gateways, tmp_path: Path, names: tuple[str, str], fails_first: bool
) -> None:
    """Another provider answers one request of a turn, by the name that was asked for.

    gemini-cli keeps the signature of that answer, and no provider gets one that it has not made.
    """
    gateways = gemini_gateways
    asked, other = names
    settings = {"num_retries": 0, "cooldown_time": 0, "fallbacks": [{asked: [other]}]}
    first, second = ([THOUGHT, call(SHELL, given)] for given in (WRITE, APPEND))
    if not fails_first:
        if gateways.in_a_thread(asked) is None:
            gateways.fail(asked, {})  # lets one request pass
        gateways.queue(asked, first)
    gateways.fail(asked, {"status": 503, "message": "The model is overloaded."})
    gateways.queue(other, first if fails_first else second)
    if fails_first:
        gateways.queue(asked, second)
    gateways.queue(asked, [THOUGHT, call(SHELL, AGAIN)], LAST_WORDS)
    with gateways.serving(router_settings=settings):
        cli = GeminiCli(tmp_path, gateways.origin, asked)
        ended = cli.run(PROMPT)

    assert (ended.status, ended.text) == (0, LAST_WORDS), ended
    assert (cli.work / "note.txt").read_text() == "real-42\nmore-53\nlast-64\n"
    assert [exchange.status for exchange in gateways.exchanges] == [200] * 4
    assert len(gateways.accepted(other)) == 1
    assert gateways.refusals(asked) == []
    assert "last-64" in json.dumps(gateways.last_body(asked))
    if FLASH in names:
        known = gateways.gemini.journal()[-1]["body"]
        assert all(signature for signature in signatures_in(known))
