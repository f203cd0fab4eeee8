"""Quirks of call arguments, on OpenAI's wire."""

from __future__ import annotations

from tests.support.quirks.meaning import Row
from tests.support.quirks.openai.parts import (
    CALLS,
    F_A,
    FAULT,
    TEXT_A,
    TEXT_B,
    TWO,
    A,
    B,
    call,
    calling,
    calls,
    piece,
    row,
    whole_calls,
)

_DOUBLE = '"{\\"city\\":\\"A\\"}"'

ROWS: list[Row] = [
    row(
        "no arguments",
        [calling(piece(0, "a", "f")), CALLS],
        calls(("f", {})),
        whole=whole_calls(call("a", "f")),
    ),
    row(
        "null arguments",
        [calling(piece(0, "a", "f", None)), CALLS],
        calls(("f", {})),
        whole=whole_calls(call("a", "f", None)),
    ),
    row(
        "arguments are the word null",
        [calling(piece(0, "a", "f", "null")), CALLS],
        calls(("f", {})),
        whole=whole_calls(call("a", "f", "null")),
        source="litellm",
    ),
    row(
        "empty arguments",
        [calling(piece(0, "a", "f", "")), CALLS],
        calls(("f", {})),
        whole=whole_calls(call("a", "f", "")),
        source="vLLM",
    ),
    row(
        "blank arguments",
        [calling(piece(0, "a", "f", " ")), calling(piece(0, arguments="\n")), CALLS],
        calls(("f", {})),
        whole=whole_calls(call("a", "f", " \n")),
    ),
    row(
        "empty arguments of the first of two",
        [calling(piece(0, "a", "f", "")), calling(piece(1, "b", "f", TEXT_B)), CALLS],
        calls(("f", {}), ("f", B)),
        whole=whole_calls(call("a", "f", ""), call("b", "f", TEXT_B)),
    ),
    row(
        "empty arguments, finish in the same chunk",
        [calling(piece(0, "a", "f", ""), finish="stop")],
        calls(("f", {})),
    ),
    row(
        "arguments are an object",
        [calling(piece(0, "a", "f", A)), CALLS],
        F_A,
        whole=whole_calls(call("a", "f", A)),
        source="Ollama",
    ),
    row(
        "arguments are an empty object",
        [calling(piece(0, "a", "f", {})), CALLS],
        calls(("f", {})),
        whole=whole_calls(call("a", "f", {})),
    ),
    row(
        "arguments encoded twice",
        [calling(piece(0, "a", "f", _DOUBLE)), CALLS],
        F_A,
        whole=whole_calls(call("a", "f", _DOUBLE)),
        source="autogen#4878",
    ),
    row(
        "arguments encoded twice, in pieces",
        [
            calling(piece(0, "a", "f", "")),
            *[calling(piece(0, arguments=part)) for part in (_DOUBLE[:1], _DOUBLE[1:3], _DOUBLE[3:])],
            CALLS,
        ],
        F_A,
    ),
    row(
        "arguments encoded twice, of two calls without index and id",
        [calling(piece(name="f", arguments=_DOUBLE)), calling(piece(name="f", arguments=TEXT_B)), CALLS],
        TWO,
    ),
    row(
        "a text that is no object",
        [calling(piece(0, "a", "f", '"hello"')), CALLS],
        calls(("f", '"hello"')),
        whole=whole_calls(call("a", "f", '"hello"')),
    ),
    row(
        "two objects in one piece",
        [calling(piece(0, "a", "f", TEXT_A + TEXT_B)), CALLS],
        TWO,
        whole=whole_calls(call("a", "f", TEXT_A + TEXT_B)),
        source="hermes#102953",
    ),
    row(
        "two objects, cut anywhere",
        [
            calling(piece(0, "a", "f", "")),
            *[
                calling(piece(0, arguments=part))
                for part in (TEXT_A[:4], TEXT_A[4:] + TEXT_B[:3], TEXT_B[3:])
            ],
            CALLS,
        ],
        TWO,
    ),
    row(
        "two objects, cut anywhere, the id with each piece",
        [
            calling(piece(0, "a", "f", TEXT_A + TEXT_B[:3])),
            calling(piece(0, "a", arguments=TEXT_B[3:])),
            CALLS,
        ],
        TWO,
    ),
    row(
        "two objects in one piece, then another call",
        [calling(piece(0, "a", "f", TEXT_A + TEXT_B)), calling(piece(1, "b", "g", TEXT_A)), CALLS],
        calls(("f", A), ("f", B), ("g", A)),
    ),
    row(
        "three objects with blanks",
        [calling(piece(0, "a", "f", f'{TEXT_A}\n{TEXT_B} {{"city":"C"}}')), CALLS],
        calls(("f", A), ("f", B), ("f", {"city": "C"})),
    ),
    row(
        "an object twice in one piece",
        [calling(piece(0, "a", "f", TEXT_A * 2)), CALLS],
        F_A,
        whole=whole_calls(call("a", "f", TEXT_A * 2)),
    ),
    row(
        "an object twice, without a name",
        [calling(piece(0, "a", "f", TEXT_A)), calling(piece(0, arguments=TEXT_A)), CALLS],
        F_A,
    ),
    row(
        "another object, without a name",
        [calling(piece(0, "a", "f", TEXT_A)), calling(piece(0, arguments=TEXT_B)), CALLS],
        TWO,
    ),
    row(
        "arguments that do not end",
        [calling(piece(0, "a", "f", '{"city":"A"')), CALLS],
        calls(("f", '{"city":"A"')),
        whole=whole_calls(call("a", "f", '{"city":"A"')),
    ),
    row(
        "arguments in Python's words",
        [calling(piece(0, "a", "f", "{'city': 'A'}")), CALLS],
        calls(("f", "{'city': 'A'}")),
        whole=whole_calls(call("a", "f", "{'city': 'A'}")),
    ),
    row(
        "blanks behind the arguments",
        [
            calling(piece(0, "a", "f", TEXT_A)),
            calling(piece(0, arguments="\n")),
            calling(piece(0, arguments="")),
            CALLS,
        ],
        F_A,
    ),
    row(
        "braces and quotes within texts",
        [
            calling(piece(0, "a", "f", "")),
            *[
                calling(piece(0, arguments=part))
                for part in ('{"x":"}{', '\\"}', '\\\\","y":{"z":', '["}"]}}')
            ],
            CALLS,
        ],
        calls(("f", {"x": '}{"}\\', "y": {"z": ["}"]}})),
    ),
    row(
        "arguments with a character cut in two",
        [calling(piece(0, "a", "f", '{"x":"\ud83d')), calling(piece(0, arguments='\ude00 é日"}')), CALLS],
        calls(("f", {"x": "\U0001f600 é日"})),
    ),
    row(
        "an array as JSON",
        [calling(piece(0, "a", "f", [1])), CALLS],
        FAULT,
        whole=whole_calls(call("a", "f", [1])),
    ),
]
