"""Quirks around an answer, on OpenAI's wire: its head, vendors' fields, errors."""

from __future__ import annotations

import json

from tests.support.quirks.meaning import GOOGLE, OTHER, Row
from tests.support.quirks.openai.noise import VENDOR, cluttered
from tests.support.quirks.openai.parts import (
    ABSENT,
    CALL_A,
    CALLS,
    FAULT,
    GOOD,
    ROLE,
    SAID,
    STOP,
    TEXT_A,
    TEXT_B,
    TWO,
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

_E = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
ORDINARY = [ROLE, say("Good "), calling(piece(0, "a", "f", "")), calling(piece(0, arguments=TEXT_A)), CALLS]
_SAYS_BOTH = calls(("f", A), text="Good ")

ROWS: list[Row] = [
    row(
        "created 0, null id, null model",
        [{**one, "created": 0, "id": None, "model": None} for one in (*SAID, STOP)],
        GOOD,
        whole=whole({"content": "Good day."}, created=0, id=None, model=None),
        source="CLIProxyAPI#866",
    ),
    row(
        "no id, created, model or object",
        [{"choices": one["choices"]} for one in (*SAID, STOP)],
        GOOD,
        whole=json.dumps(
            {"choices": [{"message": {"content": "Good day."}, "finish_reason": "stop"}]}
        ).encode(),
    ),
    row(
        "empty id and model",
        [{**one, "id": "", "model": "", "object": ""} for one in (*SAID, STOP)],
        GOOD,
        whole=whole({"content": "Good day."}, id="", model="", object="", created=-1),
    ),
    row(
        "head changes with each chunk",
        [
            {**one, "id": f"c{at}", "created": 1_760_000_000 + at, "model": f"m{at}"}
            for at, one in enumerate((*SAID, STOP))
        ],
        GOOD,
        source="litellm",
    ),
    row(
        "head comes late",
        [chunk(choices=[], id="", model="", created=0), *SAID, STOP],
        GOOD,
        source="Azure",
    ),
    row(
        "odd types in the head",
        [{**one, "id": 7, "created": "now", "model": ["m"]} for one in (*SAID, STOP)],
        GOOD,
        whole=whole({"content": "Good day."}, id=7, created="now", model=["m"]),
    ),
    row(
        "created is a float",
        [{**one, "created": 1_760_000_000.5} for one in (*SAID, STOP)],
        GOOD,
        whole=whole({"content": "Good day."}, created=1_760_000_000.5),
    ),
    row(
        "vendors' fields everywhere",
        [cluttered(one) for one in ORDINARY],
        _SAYS_BOTH,
        whole=whole(
            {
                "content": "Good ",
                "tool_calls": [call("a", "f", TEXT_A, part_index=0)],
                "provider_specific_fields": {},
                "images": [],
            },
            "tool_calls",
            **VENDOR,
        ),
    ),
    row(
        "vendors' fields that we know by name",
        [{**one, "service_tier": "on_demand", "system_fingerprint": 7} for one in (*SAID, STOP)],
        GOOD,
        whole=whole({"content": "Good day."}, service_tier="on_demand", system_fingerprint=7),
        source="Groq",
    ),
    row("error after text", [*SAID, _E], FAULT, model=GOOGLE),
    row("error in an array after text", [*SAID, [_E]], FAULT, model=GOOGLE, source="helix#1835"),
    row("error behind the call", [CALL_A, _E], FAULT),
    row("error first", [_E], FAULT, whole=json.dumps(_E).encode()),
    row("error in an array first", [[_E]], FAULT, whole=json.dumps([_E]).encode(), source="helix#1835"),
    Row("error as JSON", OTHER, json.dumps(_E).encode(), FAULT),
    Row(
        "error in an array as JSON",
        GOOGLE,
        b"\n" + json.dumps([_E], indent=1).encode(),
        FAULT,
        source="helix#1835",
    ),
    Row(
        "whole answer in place of a stream",
        OTHER,
        whole_calls(call("a", "f", TEXT_A), call(ABSENT, "f", TEXT_B), finish="stop", content=""),
        TWO,
    ),
    row("event that is no JSON", [*SAID, "<html>", STOP], FAULT),
    row("event that is cut", [*SAID, '{"choices":[{"index":0,"del'], FAULT, done=False),
]
