"""Tests that OpenAI's client sees only its own tool names, even names that providers refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from openai import OpenAI

from proxy.emulator.signatures import DUMMIES, verify
from sanitizers import profile_for
from sanitizers.tool_names import rename_tools
from tests.process.asking import TARGETS, body, explain, function_tool
from tests.process.emulators import Gemini
from tests.process.running import Served
from tests.support.openai_emulator import OpenAIEmulator

NAMES = (
    "mcp.server/tool:do it",
    "21st_magic",
    "x" * 100,
    "工具",
    "get weather",
    "get/weather",
    "get_weather",
    "mcp.read",
)
TOOLS: Any = [function_tool(name) for name in NAMES]


@pytest.fixture
def client(served: Served) -> Iterator[OpenAI]:
    """Return OpenAI's client, without retries of its own."""
    with OpenAI(base_url=served.base_url, api_key="none", max_retries=0, timeout=30) as client:
        yield client


def upstream_names(model: str) -> list[str]:
    """Return the names under which the tools are declared to the provider."""
    done = rename_tools([], {"tools": TOOLS}, profile_for(model).tool_names)
    return [tool["function"]["name"] for tool in done.parameters["tools"]]


def ask(client: OpenAI, model: str, messages: Any, *, stream: bool, **extra: Any) -> list[dict[str, Any]]:
    """Ask for a completion, and return its calls as a client for OpenAI's format keeps them."""
    if not stream:
        answer = client.chat.completions.create(model=model, messages=messages, tools=TOOLS, **extra)
        made: Any = answer.choices[0].message.tool_calls or []
        return [
            {"id": call.id, "type": "function", "function": call.function.model_dump(exclude_none=True)}
            for call in made
        ]
    calls: dict[int, dict[str, Any]] = {}
    for chunk in client.chat.completions.create(
        model=model, messages=messages, tools=TOOLS, stream=True, **extra
    ):
        for piece in chunk.choices[0].delta.tool_calls or ():
            call = calls.setdefault(
                piece.index, {"id": piece.id, "type": "function", "function": {"name": "", "arguments": ""}}
            )
            assert piece.function is not None
            call["function"]["name"] += piece.function.name or ""
            call["function"]["arguments"] += piece.function.arguments or ""
    return list(calls.values())


def queue(model: str, gemini: Gemini, openai_emulator: OpenAIEmulator, number: int) -> None:
    """Let the provider's next answer call every tool by its upstream name."""
    names = upstream_names(model)
    if model.startswith("gemini/"):
        gemini.answer(*({"functionCall": {"name": name, "args": {"n": number}}} for name in names))
    else:
        openai_emulator.faults.append({"calls": [(name, {"n": number}) for name in names]})


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", TARGETS)
def test_the_client_sees_its_own_names(
    client: OpenAI, gemini: Gemini, openai_emulator: OpenAIEmulator, model: str, stream: bool
) -> None:
    """In three rounds of calls the client gets its own tool names, and the provider the same legal names each time."""
    history: list[dict[str, Any]] = [{"role": "user", "content": f"Use {NAMES[0]}."}]
    for number in range(3):
        queue(model, gemini, openai_emulator, number)
        calls = ask(client, model, history, stream=stream)
        assert [call["function"]["name"] for call in calls] == list(NAMES)
        assert {json.loads(call["function"]["arguments"])["n"] for call in calls} == {number}
        history.append({"role": "assistant", "content": None, "tool_calls": calls})
        history += [
            {"role": "tool", "tool_call_id": call["id"], "name": call["function"]["name"], "content": "ok"}
            for call in calls
        ]
    ask(client, model, history, stream=stream)

    names = upstream_names(model)
    if not model.startswith("gemini/"):
        requests = [request.body for request in openai_emulator.requests]
        assert [request.status for request in openai_emulator.requests] == [200] * 4
        for request in requests:
            assert [tool["function"]["name"] for tool in request["tools"]] == names
        calls = [call for message in requests[-1]["messages"] for call in message.get("tool_calls") or ()]
        assert [call["function"]["name"] for call in calls] == names * 3
        assert requests[-1]["messages"][0]["content"] == f"Use {NAMES[0]}."
        return
    journal = gemini.journal()
    assert [entry["verdict"]["status"] for entry in journal] == [200] * 4
    for entry in journal:
        [declared] = entry["body"]["tools"]
        listed = declared.get("functionDeclarations") or declared["function_declarations"]
        assert [declaration["name"] for declaration in listed] == names
    parts = [part for content in journal[-1]["body"]["contents"] for part in content["parts"]]
    made = [part for part in parts if "functionCall" in part or "function_call" in part]
    assert [_call_in(part)["name"] for part in made] == names * 3
    signed = [part for part in made if _signature_on(part) is not None]
    assert len(signed) == (0 if "2.5" in model else 3)
    for part in signed:
        signature = _signature_on(part)
        assert signature is not None
        assert signature not in DUMMIES
        assert verify(signature, {"functionCall": _call_in(part)}) is None


def _call_in(part: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = part.get("functionCall") or part["function_call"]
    return found


def _signature_on(part: dict[str, Any]) -> str | None:
    return part.get("thoughtSignature") or part.get("thought_signature")


@pytest.mark.parametrize("model", TARGETS)
def test_a_tool_is_chosen_by_the_clients_name(
    client: OpenAI, gemini: Gemini, openai_emulator: OpenAIEmulator, model: str
) -> None:
    """A tool choice by the client's name makes the provider call that tool."""
    choice: Any = {"type": "function", "function": {"name": "工具"}}

    [call] = ask(client, model, [{"role": "user", "content": "go"}], stream=False, tool_choice=choice)

    assert call["function"]["name"] == "工具"


@pytest.mark.parametrize("model", TARGETS)
def test_explain_shows_new_tool_names_in_body_and_changes(
    http: httpx.Client, served: Served, model: str
) -> None:
    """``/v1/explain`` shows the new tool names in its body, and one change for each renamed tool."""
    found = explain(http, served, body(model, [{"role": "user", "content": "go"}], tools=NAMES))

    names = upstream_names(model)
    changed = [(at, new) for at, (new, old) in enumerate(zip(names, NAMES, strict=True)) if new != old]
    assert found["verdict"] == "repaired"
    assert found["summary"] == f"tools={len(changed)}"
    assert [(c["index"], c["reason"], c["detail"]) for c in found["changes"]] == [
        (at, "tool_name", new) for at, new in changed
    ]
    assert [tool["function"]["name"] for tool in found["body"]["tools"]] == names
