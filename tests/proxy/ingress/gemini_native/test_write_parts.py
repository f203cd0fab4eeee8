"""Tests of calls and thoughts as parts."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.gemini_native.answer_context import AnswerContext
from proxy.ingress.gemini_native.write_parts import signature_of, write_calls, write_thought
from sanitizers.native.gemini.envelope import unpack_thoughts

CONTEXT = AnswerContext("m", "seed", tenant="one")
BLOCKS = [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]


def call(call_id: str = "call_1", arguments: str = "{}", signature: str | None = None) -> dict[str, Any]:
    """Return a canonical call."""
    made = {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}}
    return (
        made if signature is None else {**made, "extra_content": {"google": {"thought_signature": signature}}}
    )


def test_call_has_its_id_and_its_arguments_as_an_object() -> None:
    [part] = write_calls(CONTEXT, [call(arguments='{"a": 1}')], (), is_cut=False)

    assert part == {"functionCall": {"id": "call_1", "name": "f", "args": {"a": 1}}}


@pytest.mark.parametrize(("arguments", "args"), [("", {}), ("nonsense", {}), ("{'a': True,}", {"a": True})])
def test_other_notations_of_arguments_are_mended(arguments: str, args: dict[str, Any]) -> None:
    [part] = write_calls(CONTEXT, [call(arguments=arguments)], (), is_cut=False)

    assert part["functionCall"]["args"] == args


def test_signature_stands_on_its_own_call() -> None:
    given = [call(), call("call_2", signature="QQ==")]

    assert [part.get("thoughtSignature") for part in write_calls(CONTEXT, given, (), is_cut=False)] == [
        None,
        "QQ==",
    ]


def test_claudes_thoughts_stand_on_the_first_call() -> None:
    """gemini-cli returns no other signature."""
    first, second = write_calls(CONTEXT, [call(), call("call_2")], BLOCKS, is_cut=False)

    opened = unpack_thoughts(first["thoughtSignature"], "one")
    assert opened is not None
    assert (opened.call_id, opened.blocks) == ("call_1", BLOCKS)
    assert "thoughtSignature" not in second


def test_call_that_was_cut_off_is_left_out() -> None:
    """The client would run it with a part of its input."""
    given = [call(arguments='{"a": "half'), call("call_2")]

    assert [part["functionCall"]["id"] for part in write_calls(CONTEXT, given, (), is_cut=True)] == ["call_2"]
    assert len(write_calls(CONTEXT, given, (), is_cut=False)) == 2


def test_thought_is_marked() -> None:
    assert write_thought("Hm.") == {"text": "Hm.", "thought": True}
    assert signature_of({"content": "x"}) is None
