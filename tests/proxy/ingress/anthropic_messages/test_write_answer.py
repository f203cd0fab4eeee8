"""Tests of writing a whole answer as a message."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.anthropic_messages.answer_context import AnswerContext
from proxy.ingress.anthropic_messages.thinking import ReadThinking
from proxy.ingress.anthropic_messages.write_answer import make_message
from sanitizers.native.messages.envelope import unpack_signature
from tests.support.messages_grammar import find_message_faults
from tests.support.scripted_upstream import answer

SHOWN, OMITTED, NONE = (
    ReadThinking(None, True, True),
    ReadThinking(None, True, False),
    ReadThinking(None, False, False),
)


def call(call_id: str = "call_1", arguments: str = "{}", signature: str | None = None) -> dict[str, Any]:
    """Return a canonical call."""
    made = {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}}
    return (
        made if signature is None else {**made, "extra_content": {"google": {"thought_signature": signature}}}
    )


def message(
    text: str | None = None, *, finish: str = "stop", thinking: ReadThinking = SHOWN, **fields: Any
) -> dict[str, Any]:
    """Return the message for an answer with *text* and *fields*. It must follow the rules of messages."""
    given = answer(text, **fields)
    given["choices"][0]["finish_reason"] = (
        "tool_calls" if "tool_calls" in fields and finish == "stop" else finish
    )
    found = make_message(AnswerContext("asked", "seed", thinking=thinking), given)
    assert find_message_faults(found) == []
    return found


def test_blocks_come_in_anthropics_order() -> None:
    found = message("Hi.", reasoning_content="Hm.", tool_calls=[call(arguments='{"a":1}')])

    assert [block["type"] for block in found["content"]] == ["thinking", "text", "tool_use"]
    assert found["content"][2] == {"type": "tool_use", "id": "call_1", "name": "f", "input": {"a": 1}}
    assert (found["model"], found["stop_reason"]) == ("asked", "tool_use")


def test_signature_stands_before_its_call() -> None:
    found = message(
        reasoning_content="Hm.", tool_calls=[call(signature="QQ=="), call("call_2", signature="Qg==")]
    )
    blocks = found["content"]

    assert [block["type"] for block in blocks] == ["thinking", "tool_use", "thinking", "tool_use"]
    opened = [unpack_signature(block["signature"], "") for block in blocks[::2]]
    assert [(one.call_id, one.signature) for one in opened if one] == [("call_1", "QQ=="), ("call_2", "Qg==")]
    assert [block["thinking"] for block in blocks[::2]] == ["Hm.", ""]


@pytest.mark.parametrize(("thinking", "shown"), [(SHOWN, ["Hm."]), (OMITTED, [""]), (NONE, [])])
def test_thoughts_are_shown_as_the_client_asked(thinking: ReadThinking, shown: list[str]) -> None:
    found = message("Hi.", thinking=thinking, reasoning_content="Hm.")

    assert [block["thinking"] for block in found["content"] if block["type"] == "thinking"] == shown


def test_signature_goes_to_the_store_alone_without_thinking() -> None:
    found = message(thinking=NONE, tool_calls=[call(signature="QQ==")])

    assert [block["type"] for block in found["content"]] == ["tool_use"]


@pytest.mark.parametrize(
    ("arguments", "read"),
    [("", {}), ("  ", {}), ('{"a":1,}', {"a": 1}), ('"{\\"a\\":1}"', {"a": 1}), ("[1]", {}), ("no json", {})],
)
def test_input_is_an_object_whatever_the_model_wrote(arguments: str, read: dict[str, Any]) -> None:
    [block] = message(tool_calls=[call(arguments=arguments)])["content"]

    assert block["input"] == read


def test_cut_call_is_left_out() -> None:
    """The client would run a part of the input for the whole."""
    found = message("Hi.", finish="length", tool_calls=[call(), call("call_2", '{"a":')])

    assert [block["type"] for block in found["content"]] == ["text", "tool_use"]
    assert found["stop_reason"] == "max_tokens"


@pytest.mark.parametrize("text", [None, "", "\n"])
def test_empty_answer_has_a_blank_text(text: str | None) -> None:
    """Some clients wait for content."""
    assert message(text)["content"] == [{"type": "text", "text": " "}]
    assert message(text, finish="length")["content"] == []


def test_refusal_is_said_as_text() -> None:
    assert message(refusal="No.")["content"] == [{"type": "text", "text": "No."}]


def test_call_of_the_older_form_is_a_call() -> None:
    """Some servers answer tools with ``function_call``. Without a block, the client would wait for ever."""
    found = message(function_call={"name": "f", "arguments": '{"a":1}'}, finish="function_call")

    [block] = found["content"]
    assert (block["type"], block["name"], block["input"]) == ("tool_use", "f", {"a": 1})
    assert block["id"].startswith("call_")
    assert found["stop_reason"] == "tool_use"
