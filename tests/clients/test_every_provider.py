"""Tests a real client's tool loop at every provider of the direct transport, whole and streamed.

One process has a deployment for each row, and one process of openai-python runs all loops. Each provider is an emulator
that refuses what the provider refuses, in its words, and that answers in its way. A refusal that the proxy repairs is a
failure too, since the request should have been right at once. ``make test`` asks every second provider for streams and
the others for whole answers. ``make test-deep`` asks each for both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS
from tests.clients.python.tools import TOOLS
from tests.clients.running_clients import run_script
from tests.process.emulators import in_a_thread
from tests.process.running import serve
from tests.support.compatible_emulator import PROVIDERS, Provider
from tests.support.covering_cases import EVERYTHING
from tests.support.emulated import Emulator

WAYS = {
    name: ("whole", "stream") if EVERYTHING else (("whole", "stream")[number % 2],)
    for number, name in enumerate(PROVIDERS)
}
"""The ways in which each provider is asked, in order."""

CALLS = (
    (("get_weather", {"city": "Oslo"}), ("get_time", {"city": "Oslo", "hours_ahead": 1})),
    (("get_weather", {"city": "Lima"}), ("get_weather", {"city": "Cairo"})),
    (("get_time", {"city": "Lima", "hours_ahead": 2}),),
)
"""The calls of each round."""

LAST_WORDS = "That is all I wanted to know."


class Ran(NamedTuple):
    """The reports of all loops, by provider and way, and the emulators with what they were sent."""

    reports: Mapping[str, Mapping[str, Any]]
    emulators: Mapping[str, Emulator]


@pytest.fixture(scope="module")
def ran(directory: Path) -> Iterator[Ran]:
    """Run the loops of all providers."""
    with in_a_thread(PROVIDERS) as emulators:
        for name, emulator in emulators.items():
            rounds = CALLS if PROVIDERS[name].takes_tools else ()
            for _ in WAYS[name]:
                emulator.faults.extend({"calls": list(calls)} for calls in rounds)
                emulator.faults.append({"text": LAST_WORDS})
        config = {
            "model_list": [_deployment(name, emulators[name]) for name in PROVIDERS],
            "general_settings": {"drain_delay": 0, "drain_grace": 2},
            "router_settings": {"num_retries": 0, "cooldown_time": 0},
        }
        with serve(directory, config) as served:
            reports = run_script("many_models", served.base_url, json.dumps(WAYS))
        yield Ran(reports, emulators)


def _deployment(name: str, emulator: Emulator) -> dict[str, Any]:
    provider = PROVIDERS[name]
    key = "azure_ad_token" if provider.key == "token" else "api_key"
    params = {
        "model": f"{provider.prefix}/{provider.model}",
        "api_base": emulator.base_url,
        key: provider.secret,
        **provider.settings,
    }
    return {"model_name": name, "litellm_params": params}


def test_every_row_has_an_emulated_provider() -> None:
    """No row is without an emulated provider, and no emulated provider without a row."""
    assert {provider.prefix for provider in PROVIDERS.values()} == {*ROWS, *listed_providers()}


@pytest.mark.parametrize("name", PROVIDERS)
def test_loop_ends_with_the_answer_at_every_provider(ran: Ran, name: str) -> None:
    """No request is refused. The client sees each call, thought, count, finish reason and name, and the last words."""
    provider, emulator = PROVIDERS[name], ran.emulators[name]
    refused = [record.refusal.message for record in emulator.requests if record.refusal]
    assert refused == []
    calls = CALLS if provider.takes_tools else ()
    for way_number, way in enumerate(WAYS[name]):
        report = ran.reports[name][way]
        assert report["error"] is None
        seen = [[(call["name"], call["arguments"]) for call in calls] for calls in report["rounds"]]
        assert seen == [[*expected] for expected in calls]
        assert report["text"] == LAST_WORDS
        first = 1 + way_number * (len(calls) + 1)
        for number, answer in enumerate(report["answers"], first):
            assert answer == _expected(provider, number, is_last=number == first + len(calls))


def _expected(provider: Provider, number: int, *, is_last: bool) -> dict[str, Any]:
    return {
        "deployment": f"{provider.prefix}/{provider.model}",
        "attempts": "1",
        "model": provider.answers_as,
        "finish": "stop" if is_last else "tool_calls",
        "thought": f"This is thought number {number}." if provider.thinks else None,
        "usage": [100 + number, 10 + number, 110 + 2 * number],
    }


@pytest.mark.parametrize("name", [name for name, provider in PROVIDERS.items() if provider.takes_tools])
def test_history_reaches_every_provider_whole(ran: Ran, name: str) -> None:
    """Each request has the instructions, the user's words, and each earlier call with its own result, in order."""
    provider, bodies = PROVIDERS[name], [record.body for record in ran.emulators[name].requests]
    assert [bool(body.get("stream")) for body in bodies] == [
        way == "stream" for way in WAYS[name] for _ in range(len(CALLS) + 1)
    ]
    for number, body in enumerate(bodies):
        done = CALLS[: number % (len(CALLS) + 1)]
        expected = [(call, args, TOOLS[call](**args)) for calls in done for call, args in calls]
        assert [*_answered(body["messages"])] == expected
        told = " ".join(_text(one) for one in body["messages"] if one["role"] not in ("assistant", "tool"))
        for words in ("Be brief.", "Never guess.", "Find out what I want to know.", "Take your time."):
            assert words in told
        if provider.echoes:
            first = 1 + number - number % (len(CALLS) + 1)
            assert [one["reasoning_content"] for one in body["messages"] if one.get("tool_calls")] == [
                f"This is thought number {first + at}." for at in range(len(done))
            ]


def _answered(messages: list[dict[str, Any]]) -> Iterator[tuple[str, Any, str]]:
    """Yield each call's name and arguments, and the result that follows it."""
    results: dict[str, str] = {}
    for message in reversed(messages):
        if message["role"] == "tool":
            results[message["tool_call_id"]] = _text(message)
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            yield function["name"], json.loads(function["arguments"]), results.get(call["id"], "")


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)
