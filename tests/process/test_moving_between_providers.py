"""Tests a conversation with tools that moves from each provider to each other one and back, by fallback.

The client knows nothing of the moves, and sends back what it got. So every provider must accept the call ids that the
client got from another. Each provider gets all calls and results in its own format, and the earlier calls unchanged at
every turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.asking import Answer, ask, function_tool
from tests.process.emulators import Gemini
from tests.process.providers import Everywhere, entry_of, route_of, serve_everywhere
from tests.process.wire_calls import WireCall, calls_at
from tests.support.builders import system, tool, user
from tests.support.emulated import Emulator

MODELS = (
    "gemini/gemini-3.6-flash",
    "openai/gpt-4.1",
    "anthropic/claude-sonnet-4-5",
    "mistral/mistral-large-latest",
    "deepseek/deepseek-reasoner",
    "cohere_chat/command-a-03-2025",
    "ollama_chat/qwen3.5",
    "litellm/mistral/mistral-large-latest",
    "litellm/ollama_chat/qwen3.5",
    "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
    "hosted_vllm/mistralai/Devstral-Small-2507",
)
THINKING = ("anthropic/claude-sonnet-4-5", "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0")
"""Models that are asked to think, and then want their own thoughts before their calls."""

CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""A call id that every provider accepts: at most 40 characters for OpenAI, and only these characters for Anthropic."""

Made = tuple[str, dict[str, Any]]
FIRST: Sequence[Made] = (("get_weather", {"city": "Oslo"}), ("get_time", {"city": "Oslo"}))
SECOND: Sequence[Made] = (("get_weather", {"city": "Lima"}),)
THIRD: Sequence[Made] = (("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Cairo"}))
"""The models' calls in three rounds. The third round repeats a call of the first."""


@pytest.fixture(scope="session")
def moving(directory: Path, gemini_process: Gemini, emulators: dict[str, Emulator]) -> Iterator[Everywhere]:
    """Run ``turnright serve`` with a name for each pair of models, whose first model falls back to the second."""
    pairs = list(permutations(MODELS, 2))
    entries = [
        entry_of(name, model, gemini_process, emulators)
        for name, model in (
            *((route_of(model), model) for model in MODELS),
            *((name_of(first, second), first) for first, second in pairs),
        )
    ]
    fallbacks = [{name_of(first, second): [route_of(second)]} for first, second in pairs]
    with serve_everywhere(
        directory, gemini_process, emulators, model_list=entries, router_settings={"fallbacks": fallbacks}
    ) as running:
        yield running


def name_of(first: str, second: str) -> str:
    """Return the name of a model that falls back to another."""
    return f"{route_of(first)}-then-{route_of(second)}"


class Conversation:
    """A client that sends its whole conversation at each turn.

    It keeps whole answers as they came, and of streams only the fields that plain clients keep.
    """

    def __init__(self, http: httpx.Client, moving: Everywhere, name: str, **parameters: Any) -> None:
        self.messages: list[dict[str, Any]] = [system("Be brief."), user("What is it like there?")]
        self.made: list[tuple[str, Made]] = []
        self._http, self._served, self._name, self._parameters = http, moving.served, name, parameters

    def ask(self) -> Answer:
        """Send the conversation, keep the answer, and answer its calls."""
        tools = [function_tool("get_weather"), function_tool("get_time")]
        request = {"model": self._name, "messages": self.messages, "tools": tools, **self._parameters}
        answer = ask(self._http, self._served, request)
        assert answer.is_whole, answer.text
        message = joined(answer) if self._parameters.get("stream") else answer.json["choices"][0]["message"]
        self.messages.append(message)
        for call in message.get("tool_calls") or ():
            made = call["function"]["name"], json.loads(call["function"]["arguments"])
            self.made.append((call["id"], made))
            self.messages.append(tool(call["id"], result_of(made)))
        return answer


def result_of(made: Made) -> str:
    """Return a tool's result for a call."""
    name, arguments = made
    return f"{name} in {arguments['city']}: fine."


def joined(answer: Answer) -> dict[str, Any]:
    """Return the message of a stream, as a plain client assembles it."""
    text = ""
    calls: dict[int, dict[str, Any]] = {}
    for event in answer.events[:-1]:
        for choice in json.loads(event)["choices"]:
            text += choice["delta"].get("content") or ""
            for piece in choice["delta"].get("tool_calls") or ():
                call = calls.setdefault(
                    piece["index"], {"type": "function", "function": {"name": "", "arguments": ""}}
                )
                call["id"] = piece.get("id") or call.get("id")
                for key, value in (piece.get("function") or {}).items():
                    call["function"][key] += value or ""
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    return message | ({"tool_calls": list(calls.values())} if calls else {})


@pytest.mark.each_value
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("first", "second"), list(permutations(MODELS, 2)), ids=route_of)
def test_history_stays_legal_and_complete_between_providers(
    http: httpx.Client, moving: Everywhere, first: str, second: str, stream: bool
) -> None:
    """The history is legal and complete at each provider, and the call ids stay the same."""
    check(http, moving, first, second, stream=stream)


@pytest.mark.parametrize(
    ("first", "second"),
    [pair for pair in permutations(MODELS, 2) if set(pair) & set(THINKING)],
    ids=route_of,
)
def test_there_and_back_thinking(http: httpx.Client, moving: Everywhere, first: str, second: str) -> None:
    """The history also stays legal for a thinking model, which has no thoughts for the other model's rounds."""
    check(http, moving, first, second, stream=False, reasoning_effort="low", max_tokens=8192)


def check(http: httpx.Client, moving: Everywhere, first: str, second: str, **parameters: Any) -> None:
    """Let *first* and *second* answer in turn, by failures of *first*, and check all their requests."""
    here, there = moving.of(first), moving.of(second)
    talk = Conversation(http, moving, name_of(first, second), **parameters)

    here.call_once(FIRST)
    talk.ask()
    here.fail_once()
    there.call_once(SECOND)
    talk.ask()
    here.call_once(THIRD)
    talk.ask()
    here.fail_once()
    there.say_once("It is fine everywhere.")
    talk.ask()
    talk.messages.append(user("And now?"))
    here.say_once("It still is.")
    talk.ask()

    assert [made for _, made in talk.made] == [*FIRST, *SECOND, *THIRD]
    ids = [call_id for call_id, _ in talk.made]
    assert len(set(ids)) == len(ids)
    assert [call_id for call_id in ids if not CALL_ID.fullmatch(call_id)] == []
    assert [(one.status, one.refused or None) for one in there.sent()] == [(200, None)] * 2
    assert [one.status for one in here.sent()] == [200, 503, 200, 503, 200]
    check_bodies(first, [one.body for one in here.sent()], [0, 2, 3, 5, 5], talk)
    check_bodies(second, [one.body for one in there.sent()], [2, 5], talk)


def check_bodies(model: str, bodies: Sequence[Any], counts: Sequence[int], talk: Conversation) -> None:
    """Check that each body holds just the calls made so far, their results, and the ids of the body before it."""
    before: list[WireCall] = []
    for body, count in zip(bodies, counts, strict=True):
        calls = calls_at(model, body)
        assert [(name, arguments) for _, name, arguments in calls] == [made for _, made in talk.made[:count]]
        assert calls[: len(before)] == before
        before = calls
        written = json.dumps(body)
        results = [result_of(made) for _, made in talk.made[:count]]
        assert [(text, written.count(text)) for text in results] == [
            (text, results.count(text)) for text in results
        ]
