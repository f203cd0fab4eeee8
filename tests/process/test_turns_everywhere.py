"""Tests that every provider accepts a request at the limit of rounds, and that the client gets an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.asking import Answer, ask, function_tool
from tests.process.emulators import Gemini
from tests.process.providers import MODELS, Everywhere, serve_everywhere
from tests.support.builders import assistant, call, system, tool, user
from tests.support.emulated import Emulator

LIMIT = 3
TOOLS = [function_tool("get_weather"), function_tool("get_time")]
INSTRUCTION = "The limit of 3 rounds of tool calls is reached."
WORDS = (
    "[turnright: The limit of 3 rounds of tool calls is reached. The model was asked to finish and said nothing; "
    "no further call was passed on.]"
)


@pytest.fixture(scope="module")
def limited(directory: Path, gemini_process: Gemini, emulators: dict[str, Emulator]) -> Iterator[Everywhere]:
    """Run ``turnright serve`` with every provider and a limit of three rounds."""
    turns = {"mode": "enforce", "max_rounds": LIMIT}
    with serve_everywhere(directory, gemini_process, emulators, turns=turns) as running:
        yield running


def rounds(count: int) -> list[dict[str, Any]]:
    """Return a history with *count* rounds of tool calls."""
    history: list[dict[str, Any]] = [system("Be brief."), user("What is it like in Oslo?")]
    for number in range(count):
        call_id = f"call_{number}"
        history.append(assistant(None, [call(call_id, "get_weather", json.dumps({"day": number}))]))
        history.append(tool(call_id, f"On day {number} it rains."))
    return history


def text_of(answer: Answer) -> tuple[str, str, int]:
    """Return the text of an answer, streamed or not, its finish reason and its number of tool calls."""
    if not answer.headers["content-type"].startswith("text/event-stream"):
        choice = answer.json["choices"][0]
        message = choice["message"]
        return message["content"] or "", choice["finish_reason"], len(message.get("tool_calls") or ())
    text, reason, calls = "", "", 0
    for event in answer.events[:-1]:
        for choice in json.loads(event)["choices"]:
            text += choice["delta"].get("content") or ""
            calls += len(choice["delta"].get("tool_calls") or ())
            reason = choice["finish_reason"] or reason
    return text, reason, calls


@pytest.mark.each_value
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", MODELS)
def test_a_model_that_calls_on(http: httpx.Client, limited: Everywhere, model: str, stream: bool) -> None:
    """A tool call after the instruction to finish is replaced by a text that says that the limit is reached."""
    provider = limited.of(model)
    provider.call_once([("get_weather", {"city": "Oslo"})])
    request = {"model": model, "messages": rounds(LIMIT), "tools": TOOLS, "stream": stream}

    answer = ask(http, limited.served, request)

    assert answer.is_whole, answer.text
    assert text_of(answer) == (WORDS, "stop", 0)
    assert answer.headers["x-turnright-rounds"] == "3/3;warn;wrap-up"
    [sent] = provider.sent()
    assert (sent.status, sent.refused) == (200, None)
    assert INSTRUCTION in json.dumps(sent.body)


@pytest.mark.each_value
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", MODELS)
def test_a_model_that_finishes(http: httpx.Client, limited: Everywhere, model: str, stream: bool) -> None:
    """The text of a model that finishes past the limit is delivered unchanged."""
    provider = limited.of(model)
    provider.say_once("It rains every day.")
    request = {"model": model, "messages": rounds(LIMIT + 1), "tools": TOOLS, "stream": stream}

    answer = ask(http, limited.served, request)

    assert text_of(answer) == ("It rains every day.", "stop", 0)
    assert answer.headers["x-turnright-rounds"] == "4/3;warn;wrap-up"
    [sent] = provider.sent()
    assert (sent.status, sent.refused) == (200, None)


@pytest.mark.parametrize("model", MODELS)
def test_below_the_limit_calls_pass(http: httpx.Client, limited: Everywhere, model: str) -> None:
    """Below the limit tool calls pass, and the user's next message starts a new count."""
    provider = limited.of(model)
    for messages, told in (
        (rounds(LIMIT - 1), "2/3"),
        ([*rounds(LIMIT), assistant("It rains."), user("And what time is it?")], "0/3"),
    ):
        provider.clear()
        provider.call_once([("get_time", {"city": "Oslo"})])
        answer = ask(http, limited.served, {"model": model, "messages": messages, "tools": TOOLS})

        assert answer.headers["x-turnright-rounds"] == told
        assert text_of(answer)[1:] == ("tool_calls", 1)
        [sent] = provider.sent()
        assert "turnright" not in json.dumps(sent.body)
