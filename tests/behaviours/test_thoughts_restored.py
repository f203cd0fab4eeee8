"""Tests that Claude gets its thoughts back from chat clients that drop them, in their order and place.

The emulator checks each thought's signature, and its place among the blocks of its answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from proxy.upstream.chunks_as_whole import chunks_as_whole
from proxy.upstream.select_transport import SelectingUpstream
from tests.support.anthropic_emulator import serving_anthropic
from tests.support.builders import tool, user
from tests.support.emulated import Emulator
from tests.support.proxied import Proxied, proxied, settings_of

Item = dict[str, Any]
KEYS = [{"name": "one", "key": "sk-one-0123456789abcdef"}, {"name": "two", "key": "sk-two-0123456789abcdef"}]
FUNCTION = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}
TOOLS = [{"type": "function", "function": FUNCTION}]
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def thinking(text: str) -> Item:
    """Return a block of thinking that the emulator signs."""
    return {"type": "thinking", "thinking": text}


def use(a: int) -> Item:
    """Return a call that the emulator gives an id."""
    return {"type": "tool_use", "name": "f", "input": {"a": a}}


def text(words: str) -> Item:
    """Return a text's block."""
    return {"type": "text", "text": words}


INTERLEAVED = [
    thinking("one"),
    text("First. "),
    thinking("two"),
    use(1),
    {"type": "redacted_thinking"},
    text("Second."),
    use(2),
]


@asynccontextmanager
async def claude(model: str = "claude-opus-4-6") -> AsyncIterator[tuple[Proxied, Emulator]]:
    """Serve the proxy in front of Anthropic's emulator."""
    async with serving_anthropic() as emulator, serving_claude(emulator, model) as proxy:
        yield proxy, emulator


@asynccontextmanager
async def serving_claude(
    emulator: Emulator, model: str = "claude-opus-4-6", **sections: Any
) -> AsyncIterator[Proxied]:
    """Serve the proxy in front of *emulator*. *sections* are further sections of the settings."""
    params = {"api_key": "k", "api_base": emulator.base_url}
    models = {
        "m": {"model": f"anthropic/{model}", **params},
        "other": {"model": "anthropic/claude-sonnet-4-5", **params},
    }
    settings = settings_of(models, general_settings={"keys": KEYS}, **sections)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        yield proxy


async def ask(
    proxy: Proxied, messages: list[Item], *, stream: bool = False, key: int = 0, **fields: Any
) -> Item:
    """Return the message of the answer to *messages*."""
    body = {"model": "m", "messages": messages, "tools": TOOLS, "reasoning_effort": "high", **fields}
    headers = {"Authorization": f"Bearer {KEYS[key]['key']}"}
    reply = await proxy.post({**body, "stream": stream}, headers=headers)
    assert reply.status == 200, reply.raw
    events = [event for event in reply.events if event != "[DONE]"] if stream else []
    answer = chunks_as_whole(events) if stream else reply.json
    message: Item = answer["choices"][0]["message"]
    return message


def forgetful(message: Item) -> Item:
    """Return *message* as a client keeps it that knows OpenAI's fields alone."""
    return {name: value for name, value in message.items() if name in ("role", "content", "tool_calls")}


def results(message: Item) -> list[Item]:
    """Return a result for each call of *message*."""
    return [tool(call["id"], f"result of {call['id']}") for call in message.get("tool_calls", ())]


def blocks_of(emulator: Emulator, at: int = -1) -> list[list[str]]:
    """Return the kinds of the blocks of each assistant message in the newest request."""
    body = emulator.requests[at].body
    return [
        [block["type"] for block in message["content"]]
        for message in body["messages"]
        if message["role"] == "assistant"
    ]


KINDS = [block["type"] for block in INTERLEAVED]


@BOTH
async def test_thoughts_of_an_open_turn_come_back_in_their_places(stream: bool) -> None:
    """The client sends texts and calls, and five rounds have all of their thoughts."""
    async with claude() as (proxy, emulator):
        history = [user("go")]
        for number in range(5):
            emulator.faults.append({"items": INTERLEAVED})
            answer = await ask(proxy, history, stream=stream)
            history += [forgetful(answer), *results(answer)]
            assert blocks_of(emulator) == [KINDS] * number
        said = await ask(proxy, history, stream=stream)
        assert blocks_of(emulator) == [KINDS] * 5
        assert said["content"]
        assert [record.status for record in emulator.requests] == [200] * 6
        sent = emulator.requests[-1].body["messages"][1]["content"]
        assert [block["text"] for block in sent if block["type"] == "text"] == ["First. ", "Second."]


@BOTH
async def test_client_sees_thoughts_in_both_forms(stream: bool) -> None:
    """Clients know ``reasoning_content`` and litellm's ``thinking_blocks``, which have no places."""
    async with claude() as (proxy, emulator):
        emulator.faults.append({"items": INTERLEAVED})
        answer = await ask(proxy, [user("go")], stream=stream)
        assert answer["reasoning_content"] == "onetwo"
        assert answer["content"] == "First. Second."
        kinds = [block["type"] for block in answer["thinking_blocks"]]
        assert kinds == ["thinking", "thinking", "redacted_thinking"]


@BOTH
async def test_client_that_returns_its_thoughts_gets_the_same_request(stream: bool) -> None:
    """The stored places count, since the client's blocks have none."""
    async with claude() as (proxy, emulator):
        emulator.faults.append({"items": INTERLEAVED})
        answer = await ask(proxy, [user("go")], stream=stream)
        await ask(proxy, [user("go"), answer, *results(answer)])
        await ask(proxy, [user("go"), forgetful(answer), *results(answer)])
        assert emulator.requests[1].body == emulator.requests[2].body


async def test_answer_without_calls_keeps_its_thoughts_too() -> None:
    """The conversation up to the text is the key, and a changed text has no thoughts."""
    async with claude() as (proxy, emulator):
        emulator.faults.append({"items": [thinking("one"), text("Hello.")]})
        answer = await ask(proxy, [user("go")])
        await ask(proxy, [user("go"), forgetful(answer), user("on")])
        assert blocks_of(emulator) == [["thinking", "text"]]
        await ask(proxy, [user("went"), forgetful(answer), user("on")])
        assert blocks_of(emulator) == [["text"]]


@pytest.mark.parametrize("changed", ["text", "arguments", "call", "thoughts"])
async def test_changed_turn_loses_the_thoughts_of_the_whole_open_turn(changed: str) -> None:
    """A thought beside another text or call would be refused, and half of the thoughts too."""
    async with claude() as (proxy, emulator):
        history = [user("go")]
        for _ in range(2):
            emulator.faults.append({"items": INTERLEAVED})
            answer = await ask(proxy, history)
            history += [forgetful(answer), *results(answer)]
        other = dict(history[4])
        calls = [dict(call) for call in other["tool_calls"]]
        if changed == "text":
            other["content"] = "Something else."
        elif changed == "arguments":
            calls[0]["function"] = {"name": "f", "arguments": '{"a": 7}'}
        elif changed == "call":
            del calls[1]
            del history[6]
        history[4] = {**other, "tool_calls": calls}
        if changed == "thoughts":
            history[1]["content"], history[4]["thinking_blocks"] = "Other.", [{"type": "thinking"}]
        await ask(proxy, history)
        assert not any("thinking" in kinds for kinds in blocks_of(emulator))
        assert emulator.requests[-1].status == 200


async def test_arguments_in_another_order_are_the_same_call() -> None:
    """Clients that decode arguments write them anew."""
    async with claude() as (proxy, emulator):
        emulator.faults.append({"items": [thinking("one"), {**use(1), "input": {"a": 1, "b": 2}}]})
        answer = await ask(proxy, [user("go")])
        kept = forgetful(answer)
        [call] = kept["tool_calls"]
        kept["tool_calls"] = [{**call, "function": {"name": "f", "arguments": '{ "b": 2, "a": 1 }'}}]
        await ask(proxy, [user("go"), kept, *results(answer)])
        assert blocks_of(emulator) == [["thinking", "tool_use"]]


async def test_lost_thoughts_turn_thinking_off_for_models_with_a_budget() -> None:
    """They want a thought before the calls of an open turn, and no request may fail for its lack."""
    async with claude("claude-sonnet-4-5") as (proxy, emulator):
        emulator.faults.append({"items": [thinking("one"), use(1)]})
        answer = await ask(proxy, [user("go")])
        assert emulator.requests[-1].body["thinking"]["type"] == "enabled"
        await ask(proxy, [user("go"), forgetful(answer), *results(answer)])
        assert emulator.requests[-1].body["thinking"]["type"] == "enabled"
        changed = {**forgetful(answer), "content": "Other."}
        await ask(proxy, [user("go"), changed, *results(answer)])
        assert "thinking" not in emulator.requests[-1].body


async def test_ids_of_another_key_find_nothing() -> None:
    """A client never sees or steers what another client's model thought."""
    async with claude() as (proxy, emulator):
        emulator.faults.append({"items": INTERLEAVED})
        answer = await ask(proxy, [user("go")])
        history = [user("go"), forgetful(answer), *results(answer)]
        await ask(proxy, history, key=1)
        assert blocks_of(emulator) == [
            [kind for kind in KINDS if "thinking" not in kind][:1] + ["tool_use"] * 2
        ]
        await ask(proxy, history)
        assert blocks_of(emulator) == [KINDS]


async def test_provider_s_ids_are_not_those_of_the_client() -> None:
    """A provider's id may be anybody's, so that it is no key."""
    async with claude() as (proxy, emulator):
        emulator.faults.append({"items": INTERLEAVED})
        answer = await ask(proxy, [user("go")])
        assert all(call["id"].startswith("call_") for call in answer["tool_calls"])


async def test_thoughts_go_to_no_other_family_of_models() -> None:
    """A thought of one model is not sent to a model that did not think it."""
    async with claude() as (proxy, emulator):
        emulator.faults.append({"items": INTERLEAVED})
        answer = await ask(proxy, [user("go")])
        for message in (answer, forgetful(answer)):
            await ask(proxy, [user("go"), message, *results(answer)], model="other")
            assert not any("thinking" in kind for kinds in blocks_of(emulator) for kind in kinds)


async def test_without_thinking_nothing_is_restored() -> None:
    """The model does not want its thoughts where it is not to think."""
    async with claude() as (proxy, emulator):
        emulator.faults.append({"items": INTERLEAVED})
        answer = await ask(proxy, [user("go")])
        await ask(proxy, [user("go"), forgetful(answer), *results(answer)], reasoning_effort="none")
        assert not any("thinking" in kind for kinds in blocks_of(emulator) for kind in kinds)


async def test_turn_without_thoughts_is_told_from_a_lost_one() -> None:
    """A model that did not think before a later call loses no thoughts of the turn."""
    async with claude() as (proxy, emulator):
        history = [user("go")]
        for items in ([thinking("one"), use(1)], [use(2)]):
            emulator.faults.append({"items": items})
            answer = await ask(proxy, history)
            history += [forgetful(answer), *results(answer)]
        await ask(proxy, history)
        assert blocks_of(emulator) == [["thinking", "tool_use"], ["tool_use"]]


async def test_restart_with_a_store_outside_the_process_loses_no_thoughts(tmp_path: Path) -> None:
    """A new process finds what the old one has stored, for calls and for texts."""
    store = {"url": f"sqlite:///{tmp_path}/state.db", "secret": "s" * 40}
    async with serving_anthropic() as emulator:
        history = [user("go")]
        async with serving_claude(emulator, store=store) as proxy:
            for items in ([thinking("one"), text("Hello.")], INTERLEAVED):
                emulator.faults.append({"items": items})
                answer = await ask(proxy, history)
                history += [forgetful(answer), *(results(answer) or [user("on")])]
        async with serving_claude(emulator, store=store) as proxy:
            await ask(proxy, history)
    assert blocks_of(emulator) == [["thinking", "text"], KINDS]
