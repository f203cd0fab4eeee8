"""Quirks of call ids, on OpenAI's wire."""

from __future__ import annotations

from tests.support.quirks.meaning import GOOGLE, Row
from tests.support.quirks.openai.parts import (
    CALLS,
    F_A,
    STOP,
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

_LONG = "call_" + "x" * 75
_SIGNED = "a__thought__" + "QUJD" * 20

ROWS: list[Row] = [
    row(
        "no id",
        [calling(piece(0, name="f", arguments=TEXT_A)), CALLS],
        F_A,
        whole=whole_calls(call(arguments=TEXT_A)),
    ),
    row(
        "null id",
        [calling(piece(0, None, "f", TEXT_A)), CALLS],
        F_A,
        whole=whole_calls(call(None, "f", TEXT_A)),
    ),
    row(
        "empty id",
        [calling(piece(0, "", "f", TEXT_A)), CALLS],
        F_A,
        whole=whole_calls(call("", "f", TEXT_A)),
        source="autogen#4878",
    ),
    row(
        "id that is a number",
        [calling(piece(0, 7, "f", TEXT_A)), CALLS],
        F_A,
        whole=whole_calls(call(7, "f", TEXT_A)),
    ),
    row(
        "id is the function's name, shared",
        [calling(piece(0, "f", "f", TEXT_A)), calling(piece(1, "f", "f", TEXT_B)), CALLS],
        TWO,
        whole=whole_calls(call("f", "f", TEXT_A), call("f", "f", TEXT_B)),
        source="TanStack#199",
    ),
    row(
        "id is the answer's, shared",
        [calling(piece(0, "chatcmpl-1", "f", TEXT_A)), calling(piece(1, "chatcmpl-1", "f", TEXT_B)), CALLS],
        TWO,
        whole=whole_calls(call("chatcmpl-1", "f", TEXT_A), call("chatcmpl-1", "f", TEXT_B)),
        source="9router#4273",
    ),
    row(
        "shared id, no index",
        [
            calling(piece(id="x", name="f", arguments=TEXT_A)),
            calling(piece(id="x", name="f", arguments=TEXT_B)),
            CALLS,
        ],
        TWO,
        source="eino-ext#652",
    ),
    row(
        "shared id with each piece, told apart by the index",
        [
            calling(piece(0, "x", "f", TEXT_A)),
            calling(piece(1, "x", "f", TEXT_B[:5])),
            calling(piece(1, "x", arguments=TEXT_B[5:])),
            CALLS,
        ],
        TWO,
        source="9router#4273",
    ),
    row(
        "shared id, pieces interleaved by the index",
        [
            calling(piece(0, "x", "f", TEXT_A[:5])),
            calling(piece(1, "x", "f", TEXT_B[:5])),
            calling(piece(0, arguments=TEXT_A[5:])),
            calling(piece(1, arguments=TEXT_B[5:])),
            CALLS,
        ],
        TWO,
    ),
    row(
        "identical parallel calls with ids of their own",
        [calling(piece(0, "a", "f", TEXT_A)), calling(piece(1, "b", "f", TEXT_A)), CALLS],
        calls(("f", A), ("f", A), ids=("a", "b")),
        whole=whole_calls(call("a", "f", TEXT_A), call("b", "f", TEXT_A)),
    ),
    row(
        "id of an earlier turn",
        [calling(piece(0, "call_0", "f", TEXT_A)), CALLS],
        F_A,
        whole=whole_calls(call("call_0", "f", TEXT_A)),
        taken=("call_0",),
        source="cline#9768",
    ),
    row(
        "ids of an earlier turn and a new one",
        [calling(piece(0, "call_0", "f", TEXT_A)), calling(piece(1, "call_9", "f", TEXT_B)), CALLS],
        calls(("f", A), ("f", B), ids=(None, "call_9")),
        whole=whole_calls(call("call_0", "f", TEXT_A), call("call_9", "f", TEXT_B)),
        taken=("call_0", "call_1"),
        source="cline#9768",
    ),
    row(
        "id with other characters",
        [
            calling(piece(0, "functions.f:0", "f", "")),
            calling(piece(0, "functions.f:0", arguments=TEXT_A)),
            CALLS,
        ],
        F_A,
        whole=whole_calls(call("functions.f:0", "f", TEXT_A)),
        source="Kimi",
    ),
    row(
        "id that is too long",
        [calling(piece(0, _LONG, "f", TEXT_A)), CALLS],
        F_A,
        whole=whole_calls(call(_LONG, "f", TEXT_A)),
        source="autogen#6377",
    ),
    row(
        "id with a signature in it",
        [calling(piece(0, _SIGNED, "f", TEXT_A)), CALLS],
        calls(("f", A), signatures=("QUJD" * 20,)),
        whole=whole_calls(call(_SIGNED, "f", TEXT_A)),
        source="litellm PR#16895",
    ),
    row(
        "id of 40 characters",
        [calling(piece(0, "x" * 40, "f", TEXT_A)), CALLS],
        calls(("f", A), ids=("x" * 40,)),
        whole=whole_calls(call("x" * 40, "f", TEXT_A)),
    ),
    row(
        "id in the second piece",
        [
            calling(piece(0, name="f", arguments=TEXT_A[:5])),
            calling(piece(0, "late", arguments=TEXT_A[5:])),
            CALLS,
        ],
        F_A,
    ),
    row(
        "id made up for each piece",
        [
            calling(piece(0, "a", "f", TEXT_A[:5])),
            calling(piece(0, "x1", arguments=TEXT_A[5:])),
            calling(piece(0, "b", "f", TEXT_B)),
            CALLS,
        ],
        TWO,
    ),
    row(
        "Gemini's ids are the proxy's",
        [calling(piece(0, "call_1", "f", TEXT_A)), calling(piece(1, "call_2", "f", TEXT_B)), CALLS],
        TWO,
        whole=whole_calls(call("call_1", "f", TEXT_A), call("call_2", "f", TEXT_B)),
        model=GOOGLE,
    ),
    row(
        "Gemini behind Google's endpoint: no index, no id, stop",
        [
            calling(piece(id="", name="f", arguments=TEXT_A), role="assistant"),
            calling(piece(id="", name="f", arguments=TEXT_B)),
            STOP,
        ],
        TWO,
        model=GOOGLE,
        source="OpenMAIC#1556, envoy#2399",
    ),
]
