"""Tests histories that a chat template refuses: the proxy repairs them after one refusal, and gets an answer.

The deployments have the profile ``openai``, so the proxy does not know before the refusal which template the server
has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.asking import ask, body, explain
from tests.process.delivered import at_openai, silently_lost
from tests.process.resilience.conftest import entry
from tests.process.running import Served, serve
from tests.support.builders import assistant, call, image, system, text, tool, user
from tests.support.chat_emulator import templates
from tests.support.emulated import Emulator

TRANSPORTS = ("direct", "litellm")
A, B = "aaaaaaaa1", "bbbbbbbb2"
PARALLEL = [user("go"), assistant("Both.", [call(A), call(B, "g")]), tool(A, "one"), tool(B, "two")]
BESIDE = [user("go"), assistant("I look.", [call(A)]), tool(A, "one")]
MODEL_LAST = [user("go"), assistant("Once upon")]
INDEXED = [
    user("go"),
    assistant(None, [call(A, index=0), call(B, "g", index=1)]),
    tool(A, "one"),
    tool(B, "two"),
]
COMMON = "mistralai/Mistral-Small-Instruct-2409"
DEVSTRAL = "mistralai/Devstral-Small-2-24B-Instruct-2512"
COHERE = "cohere_chat/command-a-03-2025"
LLAMA_CPP = "mistralai/Devstral-Small-2507"


@dataclass(frozen=True)
class Refused:
    """A history, the model whose template refuses it, the refusal's words, and the roles of the repaired history."""

    name: str
    model: str
    messages: list[dict[str, Any]]
    words: str
    roles: str
    status: int = 400


CASES = (
    Refused("parallel calls", "meta-llama/Llama-3.1-8B-Instruct", PARALLEL, templates.ONE_CALL, "uatat"),
    Refused(
        "a system message",
        "google/gemma-2-9b-it",
        [system("Be kind."), user("go"), user("on")],
        templates.NO_SYSTEM,
        "u",
    ),
    Refused(
        "a system message beside an image",
        "meta-llama/Llama-3.2-11B-Vision-Instruct",
        [system("Be kind."), user([text("go"), image()])],
        templates.IMAGES_AND_SYSTEM,
        "u",
    ),
    Refused("a text beside calls", COMMON, BESIDE, templates.TEXT_AND_CALLS, "uauat"),
    Refused("a model's turn at the end", COMMON, MODEL_LAST, templates.LAST_ROLE, "uau"),
    Refused("a model's turn at the end, on vLLM", DEVSTRAL, MODEL_LAST, templates.NO_PROMPT, "uau"),
    Refused(
        "an index of a call",
        COMMON,
        INDEXED,
        templates.EXTRA_FIELD.format(at=1, call=0, name="index", value=0, kind="int"),
        "uatt",
    ),
    Refused(
        "two user turns, on llama.cpp",
        LLAMA_CPP,
        [user("go"), user("on")],
        templates.ALTERNATE_BUT_TOOLS,
        "u",
        500,
    ),
)


@pytest.fixture(scope="session")
def templated(directory: Path, emulators: Mapping[str, Emulator]) -> Iterator[Served]:
    """Run ``turnright serve`` without retries and learned repairs, so that each case is refused once.

    Its providers are an emulator with chat templates and Cohere's emulator.
    """
    base_url = emulators["hosted_vllm"].base_url
    models = sorted({case.model for case in CASES})
    config = {
        "model_list": [
            {**entry(f"{transport}/{model}", f"openai/{model}", transport, base_url), "profile": "openai"}
            for transport in TRANSPORTS
            for model in models
        ]
        + [{**entry("cohere", COHERE, "litellm", emulators["cohere_chat"].base_url), "profile": "openai"}],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 0, "cooldown_time": 0, "learn": "false"},
    }
    with serve(directory, config) as process:
        yield process


@pytest.fixture
def server(emulators: Mapping[str, Emulator]) -> Emulator:
    """Return the emulated server with chat templates, with its record of requests cleared."""
    emulator = emulators["hosted_vllm"]
    emulator.clear()
    return emulator


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_refused_history_is_repaired_once_and_answered(
    http: httpx.Client, templated: Served, server: Emulator, case: Refused, transport: str, stream: bool
) -> None:
    """The second request has all texts and results of the first, and the change list names the repair."""
    request = body(f"{transport}/{case.model}", case.messages, stream=stream)

    answer = ask(http, templated, request)

    assert answer.is_whole, answer.text
    assert [record.status for record in server.requests] == [case.status, 200]
    refused, repaired = server.requests
    assert refused.refusal is not None
    assert refused.refusal.message == case.words
    assert "".join(message["role"][0] for message in repaired.body["messages"]) == case.roles
    assert silently_lost(case.messages, at_openai(repaired.body), []) == []
    assert answer.headers["x-turnright-attempts"] == "2"
    assert answer.headers["x-turnright-changes"].startswith("repair=")
    assert explain(http, templated, request)["summary"] == ""


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_field_that_cohere_does_not_know_is_dropped(
    http: httpx.Client, templated: Served, emulators: Mapping[str, Emulator], stream: bool
) -> None:
    """A field of tool calls that Cohere refuses with a 422 is dropped before the first request."""
    cohere = emulators["cohere_chat"]
    cohere.clear()

    answer = ask(http, templated, body("cohere", INDEXED, stream=stream))

    assert answer.is_whole, answer.text
    assert [record.status for record in cohere.requests] == [200]
    [sent] = [[sorted(one) for one in record.body["messages"][1]["tool_calls"]] for record in cohere.requests]
    assert sent == [["function", "id", "type"]] * 2
    assert answer.headers["x-turnright-changes"] == "shape=2"
