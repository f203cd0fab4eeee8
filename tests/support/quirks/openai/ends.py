"""Quirks of how answers end, on OpenAI's wire, missing ends included."""

from __future__ import annotations

import json

from tests.support.quirks.framing import DONE, FRAMINGS
from tests.support.quirks.meaning import GOOGLE, Meaning, Row
from tests.support.quirks.openai.parts import (
    CALL_A,
    CALLS,
    F_A,
    FAULT,
    GOOD,
    ROLE,
    SAID,
    STOP,
    TEXT_A,
    A,
    call,
    calling,
    calls,
    chunk,
    piece,
    row,
    say,
    whole,
    whole_calls,
)

_MALFORMED = "function_call_filter: MALFORMED_FUNCTION_CALL"
_UNEXPECTED = "function_call_filter: UNEXPECTED_TOOL_CALL"

ROWS: list[Row] = [
    row("text", [*SAID, STOP], GOOD, whole=whole({"content": "Good day."})),
    row(
        "stop with calls",
        [CALL_A, STOP],
        F_A,
        whole=whole_calls(call("a", "f", TEXT_A), finish="stop"),
        source="envoy#2399",
    ),
    row(
        "stop in the chunk of the call",
        [calling(piece(0, "a", "f", TEXT_A), finish="stop")],
        F_A,
        source="gcli2api#407",
    ),
    row(
        "text, then stop with calls",
        [say("Wait. "), CALL_A, STOP],
        calls(("f", A), text="Wait. "),
        model=GOOGLE,
    ),
    row(
        "function_call with calls",
        [CALL_A, chunk({}, "function_call")],
        F_A,
        whole=whole_calls(call("a", "f", TEXT_A), finish="function_call"),
    ),
    row("trailing stop", [CALL_A, CALLS, STOP], F_A, source="python-genai#2868"),
    row(
        "trailing stop with an empty text",
        [CALL_A, CALLS, chunk({"content": ""}, "stop")],
        F_A,
        source="python-genai#2868",
        model=GOOGLE,
    ),
    row("the end twice", [*SAID, STOP, STOP], GOOD),
    row(
        "length with a call cut off",
        [calling(piece(0, "a", "f", '{"ci')), chunk({}, "length")],
        calls(("f", '{"ci'), finish="length"),
    ),
    row(
        "length without a word",
        [chunk({}, "length")],
        Meaning(finish="length"),
        whole=whole({"content": None}, "length"),
        model=GOOGLE,
    ),
    row(
        "content filter",
        [say("Well"), chunk({}, "content_filter")],
        Meaning(text="Well", finish="content_filter"),
        whole=whole({"content": "Well"}, "content_filter"),
    ),
    row(
        "content filter with a call",
        [CALL_A, chunk({}, "content_filter")],
        calls(("f", A), finish="content_filter"),
    ),
    row(
        "Gemini's own word",
        [*SAID, chunk({}, "SAFETY")],
        Meaning(text="Good day.", finish="content_filter"),
        model=GOOGLE,
    ),
    row(
        "tool_calls without a call",
        [*SAID, CALLS],
        GOOD,
        whole=whole({"content": "Good day."}, "tool_calls"),
    ),
    row(
        "tool_calls with an empty list",
        [*SAID, calling(finish="tool_calls")],
        GOOD,
        whole=whole_calls(content="Good day."),
    ),
    row(
        "malformed call",
        [chunk({}, _MALFORMED)],
        FAULT,
        whole=whole({"content": None}, _MALFORMED),
        model=GOOGLE,
        source="hermes#11171",
    ),
    row(
        "malformed call after a text",
        [say("Let me "), chunk({}, _MALFORMED)],
        FAULT,
        model=GOOGLE,
        source="hermes#83882",
    ),
    row(
        "malformed call, its tail as text",
        [say("}}"), chunk({}, _MALFORMED)],
        FAULT,
        whole=whole({"content": "}}"}, _MALFORMED),
        model=GOOGLE,
        source="vellum#43134",
    ),
    row(
        "undeclared call",
        [CALL_A, chunk({}, _UNEXPECTED)],
        FAULT,
        whole=whole_calls(call("a", "f", TEXT_A), finish=_UNEXPECTED),
        model=GOOGLE,
        source="epam#325",
    ),
    row(
        "empty answer",
        [ROLE, STOP],
        FAULT,
        whole=whole({"content": ""}),
        model=GOOGLE,
        source="python-genai#1289",
    ),
    row("empty answer elsewhere", [ROLE, STOP], Meaning(), whole=whole({"content": ""})),
    row(
        "no choices at all",
        [chunk(choices=[]), chunk(choices=[], usage=None)],
        FAULT,
        whole=json.dumps({"id": "", "choices": []}).encode(),
        source="Portkey#1303",
    ),
    row(
        "chunks without choices first",
        [chunk(choices=[], prompt_filter_results=[]), *SAID, STOP],
        GOOD,
        source="Azure",
    ),
    row("nothing but the end", [], FAULT),
    row("nothing at all", [], FAULT, done=False),
    row("comments alone", [], FAULT, done=False, framing=FRAMINGS["comments"]),
    row("no finish reason", SAID, FAULT, whole=whole({"content": "Good day."}, None)),
    row("no finish reason and no end", SAID, FAULT, done=False),
    row("no finish reason behind a call", [CALL_A], FAULT),
    row("no [DONE]", [*SAID, STOP], GOOD, done=False),
    row("no [DONE] behind a call", [CALL_A, STOP], F_A, done=False),
    row("garbage behind [DONE]", [*SAID, STOP, DONE, "{]"], GOOD),
    row(
        "empty finish reasons",
        [chunk({"content": "Good day."}, ""), chunk({"content": None}, "null"), STOP],
        GOOD,
    ),
]
