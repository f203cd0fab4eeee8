"""Quirks of calls, on Gemini's own wire."""

from __future__ import annotations

from tests.support.quirks.gemini.parts import (
    EMPTY,
    F_A,
    FAULT,
    THOUGHT,
    TWO,
    A,
    B,
    bare,
    call,
    calls,
    event,
    row,
    text,
)
from tests.support.quirks.meaning import Row

ROWS: list[Row] = [
    row("gemini: call", [event(call("f", A), end="STOP")], F_A),
    row(
        "gemini: call, then an empty end",
        [event(call("f", A)), event(EMPTY, end="STOP")],
        F_A,
        source="python-genai#2868",
    ),
    row(
        "gemini: call with STOP, then an empty end",
        [event(call("f", A), end="STOP"), event(EMPTY, end="STOP")],
        F_A,
        source="python-genai#2868",
    ),
    row("gemini: parallel calls in one event", [event(call("f", A), call("f", B), end="STOP")], TWO),
    row(
        "gemini: parallel calls in events of their own",
        [event(call("f", A)), event(call("f", B)), event(EMPTY, end="STOP")],
        TWO,
        source="hermes#101654",
    ),
    row(
        "gemini: identical parallel calls",
        [event(call("f", A), call("f", A), end="STOP")],
        calls(("f", A), ("f", A)),
    ),
    row(
        "gemini: call sent again",
        [
            event(call("f", A, id="a")),
            event(call("f", B, id="b")),
            event(call("f", B, id="b")),
            event(end="STOP"),
        ],
        TWO,
        source="hermes#111686",
    ),
    row(
        "gemini: ids",
        [event(call("f", A, id="a"), call("g", B, id="b"), end="STOP")],
        calls(("f", A), ("g", B)),
    ),
    row("gemini: empty id", [event(call("f", A, id=""), call("f", B, id=""), end="STOP")], TWO),
    row(
        "gemini: id is the name",
        [event(call("f", A, id="f"), call("f", B, id="f"), end="STOP")],
        TWO,
        source="TanStack#199",
    ),
    row(
        "gemini: id is the answer's",
        [event(call("f", A, id="resp-1")), event(call("f", B, id="resp-1"), end="STOP")],
        TWO,
        source="9router#4273",
    ),
    row(
        "gemini: id of an earlier turn",
        [event(call("f", A, id="call_0"), end="STOP")],
        F_A,
        taken=("call_0",),
        source="cline#9768",
    ),
    row(
        "gemini: id with other characters",
        [event(call("f", A, id="functions.f:0 " + "x" * 50), end="STOP")],
        F_A,
    ),
    row("gemini: no arguments", [event(call("f"), end="STOP")], calls(("f", {}))),
    row(
        "gemini: null arguments",
        [event({"functionCall": {"name": "f", "args": None}}, end="STOP")],
        calls(("f", {})),
    ),
    row(
        "gemini: deep arguments",
        [event(call("f", {"x": [{"é": '}{"日\\'}, None, 1.5, True]}), end="STOP")],
        calls(("f", {"x": [{"é": '}{"日\\'}, None, 1.5, True]})),
    ),
    row(
        "gemini: text, then a call",
        [event(text("Wait.")), event(call("f", A), end="STOP")],
        calls(("f", A), text="Wait."),
    ),
    row(
        "gemini: thought, then a call",
        [event(THOUGHT), event(call("f", A), end="STOP")],
        calls(("f", A), reasoning="Hm."),
    ),
    row("gemini: empty text beside a call", [event(EMPTY, call("f", A), EMPTY, end="STOP")], F_A),
    row(
        "gemini: call cut by length",
        [event(call("f", A), end="MAX_TOKENS")],
        calls(("f", A), finish="length"),
    ),
    row(
        "gemini: call that is filtered",
        [event(call("f", A)), bare(finishReason="SAFETY")],
        calls(("f", A), finish="content_filter"),
    ),
    row("gemini: no name", [event({"functionCall": {"args": A}}, end="STOP")], FAULT),
]
