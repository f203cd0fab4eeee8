"""Quirks of call indices, on OpenAI's wire: which piece belongs to which call."""

from __future__ import annotations

from tests.support.quirks.meaning import Row
from tests.support.quirks.openai.parts import (
    CALLS,
    F_A,
    FAULT,
    IN_PIECES,
    ROLE,
    TEXT_A,
    TEXT_B,
    TWO,
    A,
    B,
    calling,
    calls,
    piece,
    row,
    say,
)

_TWO_KEPT = calls(("f", A), ("f", B), ids=("a", "b"))

ROWS: list[Row] = [
    row("call in pieces", [ROLE, *IN_PIECES, CALLS], calls(("f", A), ids=("a",)), source="OpenAI"),
    row(
        "parallel calls in pieces, interleaved",
        [
            calling(piece(0, "a", "f", "")),
            calling(piece(1, "b", "f", "")),
            calling(piece(0, arguments=TEXT_A[:4]), piece(1, arguments=TEXT_B[:5])),
            calling(piece(1, arguments=TEXT_B[5:])),
            calling(piece(0, arguments=TEXT_A[4:])),
            CALLS,
        ],
        _TWO_KEPT,
        source="OpenAI",
    ),
    row(
        "no index, whole call",
        [calling(piece(id="a", name="f", arguments=TEXT_A)), CALLS],
        F_A,
        source="OpenMAIC#1556",
    ),
    row("null index", [calling(piece(None, "a", "f", TEXT_A)), CALLS], F_A),
    row(
        "no index, in pieces",
        [
            calling(piece(id="a", name="f", arguments="")),
            calling(piece(arguments=TEXT_A[:5])),
            calling(piece(arguments=TEXT_A[5:])),
            CALLS,
        ],
        F_A,
        source="openai-python#2806",
    ),
    row(
        "no index, parallel in chunks of their own",
        [
            calling(piece(id="a", name="f", arguments=TEXT_A)),
            calling(piece(id="b", name="f", arguments=TEXT_B)),
            CALLS,
        ],
        _TWO_KEPT,
        source="dayu-agent#45",
    ),
    row(
        "no index, parallel in one chunk",
        [
            calling(piece(id="a", name="f", arguments=TEXT_A), piece(id="b", name="f", arguments=TEXT_B)),
            CALLS,
        ],
        _TWO_KEPT,
    ),
    row(
        "no index, id with each piece",
        [
            calling(piece(id="a", name="f", arguments=TEXT_A[:4])),
            calling(piece(id="b", name="f", arguments=TEXT_B[:4])),
            calling(piece(id="a", arguments=TEXT_A[4:])),
            calling(piece(id="b", arguments=TEXT_B[4:])),
            CALLS,
        ],
        _TWO_KEPT,
    ),
    row(
        "no index, no id, parallel",
        [calling(piece(name="f", arguments=TEXT_A)), calling(piece(name="f", arguments=TEXT_B)), CALLS],
        TWO,
    ),
    row(
        "no index, no id, name with each piece",
        [
            calling(piece(name="f", arguments=TEXT_A[:6])),
            calling(piece(name="f", arguments=TEXT_A[6:])),
            CALLS,
        ],
        F_A,
    ),
    row(
        "index 0 for each parallel call",
        [calling(piece(0, "a", "f", TEXT_A)), calling(piece(0, "b", "f", TEXT_B)), CALLS],
        _TWO_KEPT,
        source="hermes#101654",
    ),
    row(
        "index 0 for each parallel call, finish in the last",
        [calling(piece(0, "a", "f", TEXT_A)), calling(piece(0, "b", "f", TEXT_B), finish="tool_calls")],
        _TWO_KEPT,
        source="brainlid#620",
    ),
    row(
        "index 0 for each parallel call, in pieces",
        [*IN_PIECES, calling(piece(0, "b", "f", "")), calling(piece(0, arguments=TEXT_B)), CALLS],
        _TWO_KEPT,
    ),
    row(
        "index 0 for each parallel call, no ids",
        [calling(piece(0, name="f", arguments=TEXT_A)), calling(piece(0, name="f", arguments=TEXT_B)), CALLS],
        TWO,
        source="hermes#102953",
    ),
    row(
        "part_index 0 and no index",
        [
            calling(piece(id="a", name="f", arguments=TEXT_A, part_index=0)),
            calling(piece(id="b", name="f", arguments=TEXT_B, part_index=0)),
            CALLS,
        ],
        _TWO_KEPT,
        source="hermes#111686",
    ),
    row(
        "index from 1",
        [calling(piece(1, "a", "f", TEXT_A)), calling(piece(2, "b", "f", TEXT_B)), CALLS],
        _TWO_KEPT,
    ),
    row(
        "call sent again, 0 1 1",
        [
            calling(piece(0, "a", "f", TEXT_A)),
            calling(piece(1, "b", "f", TEXT_B)),
            calling(piece(1, "b", "f", TEXT_B)),
            CALLS,
        ],
        _TWO_KEPT,
        source="hermes#111686",
    ),
    row(
        "call sent again, 0 0 0",
        [calling(piece(0, "a", "f", TEXT_A)), *[calling(piece(0, "b", "f", TEXT_B))] * 2, CALLS],
        _TWO_KEPT,
        source="hermes#111686",
    ),
    row(
        "call sent again under a new index",
        [
            calling(piece(0, "a", "f", TEXT_A)),
            calling(piece(1, "b", "f", TEXT_B)),
            calling(piece(2, "b", "f", TEXT_B)),
            CALLS,
        ],
        _TWO_KEPT,
    ),
    row(
        "call sent again, no ids",
        [
            calling(piece(0, name="f", arguments=TEXT_A)),
            *[calling(piece(1, name="f", arguments=TEXT_B))] * 2,
            CALLS,
        ],
        TWO,
    ),
    row(
        "call sent again, written otherwise",
        [calling(piece(0, "a", "f", TEXT_A)), calling(piece(0, "a", "f", '{"city": "A"}')), CALLS],
        F_A,
    ),
    row(
        "arguments grow from piece to piece",
        [
            calling(piece(0, "a", "f", '{"ci')),
            calling(piece(0, "a", "f", '{"city":')),
            calling(piece(0, "a", "f", TEXT_A)),
            CALLS,
        ],
        F_A,
    ),
    row(
        "arguments grow, the name with each piece",
        [
            calling(piece(0, "a", "f", "")),
            calling(piece(0, name="f", arguments='{"ci')),
            calling(piece(0, name="f", arguments=TEXT_A)),
            CALLS,
        ],
        F_A,
    ),
    row(
        "id is the name at index 0, one function before and behind another",
        [
            calling(piece(0, "f", "f", TEXT_A)),
            calling(piece(0, "g", "g", TEXT_A)),
            calling(piece(0, "f", "f", "")),
            calling(piece(0, arguments=TEXT_B)),
            CALLS,
        ],
        calls(("f", A), ("g", A), ("f", B)),
    ),
    row(
        "two pieces of one call in one chunk",
        [calling(piece(0, "a", "f", ""), piece(0, arguments=TEXT_A)), CALLS],
        calls(("f", A), ids=("a",)),
    ),
    row(
        "pieces of two calls in one chunk, by turns",
        [
            calling(
                piece(0, "a", "f", TEXT_A[:3]),
                piece(1, "b", "f", TEXT_B[:3]),
                piece(0, arguments=TEXT_A[3:]),
                piece(1, arguments=TEXT_B[3:]),
            ),
            CALLS,
        ],
        _TWO_KEPT,
    ),
    row(
        "arguments that look as if they grew",
        [
            calling(piece(0, "a", "f", "")),
            calling(piece(0, arguments='{"a":')),
            calling(piece(0, arguments='{"a":1}}')),
            CALLS,
        ],
        calls(("f", {"a": {"a": 1}})),
    ),
    row(
        "shared id, the second call sent again",
        [calling(piece(0, "x", "f", TEXT_A)), *[calling(piece(1, "x", "f", TEXT_B))] * 2, CALLS],
        TWO,
        source="9router#4273, hermes#111686",
    ),
    row(
        "shared id at index 0, arguments of the second in a piece of their own",
        [
            calling(piece(0, "x", "f", TEXT_A)),
            calling(piece(0, "x", "f", "")),
            calling(piece(0, "x", arguments=TEXT_B)),
            CALLS,
        ],
        TWO,
    ),
    row(
        "arguments whole at the end again",
        [
            calling(piece(0, "a", "f", "")),
            calling(piece(0, arguments='{"ci')),
            calling(piece(0, arguments='ty":"A"}')),
            calling(piece(0, arguments=TEXT_A)),
            CALLS,
        ],
        F_A,
    ),
    row(
        "name with each piece",
        [
            calling(piece(0, "a", "f", "")),
            calling(piece(0, name="f", arguments=TEXT_A[:5])),
            calling(piece(0, name="f", arguments=TEXT_A[5:])),
            CALLS,
        ],
        F_A,
    ),
    row(
        "id, type and name with each piece",
        [
            calling(piece(0, "a", "f", "")),
            calling(piece(0, "a", "f", TEXT_A[:5])),
            calling(piece(0, "a", "f", TEXT_A[5:])),
            CALLS,
        ],
        F_A,
    ),
    row(
        "name after the id",
        [calling(piece(0, "a")), calling(piece(0, name="f")), calling(piece(0, arguments=TEXT_A)), CALLS],
        F_A,
    ),
    row(
        "name after the arguments",
        [calling(piece(0, "a", arguments=TEXT_A)), calling(piece(0, name="f")), CALLS],
        F_A,
    ),
    row("call that is never named", [calling(piece(0, "a", arguments=TEXT_A)), CALLS], FAULT),
    row(
        "null and empty fields in later pieces",
        [
            calling(piece(0, "a", "f", "")),
            calling({"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": TEXT_A}}),
            CALLS,
        ],
        F_A,
        source="Azure, vLLM",
    ),
    row(
        "empty fields in later pieces",
        [
            calling(piece(0, "a", "f", "")),
            calling({"index": 0, "id": "", "type": "", "function": {"name": "", "arguments": TEXT_A}}),
            CALLS,
        ],
        F_A,
        source="autogen#4878",
    ),
    row(
        "pieces that say nothing",
        [
            calling(piece(0, "a", "f", "")),
            calling(piece(0)),
            calling({"index": 0, "function": {}}),
            calling({"index": 0, "function": None}),
            calling(piece(0, arguments=TEXT_A)),
            CALLS,
        ],
        F_A,
    ),
    row(
        "text, then calls, then text",
        [say("Let me see. "), *IN_PIECES, say("Done."), CALLS],
        calls(("f", A), text="Let me see. Done."),
    ),
    row(
        "two functions at index 0, no ids",
        [calling(piece(0, name="f", arguments=TEXT_A)), calling(piece(0, name="g", arguments=TEXT_A)), CALLS],
        calls(("f", A), ("g", A)),
    ),
]
