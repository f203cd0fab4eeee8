"""Tests that only a change of an answer's content counts as a repair.

Ids, the model and names of tools are not compared, since a writer puts them into the native events.
"""

from __future__ import annotations

from typing import Any

import pytest

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import normalize_answer
from proxy.answers.repaired import is_repaired
from tests.support.scripted_upstream import answer, chunk


def piece(arguments: str | None = "{}", *, index: int = 0, **head: Any) -> dict[str, Any]:
    """Return a piece of a call. An id or a name makes it the first piece."""
    named = {"name": head.pop("name")} if "name" in head else {}
    return {"index": index, **head, "function": {**named, "arguments": arguments}}


def calling(*pieces: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """Return a chunk with pieces of calls."""
    return chunk({"tool_calls": list(pieces)}, finish)


def whole(*calls: dict[str, Any], finish: str = "tool_calls", **message: Any) -> dict[str, Any]:
    """Return an answer that is not streamed, with *calls*."""
    made = answer(None, **message, **({"tool_calls": list(calls)} if calls else {}))
    made["choices"][0]["finish_reason"] = finish
    return made


HEAD = piece("", id="a", name="f")
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RENAMED = {**CALL, "id": "b", "function": {"name": "g", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("projected", "canonical"),
    [
        (chunk({"content": "a"}), chunk({"role": "assistant", "content": "a"}, model="other", id="x")),
        (chunk({"content": ""}), chunk({"role": "assistant"})),
        (chunk({}), None),
        ({"choices": []}, None),
        ({"choices": [], "usage": {"total_tokens": 1}}, None),
        (chunk({"extra_content": {"google": {"thought_signature": "s"}}}), None),
        (calling(HEAD), calling(piece("", id="b", name="g", type="function"))),
        (calling(piece("{", id="a", name="f")), calling(piece("{"))),
        (chunk(finish="stop"), chunk({"role": "assistant"}, "stop")),
        (chunk({"content": "a"}, usage={"total_tokens": 1}), chunk({"content": "a"})),
        (whole(CALL, content=""), whole(RENAMED)),
        (whole(finish="stop", reasoning_content=""), whole(finish="stop")),
    ],
)
def test_equal_content_is_no_repair(projected: Any, canonical: Any) -> None:
    """Equal content is no repair, even with other names, ids, signatures or usage."""
    assert not is_repaired(projected, canonical)


@pytest.mark.parametrize(
    ("projected", "canonical"),
    [
        (chunk({"content": "a"}), None),
        (chunk({"content": "a"}), chunk({"content": "b"})),
        (chunk({}), chunk({"content": "b"})),
        (chunk({"content": "a"}), chunk({"reasoning_content": "a"})),
        (chunk({"refusal": "a"}), chunk({})),
        (chunk({"content": "a"}), chunk({"content": "a"}, index=1)),
        (chunk(finish="stop"), chunk(finish="tool_calls")),
        (chunk(finish="stop"), None),
        (calling(HEAD), None),
        (calling(piece("{")), calling(piece("{}"))),
        (calling(piece("{}", index=1)), calling(piece("{}", index=0))),
        (calling(HEAD, finish="tool_calls"), chunk(finish="stop")),
        (chunk(finish="tool_calls"), calling(piece("{}"), finish="tool_calls")),
        (chunk({"function_call": {"arguments": "{"}}), chunk({"function_call": {"arguments": ""}})),
        (whole(CALL, CALL), whole(CALL)),
        (whole(CALL), whole(finish="stop")),
        (whole(CALL), whole({**CALL, "function": {"name": "f", "arguments": '{"a":1}'}})),
        (whole(CALL, finish="stop"), whole(CALL)),
        (whole(content="a"), whole(content="b")),
    ],
)
def test_different_content_is_a_repair(projected: Any, canonical: Any) -> None:
    """Different content is a repair, and so is a withheld chunk."""
    assert is_repaired(projected, canonical)


def normalizer() -> ChunkNormalizer:
    """Return a normalizer for one stream."""
    return ChunkNormalizer(fallback_id="c", created=1, model="m", include_usage=True)


def test_normalizer_leaves_a_good_stream_as_it_is() -> None:
    """A good stream has no repair in any of its chunks."""
    chunks = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "Well."}),
        chunk({"content": "Good "}),
        chunk({"content": "day. ✓"}),
        calling(piece("", id="a", type="function", name="f")),
        calling(piece('{"a":')),
        calling(piece("1}")),
        chunk(finish="tool_calls"),
    ]
    normal = normalizer()

    assert [is_repaired(each, normal.normalize(each)) for each in chunks] == [False] * len(chunks)


@pytest.mark.parametrize(
    ("made", "repaired"), [('{"a":1}', False), ('"{}"', True)], ids=["an object", "encoded twice"]
)
def test_arguments_that_the_normalizer_decodes_are_a_repair(made: str, repaired: bool) -> None:
    """Arguments that were encoded twice and are decoded are a repair, in whole answers and in streams."""
    call = {**CALL, "function": {"name": "f", "arguments": made}}
    projected, normal = whole(call), normalizer()
    chunks = [calling(piece(made, id="a", type="function", name="f")), chunk(finish="tool_calls")]
    found = normalize_answer(projected, fallback_id="c", created=1, model="m").answer

    assert is_repaired(projected, found) == repaired
    assert any(is_repaired(each, normal.normalize(each)) for each in chunks) == repaired
