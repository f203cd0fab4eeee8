"""Tests the checks of the proxy's answers: they find each fault, and accept answers as OpenAI sends them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.contract.answers import judge_answer
from tests.support.contract.streams import judge_stream

HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "m"}
SIGNATURE = {"google": {"thought_signature": "c2ln"}}
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
Chunks = list[dict[str, Any]]


def chunk(delta: Any, finish: Any = None) -> dict[str, Any]:
    """Return a chunk with one choice."""
    return {**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def piece(index: int, arguments: str, **fields: Any) -> dict[str, Any]:
    """Return a piece of a streamed call."""
    name = {"name": fields.pop("name")} if "name" in fields else {}
    return {"index": index, **fields, "function": {**name, "arguments": arguments}}


GOOD: Chunks = [
    chunk({"role": "assistant", "content": None, "reasoning_content": "Hm."}),
    chunk({"content": "Wait."}),
    chunk({"tool_calls": [piece(0, "", id="a", type="function", name="f", extra_content=SIGNATURE)]}),
    chunk({"tool_calls": [piece(0, '{"x":')]}),
    chunk({"tool_calls": [piece(0, "1}"), piece(1, "{}", id="b", type="function", name="g")]}),
    chunk({}, "tool_calls"),
    {**HEAD, "choices": [], "usage": USAGE},
]
TEXT: Chunks = [chunk({"role": "assistant", "content": "Hi"}), chunk({}, "stop")]
ERROR = {"error": {"message": "Broken.", "type": "server_error", "param": None, "code": "upstream_error"}}


def written(chunks: list[Any], end: str = "data: [DONE]\n\n") -> bytes:
    """Return the bytes of a stream with *chunks*, followed by *end*."""
    return ("".join(f"data: {json.dumps(one)}\n\n" for one in chunks) + end).encode()


def faults(raw: bytes, **options: Any) -> list[str]:
    """Return the violations of a stream."""
    return judge_stream(raw, **{"usage_asked": True, **options}).violations


def test_good_stream_is_read_as_it_was_meant() -> None:
    """A legal stream is read with its text, reasoning, calls, signatures and usage."""
    judged = judge_stream(written(GOOD, ": beat\n\ndata: [DONE]\n\n"), usage_asked=True)
    choice = judged.said.choices[0]

    assert judged.violations == []
    assert (choice.text, choice.reasoning, choice.finish) == ("Wait.", "Hm.", "tool_calls")
    assert [(one.id, one.name, one.arguments, one.signature) for one in choice.calls] == [
        ("a", "f", '{"x":1}', "c2ln"),
        ("b", "g", "{}", None),
    ]
    assert judged.said.usage == USAGE
    assert faults(written(TEXT)) == []


def test_broken_stream_owes_no_finish_reason() -> None:
    """A stream that ends with an error needs no finish reason."""
    judged = judge_stream(written([*GOOD[:3], ERROR], ""))

    assert judged.violations == []
    assert judged.said.error == ERROR["error"]


def put(at: int, path: str, value: Any) -> Callable[[Chunks], None]:
    """Return a function that damages chunks: it sets *value* at *path* in the chunk *at*."""
    names: list[Any] = [int(name) if name.isdecimal() else name for name in path.split(".")]

    def fault(chunks: Chunks) -> None:
        holder: Any = chunks[at]
        for name in names[:-1]:
            holder = holder[name]
        holder[names[-1]] = value

    return fault


def drop(at: int, path: str) -> Callable[[Chunks], None]:
    """Return a function that damages chunks: it deletes *path* in the chunk *at*."""
    *names, last = path.split(".")

    def fault(chunks: Chunks) -> None:
        holder: Any = chunks[at]
        for name in names:
            holder = holder[int(name) if name.isdecimal() else name]
        del holder[last]

    return fault


DELTA = "choices.0.delta"
FIRST = f"{DELTA}.tool_calls.0"

FAULTS: list[tuple[Callable[[Chunks], Any], str]] = [
    (put(1, "id", "other"), "not the same"),
    (put(1, "id", ""), "id: is ''"),
    (put(1, "id", None), "type: id"),
    (put(1, "created", 0), "created: is 0"),
    (put(1, "created", 1.5), "type: created"),
    (put(1, "model", "other"), "not the same"),
    (put(1, "object", "x"), "type: object"),
    (drop(0, f"{DELTA}.role"), "begins with role"),
    (put(1, f"{DELTA}.role", "assistant"), "role again"),
    (put(5, "choices.0.finish_reason", None), "finish_reason is None"),
    (put(5, "choices.0.finish_reason", "stop"), "holds calls and ends"),
    (put(5, "choices.0.finish_reason", "eos"), "type: choices.0.finish_reason"),
    (put(4, "choices.0.finish_reason", "tool_calls"), "goes on behind"),
    (drop(1, "choices.0.finish_reason"), "left out"),
    (put(2, f"{FIRST}.id", "a b"), "not legal"),
    (put(2, f"{FIRST}.id", "x" * 41), "not legal"),
    (put(2, f"{FIRST}.id", "b"), "share one"),
    (drop(2, f"{FIRST}.id"), "without id"),
    (drop(2, f"{FIRST}.type"), "without id"),
    (drop(2, f"{FIRST}.function.name"), "without id"),
    (drop(2, f"{FIRST}.function.arguments"), "are no text"),
    (drop(2, f"{FIRST}.index"), "index"),
    (put(2, f"{FIRST}.index", 1), "is number"),
    (put(3, f"{FIRST}.id", "a"), "again"),
    (put(3, f"{FIRST}.function.name", ""), "again"),
    (put(3, f"{FIRST}.index", 1), "without id"),
    (put(4, f"{DELTA}.tool_calls.1.index", 0), "two pieces of one call"),
    (put(3, f"{FIRST}.function.arguments", '{"x"'), "not one JSON object"),
    (put(3, f"{FIRST}.function.arguments", '{}{"x":'), "not one JSON object"),
    (put(3, f"{DELTA}.content", ""), "empty beside calls"),
    (put(3, f"{DELTA}.reasoning_content", ""), "empty beside calls"),
    (put(1, f"{DELTA}.tool_calls", []), "tool_calls is []"),
    (put(1, f"{DELTA}.reasoning", "x"), "clutter"),
    (put(1, f"{DELTA}.provider_specific_fields", {}), "clutter"),
    (put(1, "citations", []), "clutter"),
    (put(1, "choices.0.safety", []), "clutter"),
    (put(3, f"{FIRST}.part_index", 0), "clutter"),
    (put(3, f"{FIRST}.function.x", 0), "clutter"),
    (put(6, "usage.cost", 0.1), "clutter"),
    (put(3, f"{FIRST}.extra_content", SIGNATURE), "two signatures"),
    (put(3, f"{FIRST}.extra_content", {"google": {"x": "y"}}), "extra_content is"),
    (put(1, f"{DELTA}.extra_content", {"google": {"thought_signature": ""}}), "extra_content is"),
    (put(5, "usage", None), "usage"),
    (put(6, "usage.total_tokens", 6), "are not 6"),
    (put(6, "usage.total_tokens", "5"), "type: usage"),
    (put(6, "usage.completion_tokens_details", {"reasoning_tokens": 3}), "more than all"),
    (lambda chunks: chunks.append(chunks[-1]), "not in the last"),
    (lambda chunks: chunks.insert(5, chunks.pop()), "before a finish"),
    (lambda chunks: chunks.append({**HEAD, "choices": []}), "choices: are none"),
]


@pytest.mark.parametrize(
    ("fault", "words"), FAULTS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_fault_of_a_stream_is_named(fault: Callable[[Chunks], Any], words: str) -> None:
    """The violations of a stream name each fault in its chunks."""
    chunks = copy.deepcopy(GOOD)
    fault(chunks)

    assert any(words in found for found in faults(written(chunks)))


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (written(TEXT, ""), "[DONE] stands 0 times"),
        (written(TEXT, "data: [DONE]\n\n" * 2), "[DONE] stands 2 times"),
        (written([], "data: [DONE]\n\n" + written(TEXT, "").decode()), "not at the end"),
        (written([*TEXT, ERROR]), "stands beside"),
        (written([ERROR, *TEXT], ""), "not the last"),
        (written([{"error": {"message": "x"}}], ""), "envelope"),
        (written([{"error": {**ERROR["error"], "message": ""}}], ""), "no message"),
        (written([]), "no choice"),
        (written(TEXT)[:-1], "blank line"),
        (b"event: x\n" + written(TEXT), "one data line"),
        (written(TEXT).replace(b"\n", b"\r\n"), "blank line"),
        (written(TEXT).replace(b'"Hi"', b'"\\ud83d"'), "strict JSON"),
        (written(TEXT).replace(b'"Hi"', b"NaN"), "strict JSON"),
        (written(TEXT).replace(b'"Hi"', b'"\xff"'), "UTF-8"),
        (written(TEXT).replace(b'"index"', b'"index": 0, "index"'), "twice"),
        (written([TEXT[0], chunk({}, "tool_calls")]), "holds none"),
        (written([TEXT[0], chunk({}, "function_call")]), "holds none"),
    ],
)
def test_faults_of_the_frame(raw: bytes, words: str) -> None:
    """The violations of a stream name each fault in its events or their encoding."""
    assert any(words in found for found in faults(raw))


def test_options_of_the_request_decide_what_is_right() -> None:
    """The options decide whether usage, known ids, foreign ids and broken arguments are violations."""
    assert any("not asked" in found for found in faults(written(GOOD), usage_asked=False))
    assert any("history" in found for found in faults(written(GOOD), taken={"b"}))
    assert any("not one of the proxy's" in found for found in faults(written(GOOD), fresh_ids=True))
    broken = copy.deepcopy(GOOD)
    put(3, f"{FIRST}.function.arguments", '{"x"')(broken)
    assert faults(written(broken), broken_arguments=True) == []


CALL = {
    "id": "a",
    "type": "function",
    "function": {"name": "f", "arguments": "{}"},
    "extra_content": SIGNATURE,
}
ANSWER: dict[str, Any] = {
    **HEAD,
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "reasoning_content": "Hm.",
                "tool_calls": [CALL],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": USAGE,
}
MESSAGE = "choices.0.message"


def test_good_answer_is_read_as_it_was_meant() -> None:
    """A whole answer without faults has no violations, and its signature is read."""
    judged = judge_answer(ANSWER)

    assert judged.violations == []
    assert [call.signature for call in judged.said.choices[0].calls] == ["c2ln"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (put(0, "created", 0), "created"),
        (put(0, "id", ""), "id"),
        (put(0, "choices", []), "choices: are none"),
        (put(0, "choices.0.finish_reason", "stop"), "holds calls"),
        (put(0, f"{MESSAGE}.content", ""), "empty beside calls"),
        (drop(0, f"{MESSAGE}.content"), "left out"),
        (put(0, f"{MESSAGE}.tool_calls", []), "tool_calls is []"),
        (put(0, f"{MESSAGE}.tool_calls.0.index", 0), "clutter"),
        (put(0, f"{MESSAGE}.tool_calls.0.id", "a.b"), "not legal"),
        (put(0, f"{MESSAGE}.tool_calls.0.function.arguments", ""), "not one JSON object"),
        (put(0, f"{MESSAGE}.tool_calls.0.function.name", ""), "without type"),
        (put(0, f"{MESSAGE}.thinking_blocks", []), "clutter"),
        (put(0, "service_tier", "on_demand"), "service_tier"),
        (put(0, "usage", {}), "usage"),
    ],
)
def test_faults_of_answers(fault: Callable[[Chunks], None], words: str) -> None:
    """The violations of a whole answer name each of its faults."""
    answers = [copy.deepcopy(ANSWER)]
    fault(answers)

    assert any(words in found for found in judge_answer(answers[0]).violations)
