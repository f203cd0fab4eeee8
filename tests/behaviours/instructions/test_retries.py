"""Tests that every further request of the proxy for one client's request keeps the instructions where they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config import Settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.behaviours.instructions.configured import GATEWAY, KEY, MODEL, ask, configured, entry, joined
from tests.process.asking import function_tool
from tests.support.builders import assistant, call, developer, image, system, text, tool, user
from tests.support.openai_emulator import Fault, OpenAIEmulator
from tests.support.proxied import proxied
from tests.support.scripted_upstream import ScriptedUpstream
from tests.support.scripted_upstream import answer as answered

TEXT = joined(GATEWAY, MODEL, KEY)
SPACED = f"{TEXT}\n\n"
CONTINUE = "Please continue."
STARTS = "[The conversation starts here; earlier messages are not included.]"
ROUND = [user("Look."), assistant(None, [call("c1", "f")]), tool("c1")]

Message = dict[str, Any]


def settings_at(openai: OpenAIEmulator, **sections: Any) -> Settings:
    """Return settings whose model is the emulator, with instructions of every level."""
    params = {"model": "openai/gpt-4.1", "api_base": openai.base_url, "api_key": "emulated"}
    return configured(entry("chat", transport="direct", litellm_params=params), **sections)


REFUSALS: dict[str, tuple[str, list[Message], list[Message]]] = {
    "a last turn of the model": (
        "Cannot set `add_generation_prompt` to True when the last message is from the assistant.",
        [system("A."), user(), assistant("It is")],
        [system(TEXT), system("A."), user(), assistant("It is"), user(CONTINUE)],
    ),
    "a system message in an unknown role": (
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        [system("A."), user()],
        [user(TEXT), user("A."), user()],
    ),
    "a developer message in an unknown role": (
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        [developer("A."), user()],
        [user(TEXT), user("A."), user()],
    ),
    "a template without system messages": (
        "System role not supported",
        [system("A."), user(), user("B.")],
        [user(f"{SPACED}A.\n\nHello.\n\nB.")],
    ),
    "a template without system messages, and no user turn first": (
        "System role not supported",
        [assistant("A."), user()],
        [user(f"{SPACED}{STARTS}"), assistant("A."), user()],
    ),
    "images beside system messages": (
        "Prompting with images is incompatible with system messages.",
        [system("A."), user([text("B."), image()])],
        [user([text(TEXT), text("A."), text("B."), image()])],
    ),
    "turns that do not alternate": (
        "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
        [system("A."), user("B."), user("C.")],
        [system(TEXT), system("A."), user("B.\n\nC.")],
    ),
}


@pytest.mark.parametrize(("said", "messages", "sent"), REFUSALS.values(), ids=REFUSALS)
async def test_a_repaired_request_begins_with_the_instructions(
    openai: OpenAIEmulator, said: str, messages: list[Message], sent: list[Message]
) -> None:
    settings = settings_at(openai)
    openai.faults.append({"status": 400, "message": said})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await ask(proxy, messages)

    assert reply.status == 200, reply.raw
    assert [request.body["messages"] for request in openai.requests][1:] == [sent]
    assert reply.headers["x-turnright-changes"].startswith("instructions=1,repair=")


async def test_a_learned_repair_and_the_instructions_are_made_together(openai: OpenAIEmulator) -> None:
    """The second request of a conversation is sent once, repaired, and begins with the bytes of the first."""
    said = "Unsupported value: 'messages[0].role' does not support 'system' with this model."
    settings = settings_at(openai)
    fault: Fault = {"status": 400, "message": said}
    openai.faults.append(fault)
    first = [system("A."), user()]
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        await ask(proxy, first)
        reply = await ask(proxy, [*first, assistant("Good day."), user("B.")])

    assert reply.headers["x-turnright-changes"] == "instructions=1,repair=2;learned"
    _, repaired, learned = (request.body["messages"] for request in openai.requests)
    assert repaired == [user(TEXT), user("A."), user()]
    assert learned == [*repaired, assistant("Good day."), user("B.")]


async def test_a_request_with_a_corrective_note_keeps_the_instructions(upstream: ScriptedUpstream) -> None:
    """The model is asked again with a note, since its call names an unknown tool."""
    settings = configured(router_settings={"num_retries": 1, "self_correction": "always"})
    upstream.then(answered(None, tool_calls=[call("c1", "no_such_tool")]))
    async with proxied(settings, upstream) as proxy:
        reply = await ask(proxy, [system("A."), user()], tools=[function_tool("f")])

    first, second = (each.messages for each in upstream.calls)
    assert reply.status == 200
    assert first == [system(TEXT), system("A."), user()]
    assert second[: len(first)] == first
    assert "a tool that is not declared" in json.dumps(second[len(first) :])
    assert reply.headers["x-turnright-changes"] == "instructions=1,note=1"


@pytest.mark.parametrize("mode", ["repair", "off"])
async def test_an_ended_turn_keeps_the_instructions(upstream: ScriptedUpstream, mode: str) -> None:
    """At the limit of rounds, the guard's words stand behind the history, and the instructions before it."""
    turns = {"mode": "enforce", "max_rounds": 1, "tell_model": True}
    settings = configured(turns=turns, sanitize={"mode": mode})
    async with proxied(settings, upstream) as proxy:
        reply = await ask(proxy, ROUND, tools=[function_tool("f")])

    assert reply.headers["x-turnright-rounds"] == "1/1;warn;wrap-up"
    sent = upstream.calls[0].messages
    assert sent[0] == system(TEXT)
    assert sent[1:3] == ROUND[:2]
    assert "The limit of 1 round" in json.dumps(sent[3:])
    assert reply.headers["x-turnright-changes"].startswith("instructions=1,turns=")
