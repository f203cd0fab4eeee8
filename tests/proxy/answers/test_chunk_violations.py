"""Tests of the checker that finds violations of the rules for strict chunks in a stream.

Each rule is broken alone by a stream of the table, and right streams break no rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from proxy.answers.chunk_rules import CHUNK_RULES, ChunkViolation
from proxy.answers.chunk_violations import find_chunk_violations
from proxy.core.strict_chunk import StrictChunk

Chunks = Sequence[Mapping[str, Any]]

RIGHT: list[StrictChunk] = [
    {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [
            {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None},
            {"index": 1, "delta": {"role": "assistant", "refusal": "No."}, "finish_reason": None},
        ],
    },
    {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "delta": {
                    "reasoning_content": "Hm: 😀",
                    "tool_calls": [
                        {
                            "index": 0,
                            "id": "a",
                            "type": "function",
                            "function": {"name": "f", "arguments": '{"a"'},
                        },
                        {
                            "index": 1,
                            "id": "b",
                            "type": "function",
                            "function": {"name": "f", "arguments": ""},
                            "extra_content": {"google": {"thought_signature": "cw=="}},
                        },
                    ],
                },
                "finish_reason": None,
                "logprobs": {"content": [{"token": "Hm", "logprob": -1}], "refusal": None},
            },
        ],
    },
    {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "delta": {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]},
                "finish_reason": None,
            },
            {
                "index": 1,
                "delta": {"extra_content": {"google": {"thought_signature": "cw=="}}},
                "finish_reason": "content_filter",
            },
        ],
    },
    {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "delta": {"tool_calls": [{"index": 1, "function": {"arguments": "{} "}}]},
                "finish_reason": "tool_calls",
            }
        ],
    },
    {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [],
        "usage": {
            "prompt_tokens": 1,
            "completion_tokens": 2,
            "total_tokens": 3,
            "prompt_tokens_details": {"cached_tokens": 1},
        },
    },
]
"""A stream of two choices, one of them with two calls. mypy checks its types."""


def chunk(*choices: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a chunk of *choices*."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**head, "choices": list(choices), **fields}


def choice(finish: Any = None, /, index: Any = 0, **delta: Any) -> dict[str, Any]:
    """Return a choice with *delta* and the finish reason *finish*."""
    return {"index": index, "delta": delta, "finish_reason": finish}


def opening(finish: Any = None, /, **delta: Any) -> dict[str, Any]:
    """Return a chunk with a choice's first delta."""
    return chunk(choice(finish, role="assistant", **delta))


def head(place: int = 0, arguments: str = "{}", call: Any = "a", name: str = "f") -> dict[str, Any]:
    """Return the first piece of a tool call, which has the call's id and name."""
    return {
        "index": place,
        "id": call,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def more(place: int, arguments: str, **fields: Any) -> dict[str, Any]:
    """Return a later piece of a tool call, which has no id and no name."""
    return {"index": place, "function": {"arguments": arguments}, **fields}


def counts(prompt: Any, completion: Any, total: Any, **details: Any) -> dict[str, Any]:
    """Return a chunk's usage, with the three token counts."""
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total, **details}


HI = opening(content="Hi")
STOP = chunk(choice("stop"))
USAGE = chunk(usage=counts(1, 2, 3))
CALL = opening(tool_calls=[head()])
CALLED = chunk(choice("tool_calls"))
LACKING: dict[str, dict[str, Any]] = {
    "no id": {"id": ""},
    "another type": {"type": "custom"},
    "no name": {"function": {"arguments": "{}"}},
}
REPEATED: dict[str, dict[str, Any]] = {
    "id": {"id": "a"},
    "type": {"type": "function"},
    "name": {"function": {"name": "f", "arguments": ""}},
}
SIGNED = {"google": {"thought_signature": "cw=="}}


@dataclass(frozen=True)
class Broken:
    """A stream that breaks one rule in the chunk with index *chunk*."""

    rule: str
    chunk: int
    choice: int | None
    chunks: Chunks
    note: str = ""

    @property
    def title(self) -> str:
        """The name of the rule, followed by the note."""
        return f"{self.rule} {self.note}".strip()


ABOUT_CHUNKS = [
    Broken("chunk_fields", 1, None, [HI, {**STOP, "system_fingerprint": "x"}], "unknown field"),
    Broken("chunk_fields", 1, None, [HI, {**STOP, "source": {"format": "toy"}}], "a source that leaked"),
    Broken("head_types", 0, None, [{**opening("stop"), "created": 0}], "no time"),
    Broken("head_types", 0, None, [{**opening("stop"), "id": ""}], "no id"),
    Broken("head_types", 0, None, [{**opening("stop"), "model": None}], "no model"),
    Broken("head_types", 0, None, [{**opening("stop"), "object": "x"}], "another object"),
    *(
        Broken("head_changed", 1, None, [HI, {**STOP, name: value}], name)
        for name, value in {"id": "d", "created": 2, "model": "n"}.items()
    ),
    Broken("chunk_empty", 1, None, [HI, chunk(), STOP]),
    Broken("usage_beside_choices", 1, None, [HI, {**STOP, "usage": counts(1, 2, 3)}]),
    Broken("usage_repeated", 3, None, [HI, STOP, USAGE, USAGE]),
    Broken("usage_not_last", 2, None, [HI, USAGE, STOP]),
    Broken("usage_counts", 2, None, [HI, STOP, chunk(usage=counts(1, 2, 4))], "no sum"),
    Broken("no_choice", 1, None, [USAGE]),
    Broken("no_choice", 0, None, [], "no chunk"),
]

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}

ABOUT_CHOICES = [
    Broken("choice_fields", 1, None, [HI, chunk({**choice("stop"), "safety": []}), STOP], "unknown field"),
    Broken("choice_fields", 1, None, [HI, chunk(choice("stop", index=-1)), STOP], "no place"),
    Broken("choice_twice_in_chunk", 1, 0, [HI, chunk(choice(content="a"), choice("stop"))]),
    Broken("choice_after_finish", 2, 0, [HI, STOP, chunk(choice(content="a"))], "goes on"),
    Broken("choice_after_finish", 2, 0, [HI, STOP, STOP], "ends twice"),
    Broken("choice_unfinished", 1, 0, [HI]),
    Broken("role_missing", 0, 0, [chunk(choice("stop", content="Hi"))]),
    Broken("role_missing", 0, 0, [chunk(choice("stop", role="model"))], "another's"),
    Broken(
        "role_missing", 1, 1, [HI, chunk(choice("stop"), choice("stop", index=1))], "of the second choice"
    ),
    Broken("role_repeated", 1, 0, [HI, chunk(choice("stop", role="assistant"))]),
    Broken("delta_fields", 1, 0, [HI, chunk(choice("stop", images=[]))], "unknown field"),
    Broken("thoughts_shape", 1, 0, [HI, chunk(choice(thinking_blocks=[THOUGHT])), STOP], "before the end"),
    *(
        Broken("thoughts_shape", 1, 0, [HI, chunk(choice("stop", thinking_blocks=value))], f"{value}")
        for value in ([], [{"type": "text"}], {"type": "thinking"}, ["thinking"])
    ),
    Broken("delta_fields", 1, 0, [HI, chunk(choice("stop", content=["a"]))], "a list as text"),
    Broken("delta_empty", 1, 0, [HI, chunk(choice()), STOP]),
    *(
        Broken("text_empty", 1, 0, [HI, chunk(choice("stop", **{name: value}))], f"{name} {value!r}")
        for name in ("content", "reasoning_content", "refusal")
        for value in ("", None)
    ),
    Broken("text_empty", 0, 0, [opening(content="", tool_calls=[head()]), CALLED], "beside calls"),
    Broken("text_half", 1, 0, [HI, chunk(choice("stop", content="\ud83d"))], "in a text"),
    Broken("text_half", 0, 0, [opening(tool_calls=[head(0, '{"a":"\ude00"}')]), CALLED], "in arguments"),
    Broken(
        "logprobs_shape", 1, 0, [HI, chunk({**choice("stop"), "logprobs": {"tokens": []}})], "of completions"
    ),
    Broken("finish_unknown", 1, 0, [HI, chunk(choice("eos"))]),
    Broken("finish_unknown", 1, 0, [HI, chunk(choice(["stop"]))], "a list"),
    Broken("finish_hides_calls", 1, 0, [CALL, STOP]),
    Broken(
        "finish_hides_calls",
        1,
        0,
        [opening(tool_calls=[head()], function_call={"name": "f"}), chunk(choice("function_call"))],
        "as a legacy call",
    ),
    Broken("finish_without_calls", 1, 0, [HI, CALLED]),
    Broken("finish_without_calls", 1, 0, [HI, chunk(choice("function_call"))], "of the old form"),
    Broken(
        "finish_without_calls",
        1,
        0,
        [opening(function_call=None), chunk(choice("function_call"))],
        "where the call is null",
    ),
    Broken(
        "signature_repeated",
        1,
        0,
        [opening(extra_content=SIGNED), chunk(choice("stop", extra_content=SIGNED))],
    ),
    Broken("signature_shape", 1, 0, [HI, chunk(choice("stop", extra_content={"vertex": {}}))]),
]

ABOUT_CALLS = [
    Broken("piece_fields", 1, 0, [HI, chunk(choice("stop", tool_calls=[]))], "no piece"),
    Broken("piece_fields", 1, 0, [HI, chunk(choice("stop", tool_calls=None))], "null"),
    Broken(
        "piece_fields", 1, 0, [CALL, chunk(choice("tool_calls", tool_calls=[{"index": 0}]))], "no arguments"
    ),
    Broken("call_place", 1, 0, [CALL, chunk(choice("tool_calls", tool_calls=[head(2, call="b")]))]),
    *(
        Broken("call_head_missing", 0, 0, [opening(tool_calls=[{**head(), **without}]), CALLED], note)
        for note, without in LACKING.items()
    ),
    *(
        Broken(
            "call_head_repeated",
            1,
            0,
            [CALL, chunk(choice("tool_calls", tool_calls=[{**more(0, ""), **again}]))],
            note,
        )
        for note, again in REPEATED.items()
    ),
    Broken("call_twice_in_delta", 0, 0, [opening(tool_calls=[head(0, "{"), more(0, "}")]), CALLED]),
    Broken("call_id_illegal", 0, 0, [opening(tool_calls=[head(call="a.b")]), CALLED], "alphabet"),
    Broken("call_id_illegal", 0, 0, [opening(tool_calls=[head(call="a" * 41)]), CALLED], "length"),
    Broken("call_id_shared", 0, 0, [opening(tool_calls=[head(), head(1)]), CALLED]),
    Broken(
        "call_id_shared",
        1,
        1,
        [
            CALL,
            chunk(choice("tool_calls"), choice("tool_calls", index=1, role="assistant", tool_calls=[head()])),
        ],
        "between choices",
    ),
    Broken("arguments_of_two", 1, 0, [opening(tool_calls=[head(0, '{"a":1}\n{}')]), CALLED]),
    Broken(
        "arguments_of_two",
        1,
        0,
        [opening(tool_calls=[head(0, '{}{"a"')]), chunk(choice("length"))],
        "cut off",
    ),
    *(
        Broken("arguments_no_object", 1, 0, [opening(tool_calls=[head(0, text)]), CALLED], repr(text))
        for text in ("", "{", "[]", '"{}"', '{"a":NaN}', "{} x")
    ),
    Broken(
        "signature_shape", 0, 0, [opening(tool_calls=[{**head(), "extra_content": {}}]), CALLED], "of a call"
    ),
    Broken(
        "signature_repeated",
        1,
        0,
        [
            opening(tool_calls=[{**head(), "extra_content": SIGNED}]),
            chunk(choice("tool_calls", tool_calls=[more(0, "", extra_content=SIGNED)])),
        ],
        "of a call",
    ),
]

TABLE = [*ABOUT_CHUNKS, *ABOUT_CHOICES, *ABOUT_CALLS]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.title)
def test_a_broken_rule_is_found_at_its_chunk(row: Broken) -> None:
    """The checker finds the broken rule of each stream and no other violation."""
    assert find_chunk_violations(row.chunks) == (ChunkViolation(row.rule, row.chunk, row.choice),)


def test_every_rule_has_a_broken_stream() -> None:
    """Every rule has a stream in the table that breaks it."""
    assert {row.rule for row in TABLE} == CHUNK_RULES.keys()


@pytest.mark.parametrize(
    "chunks",
    [
        RIGHT,
        [HI, STOP],
        [opening("stop", content="Hi")],
        [opening(), chunk(choice(function_call={"name": "f"})), chunk(choice("function_call"))],
        [opening(tool_calls=[head(0, '{"a')]), chunk(choice("length"))],
        [opening(tool_calls=[head()]), chunk({**choice(), "logprobs": {"content": []}}), CALLED],
    ],
    ids=["rich", "two chunks", "one chunk", "legacy call", "cut off", "logprobs alone"],
)
def test_a_right_stream_breaks_no_rule(chunks: Chunks) -> None:
    """The checker finds no violation in right streams that are similar to the broken streams."""
    assert find_chunk_violations(chunks) == ()


def test_a_stream_that_broke_off_lacks_its_end() -> None:
    """A missing end is no violation in a stream that broke off. Earlier violations are still found."""
    again = chunk(choice(role="assistant", content="a"))

    assert find_chunk_violations([], complete=False) == ()
    assert find_chunk_violations([HI, again], complete=False) == (ChunkViolation("role_repeated", 1, 0),)


def test_violations_are_in_reading_order_and_each_is_listed_once() -> None:
    """Violations are listed in the order of the chunks, and two empty texts of one delta are one violation."""
    wrong = chunk(choice(content="", refusal="", role="assistant"))

    found = find_chunk_violations([HI, wrong])

    assert Counter(one.rule for one in found) == {"role_repeated": 1, "text_empty": 1, "choice_unfinished": 1}
    assert [one.chunk for one in found] == [1, 1, 2]
    assert all(one.words == CHUNK_RULES[one.rule] for one in found)


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [None], [{}], {"index": 0}])
@pytest.mark.parametrize("place", ["choices", "usage", "choice", "delta", "piece", "function", "extra"])
def test_any_json_is_checked(place: str, value: Any) -> None:
    """The checker reports a violation for each wrong JSON value at any place of a chunk, and never raises."""
    piece = {**head(), "function": value} if place == "function" else {**head(), "extra_content": value}
    wrong = {
        "choices": chunk(choices=value),
        "usage": chunk(choice(), usage=value),
        "choice": {**chunk(), "choices": [value]},
        "delta": chunk({**choice(), "delta": value}),
        "piece": opening(tool_calls=[value]),
    }.get(place, opening(tool_calls=[piece]))

    assert find_chunk_violations([wrong], complete=False) != ()
