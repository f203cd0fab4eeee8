"""Tests of putting thoughts back into a history. ``tests/behaviours/test_thoughts_restored.py`` has whole requests."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.core.source import ANTHROPIC_MESSAGES, Source
from proxy.planning.signatures.origins import tag_of
from proxy.planning.signatures.thoughts import (
    BLOCKS,
    key_of_text,
    leave_out_thoughts,
    restore_thoughts,
    thought_keys,
    wants_thoughts,
)
from proxy.state.kept_thoughts import Called, StoredThoughts, Thoughts, pack_thoughts, unpack_thoughts
from sanitizers.outline import outline_of
from tests.proxy.upstream.deployments import deployment_of
from tests.support.builders import assistant, call, tool, user

Item = dict[str, Any]
HERE = "api.anthropic.com anthropic-strict"
OTHER = "api.anthropic.com anthropic"
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}


def own_id(number: int, origin: str = HERE) -> str:
    """Return an id that the proxy made for an answer of *origin*."""
    return f"call_{tag_of(origin)}{chr(97 + number) * 19}"


def turn(number: int, text: str | None = None, **more: Any) -> Item:
    """Return an assistant's message with one call."""
    return assistant(text, calls=[call(own_id(number), "f")], **more)


def kept(message: Item, *entries: Item, origin: str = HERE) -> dict[int, StoredThoughts]:
    """Return the stored thoughts of *message*."""
    calls = [
        Called(one["id"], one["function"]["name"], one["function"]["arguments"])
        for one in message.get("tool_calls", ())
    ]
    stored = unpack_thoughts(pack_thoughts(Thoughts(entries, message["content"] or "", calls), origin))
    assert stored is not None
    return {id(message): stored}


def test_stored_thoughts_are_put_back() -> None:
    """Other messages stay the same objects."""
    said = turn(0)
    history = [user("go"), said, tool(own_id(0))]
    messages, counts = restore_thoughts(history, kept(said, THOUGHT), HERE)
    assert [messages[0], messages[2]] == [history[0], history[2]]
    assert messages[1] == {**said, BLOCKS: [THOUGHT]}
    assert counts == {"restored": 1}


def test_history_without_thoughts_is_the_same_object() -> None:
    """Nothing is copied."""
    history = [user("go"), assistant("a"), user("b"), assistant(None, calls=[call("toolu_1")])]
    messages, counts = restore_thoughts(history, {}, HERE)
    assert messages is history
    assert not counts


def test_thoughts_of_another_origin_are_withheld() -> None:
    """So are those that the client brought with a call of another origin."""
    said = turn(0)
    messages, _ = restore_thoughts([user("go"), said], kept(said, THOUGHT, origin=OTHER), HERE)
    assert BLOCKS not in messages[1]
    brought = assistant(None, calls=[call(own_id(0, OTHER))], **{BLOCKS: [THOUGHT]})
    messages, counts = restore_thoughts([user("go"), brought], {}, HERE)
    assert BLOCKS not in messages[1]
    assert counts == {"withheld": 1}


def test_thoughts_that_the_client_brought_are_carried() -> None:
    """Their places are not read, since only the proxy writes places."""
    brought = assistant("a", **{BLOCKS: [{"type": "text", "length": 1}, THOUGHT, "x"]})
    messages, counts = restore_thoughts([user("go"), brought], {}, HERE)
    assert messages[1][BLOCKS] == [THOUGHT]
    assert counts == {"carried": 1}


def test_thoughts_that_the_proxy_has_sealed_keep_their_places() -> None:
    """A client of Gemini's own API carries them in an envelope."""
    blocks = [{"type": "text", "length": 1}, THOUGHT]
    brought = assistant("a", **{BLOCKS: [*blocks, "x"]})
    messages, counts = restore_thoughts([user("go"), brought], {}, HERE, are_ours=True)
    assert messages[1][BLOCKS] == blocks
    assert counts == {"carried": 1}


@pytest.mark.parametrize("blocks", [[], "x", [{"type": "text", "length": 0}], [3]])
def test_blocks_without_a_thought_are_left_out(blocks: Any) -> None:
    """They say nothing."""
    messages, _ = restore_thoughts([user("go"), assistant("a", **{BLOCKS: blocks})], {}, HERE)
    assert BLOCKS not in messages[1]


def test_lost_thoughts_take_those_of_the_open_turn_with_them() -> None:
    """The turn before keeps its own."""
    first, before, after = assistant("a", **{BLOCKS: [THOUGHT]}), turn(0), turn(1)
    history = [user("go"), first, user("on"), before, tool(own_id(0)), after, tool(own_id(1))]
    messages, _ = restore_thoughts(history, kept(before, THOUGHT), HERE)
    assert [BLOCKS in message for message in messages] == [False, True, *[False] * 5]
    both = {**kept(before, THOUGHT), **kept(after)}
    messages, _ = restore_thoughts(history, both, HERE)
    assert [BLOCKS in message for message in messages] == [False, True, False, True, *[False] * 3]


def test_thoughts_beside_own_calls_go_to_no_other_provider() -> None:
    """A client got them here. Other thoughts are its own, and meant for the server that it names."""
    own, other = {**turn(0), BLOCKS: [THOUGHT]}, assistant("a", **{BLOCKS: [THOUGHT]})
    history = [user("go"), own, tool(own_id(0)), other]
    messages, count = leave_out_thoughts(history)
    assert messages == [history[0], turn(0), *history[2:]]
    assert count == 1
    assert leave_out_thoughts(history, outline_of(history))[0] == messages
    plain = [user("go"), other]
    assert leave_out_thoughts(plain) == (plain, 0)


def test_keys_are_the_proxy_s_ids_and_the_conversation() -> None:
    """A provider's id is no key, and neither is the id of a later call."""
    history = [user("go"), turn(0), tool(own_id(0)), assistant("a"), assistant(None, calls=[call("toolu_1")])]
    keys = thought_keys(history, "key")
    assert keys == {1: own_id(0), 3: key_of_text(history[:3], "a", "key")}
    assert keys[3] != thought_keys(history, "other")[3]
    assert keys[3] != thought_keys([user("went"), *history[1:]], "key")[3]


def test_only_the_newest_texts_are_looked_up() -> None:
    """A long conversation costs no more."""
    history = [user("go"), *[assistant(str(at)) for at in range(200)]]
    assert [*thought_keys(history, "")] == [*range(137, 201)]


@pytest.mark.parametrize(
    ("model", "parameters", "params", "wants"),
    [
        ("claude-opus-4-6", {}, {}, False),
        ("claude-opus-4-6", {"reasoning_effort": "none"}, {}, False),
        ("claude-opus-4-6", {"reasoning_effort": "low"}, {}, True),
        ("claude-opus-4-6", {}, {"reasoning_effort": "low"}, True),
        ("claude-opus-4-6", {}, {"extra_body": {"thinking": {"type": "adaptive"}}}, True),
        ("claude-fable-5", {}, {}, True),
        ("glm-5", {}, {}, False),
    ],
)
def test_thoughts_are_wanted_where_the_model_thinks(
    model: str, parameters: Item, params: Item, *, wants: bool
) -> None:
    """Elsewhere a look-up would be of no use."""
    deployment = deployment_of(f"anthropic/{model}", **params)
    request = ChatRequest("m", [user("go")], False, False, parameters, {}, 1)
    assert wants_thoughts(request, deployment) is wants


def test_client_of_anthropic_s_format_keeps_its_thoughts_itself() -> None:
    """The proxy changes nothing of them."""
    messages = [user("go")]
    source = Source(ANTHROPIC_MESSAGES, b"{}", messages)
    request = ChatRequest("m", messages, False, False, {"reasoning_effort": "low"}, {}, 1, source=source)
    assert not wants_thoughts(request, deployment_of("anthropic/claude-opus-4-6"))
