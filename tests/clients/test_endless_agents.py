"""Tests that real agents with a model that never stops calling tools end at the limit, with an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.clients.running_clients import run_script
from tests.process.emulators import Gemini
from tests.process.running import Served, serve

LIMIT, LIMIT_OF_TEAMS = 10, 12
MORE = 60
"""The number of answers that the emulated model has ready, each with a call: more than any limit of rounds."""

AGENTS = ("endless_openai_agents", "endless_pydantic_ai")


@dataclass(frozen=True)
class Ended:
    """The ``x-turnright-rounds`` header of each answer of the gateway, and the agent's last text."""

    rounds: list[str]
    text: str


@pytest.fixture(scope="module")
def guarded(directory: Path, gemini_process: Gemini) -> Iterator[Served]:
    """Run ``turnright serve`` with two models in mode ``enforce`` and one in mode ``warn``."""
    gemini = {"model": "gemini/gemini-3.6-flash", "api_key": "emulated", "api_base": gemini_process.api_base}
    config = {
        "model_list": [
            {"model_name": "ended", "litellm_params": gemini},
            {"model_name": "ended-by-litellm", "transport": "litellm", "litellm_params": gemini},
            {"model_name": "watched", "litellm_params": gemini},
        ],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
        "turns": {
            "mode": "enforce",
            "max_rounds": LIMIT,
            "max_rounds_multi_agent": LIMIT_OF_TEAMS,
            "per_model": [{"model": "watched", "mode": "warn"}],
        },
    }
    with serve(directory, config) as process:
        yield process


def run_agent(script: str, served: Served, model: str, mode: str) -> Ended:
    """Run an agent to its end. Fails with the agent's error output if it ends with an error."""
    return Ended(**run_script(script, served.base_url, model, mode))


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Return a call as Gemini writes it."""
    return {"functionCall": {"name": name, "args": arguments}}


@pytest.mark.each_value
@pytest.mark.parametrize(
    ("model", "mode"), [("ended", "whole"), ("ended", "stream"), ("ended-by-litellm", "stream")]
)
@pytest.mark.parametrize("script", AGENTS)
def test_it_ends_at_the_limit(guarded: Served, gemini: Gemini, script: str, model: str, mode: str) -> None:
    """An agent ends at the limit after a warning, even if the model calls tools when it is told to finish."""
    for number in range(MORE):
        gemini.answer(call("search", query=f"part {number}"))

    ended = run_agent(script, guarded, model, mode)

    assert ended.rounds == [
        *(f"{number}/{LIMIT}" for number in range(8)),
        "8/10;warn",
        "9/10;warn",
        "10/10;warn;wrap-up",
    ]
    assert ended.text.startswith(f"[turnright: The limit of {LIMIT} rounds of tool calls is reached.")
    journal = gemini.journal()
    assert [entry["verdict"]["status"] for entry in journal] == [200] * (LIMIT + 1)
    assert [_mode_of(entry) == "NONE" for entry in journal] == [*[False] * LIMIT, True]


@pytest.mark.parametrize("script", AGENTS)
def test_the_model_s_own_words_are_the_answer(guarded: Served, gemini: Gemini, script: str) -> None:
    """The text of a model that finishes when it is told to is the agent's last text."""
    for number in range(LIMIT):
        gemini.answer(call("search", query=f"part {number}"))
    gemini.say("This is what I have.")

    assert run_agent(script, guarded, "ended", "whole").text == "This is what I have."


def test_an_answer_that_is_a_call(guarded: Served, gemini: Gemini) -> None:
    """An agent whose answer must come by a tool can still give the answer at the limit."""
    for number in range(LIMIT):
        gemini.answer(call("search", query=f"part {number}"))
    gemini.answer(call("final_result", summary="All of it."))

    ended = run_agent("endless_pydantic_ai", guarded, "ended", "output")

    assert ended.text == "Finding(summary='All of it.')"
    assert ended.rounds[-1] == "10/10;warn;wrap-up"
    last = gemini.journal()[-1]["body"]
    assert [tool["name"] for tool in last["tools"][0]["functionDeclarations"]] == ["final_result"]


def test_images_open_no_count(guarded: Served, gemini: Gemini) -> None:
    """Images that follow a tool result in a user message do not start a new count of rounds."""
    for number in range(MORE):
        gemini.answer(call("view", query=f"part {number}"))

    ended = run_agent("endless_pydantic_ai", guarded, "ended", "images")

    assert ended.rounds[-1] == "10/10;warn;wrap-up"
    assert len(ended.rounds) == LIMIT + 1


@pytest.mark.parametrize("script", AGENTS)
def test_the_same_call_again_and_again(guarded: Served, gemini: Gemini, script: str) -> None:
    """After five equal calls the header says ``loop``, and after six the agent has to end."""
    for _ in range(MORE):
        gemini.answer(call("search", query="the same"))

    ended = run_agent(script, guarded, "ended", "whole")

    assert ended.rounds == ["0/10", "1/10", "2/10", "3/10", "4/10", "5/10;loop", "6/10;wrap-up;loop"]
    assert "keep coming to the same results" in ended.text


@pytest.mark.parametrize("script", AGENTS)
def test_a_watched_one_goes_on(guarded: Served, gemini: Gemini, script: str) -> None:
    """In mode ``warn`` the proxy changes nothing, and the agent ends when the model does."""
    for number in range(30):
        gemini.answer(call("search", query=f"part {number}"))
    gemini.say("Done.")

    ended = run_agent(script, guarded, "watched", "whole")

    assert (ended.text, ended.rounds[-1]) == ("Done.", "30/10;warn")
    assert "turnright" not in json.dumps([entry["body"] for entry in gemini.journal()])


@pytest.mark.parametrize("mode", ["team", "team-stream"])
def test_a_team_has_more(guarded: Served, gemini: Gemini, mode: str) -> None:
    """Five handoffs between agents do not count as rounds, and a team has the larger limit."""
    for number in range(MORE):
        if number % 3 == 2:
            gemini.answer(call("transfer_to_guide" if number % 2 else "transfer_to_clerk"))
        else:
            gemini.answer(call("search", query=f"part {number}"))

    ended = run_agent("endless_openai_agents", guarded, "ended", mode)

    assert ended.rounds[-1] == f"{LIMIT_OF_TEAMS}/{LIMIT_OF_TEAMS};warn;wrap-up;delegations=5/10"
    assert len(ended.rounds) == LIMIT_OF_TEAMS + 5 + 1
    assert ended.text.startswith(f"[turnright: The limit of {LIMIT_OF_TEAMS} rounds")


def _mode_of(entry: dict[str, Any]) -> str | None:
    config = (entry["body"].get("toolConfig") or {}).get("functionCallingConfig") or {}
    mode: str | None = config.get("mode")
    return mode
