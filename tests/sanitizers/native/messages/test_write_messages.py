"""Tests of writing a history in Anthropic's form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Unrepairable, sanitize
from sanitizers.native.messages.write_messages import WrittenMessages, write_messages
from sanitizers.profiles import Profile
from sanitizers.provider_profiles import ANTHROPIC, ANTHROPIC_STRICT
from sanitizers.synthetic import reminder
from tests.support.strategies import any_histories

Item = dict[str, Any]
IN_PLACE = replace(ANTHROPIC, name="anthropic-inline", system_anywhere=True)
MARK = {"type": "ephemeral"}


def said(role: str, *blocks: Any) -> Item:
    """Return a message of Anthropic's form. A text stands for its block."""
    return {"role": role, "content": [text(one) if isinstance(one, str) else one for one in blocks]}


def text(words: str, **more: Any) -> Item:
    """Return a text's block."""
    return {"type": "text", "text": words, **more}


def calls(*ids: str) -> Item:
    """Return an assistant's message with calls."""
    function = {"name": "f", "arguments": "{}"}
    made = [{"id": call_id, "type": "function", "function": function} for call_id in ids]
    return {"role": "assistant", "content": None, "tool_calls": made}


def used(call_id: str) -> Item:
    """Return the block of a call."""
    return {"type": "tool_use", "id": call_id, "name": "f", "input": {}}


def result(call_id: str, content: Any = "ok", **more: Any) -> Item:
    """Return a tool message."""
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


def came(call_id: str, **more: Any) -> Item:
    """Return the block of a result."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": "ok", **more}


USER = {"role": "user", "content": "go"}


@pytest.mark.parametrize(
    ("messages", "system", "written"),
    [
        ([USER], None, [said("user", "go")]),
        (
            [
                {"role": "system", "content": [text("a", cache_control=MARK)]},
                {"role": "developer", "content": "b"},
                USER,
            ],
            [text("a", cache_control=MARK), text("b")],
            [said("user", "go")],
        ),
        (
            [USER, calls("c1", "c2"), result("c2"), result("c1", is_error=True), {"role": "user", "content": "x"}],
            None,
            [
                said("user", "go"),
                said("assistant", used("c1"), used("c2")),
                said("user", came("c1", is_error=True), came("c2"), "x"),
            ],
        ),
        (
            [USER, USER, {"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}],
            None,
            [said("user", "go", "go"), said("assistant", "a", "b")],
        ),
        (
            [USER, calls("c1"), result("c1"), calls("c2"), result("c2")],
            None,
            [
                said("user", "go"),
                said("assistant", used("c1")),
                said("user", came("c1")),
                said("assistant", used("c2")),
                said("user", came("c2")),
            ],
        ),
        (
            [USER, {"role": "assistant", "content": ""}, {"role": "system", "content": "later"}],
            None,
            [said("user", "go", reminder("later"))],
        ),
    ],
)  # fmt: skip
def test_history_is_written(messages: list[Item], system: list[Item] | None, written: list[Item]) -> None:
    """Leading instructions, turns and results have their places."""
    assert write_messages(messages, ANTHROPIC) == WrittenMessages(system, written)


@pytest.mark.parametrize(
    "content", [{}, {"content": None}, {"content": "x"}], ids=["missing", "null", "text"]
)
def test_thinking_of_a_turn_is_written_whatever_its_content_is(content: dict[str, Any]) -> None:
    """Clients leave the content of a turn with calls out."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "S"}
    turn = {
        "role": "assistant",
        **content,
        "tool_calls": calls("a")["tool_calls"],
        "thinking_blocks": [thought],
    }

    [written] = write_messages([turn], ANTHROPIC).messages

    assert written["content"][0] is thought
    assert written["content"][-1]["type"] == "tool_use"


@pytest.mark.parametrize(("is_claude", "kept"), [(True, []), (False, ["thinking"])])
def test_unsigned_thinking_goes_to_models_that_sign_none(is_claude: bool, kept: list[str]) -> None:
    """Claude refuses it. Other vendors' models with this API want it back."""
    bare = {"type": "thinking", "thinking": "hm", "signature": ""}
    message = {"role": "assistant", "content": "a", "thinking_blocks": [bare]}
    profile = ANTHROPIC_STRICT.over_messages(is_claude=is_claude, takes_systems=False)

    [_, said] = write_messages([{"role": "user", "content": "q"}, message], profile).messages
    assert [block["type"] for block in said["content"]] == [*kept, "text"]


def test_later_system_message_stays_where_models_take_it() -> None:
    """Claude Opus 4.8 reads system messages between turns."""
    later = {"role": "system", "content": "later"}
    written = write_messages([USER, later, {"role": "assistant", "content": "a"}], IN_PLACE)
    assert written.messages == [said("user", "go"), said("system", "later"), said("assistant", "a")]


def test_refusal_names_the_message() -> None:
    """A part without a form is refused with its place."""
    audio = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    with pytest.raises(Unrepairable) as refusal:
        write_messages([USER, {"role": "user", "content": [audio]}], ANTHROPIC)
    assert (refusal.value.param, refusal.value.index) == ("messages[1]", 1)
    with pytest.raises(Unrepairable) as refusal:
        write_messages([USER, calls("c1"), result("c1", [audio]), USER], ANTHROPIC)
    assert (refusal.value.param, refusal.value.index) == ("messages[2]", 2)


def texts_of(value: Any) -> str:
    """Return the texts inside *value*, one behind the other."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(texts_of, value))
    return texts_of(value.get("text") or value.get("content") or "") if isinstance(value, dict) else ""


def broken_rules(messages: Sequence[Item]) -> list[str]:
    """Return the rules of Anthropic that *messages* break."""
    broken = []
    open_ids: list[str] = []
    for at, message in enumerate(messages):
        blocks = message["content"]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        before = messages[at - 1]["role"] if at else ""
        if before == message["role"] or (before == "system" and message["role"] != "assistant"):
            broken.append("roles")
        if message["role"] == "system":
            broken += [] if before == "user" else ["system"]
            continue
        if results != open_ids or any(block["type"] != "tool_result" for block in blocks[: len(results)]):
            broken.append("results")
        if any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            broken.append("blank")
        open_ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
    return broken + (["first"] if not messages or messages[0]["role"] != "user" else [])


INLINE = ANTHROPIC_STRICT.over_messages(is_claude=True, takes_systems=True)
REMINDED = ANTHROPIC_STRICT.over_messages(is_claude=True, takes_systems=False)


@given(any_histories(), st.sampled_from([INLINE, REMINDED]))
def test_written_history_is_legal_and_complete(messages: list[Item], profile: Profile) -> None:
    """Each legal history is written by Anthropic's rules, with all of its words."""
    try:
        legal = sanitize(messages, profile)
        written = write_messages(legal.messages, profile)
    except Unrepairable:
        return
    assert broken_rules(written.messages) == []
    given_texts = "".join(
        texts_of(message.get("content")) for message in legal.messages if message["role"] != "tool"
    )
    kept = "".join(texts_of([block for block in message["content"] if block["type"] == "text"])
                   for message in ({"content": written.system or []}, *written.messages))  # fmt: skip
    assert "".join(kept.split()) == "".join(given_texts.split())
