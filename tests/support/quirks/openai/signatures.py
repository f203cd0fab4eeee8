"""Quirks of thought signatures, on OpenAI's wire."""

from __future__ import annotations

from tests.support.quirks.meaning import GOOGLE, Row
from tests.support.quirks.openai.parts import (
    CALLS,
    F_A,
    GOOD,
    SAID,
    STOP,
    TEXT_A,
    TEXT_B,
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

_SIG = "c2lnbmF0dXJlLW9mLWEtdGhvdWdodA=="
_EXTRA = {"google": {"thought_signature": _SIG}}
_SIGNED_A = calls(("f", A), signatures=(_SIG,))

ROWS: list[Row] = [
    row(
        "signature on the call",
        [calling(piece(0, "a", "f", TEXT_A, extra_content=_EXTRA)), CALLS],
        _SIGNED_A,
        whole=whole_calls(call("a", "f", TEXT_A, extra_content=_EXTRA)),
        model=GOOGLE,
    ),
    row(
        "signature on the first of two",
        [
            calling(piece(0, "a", "f", TEXT_A, extra_content=_EXTRA)),
            calling(piece(0, "b", "f", TEXT_B)),
            STOP,
        ],
        calls(("f", A), ("f", {"city": "B"}), signatures=(_SIG,)),
        model=GOOGLE,
    ),
    row(
        "signature in a delta of its own behind the call",
        [calling(piece(0, "a", "f", TEXT_A)), calling({"index": 0, "extra_content": _EXTRA}), CALLS],
        _SIGNED_A,
        model=GOOGLE,
        source="open-webui/computer#224",
    ),
    row(
        "signature on each piece",
        [
            calling(piece(0, "a", "f", "", extra_content=_EXTRA)),
            calling(piece(0, arguments=TEXT_A, extra_content=_EXTRA)),
            CALLS,
        ],
        _SIGNED_A,
        model=GOOGLE,
    ),
    row(
        "signature under Vertex's name",
        [calling(piece(0, "a", "f", TEXT_A, extra_content={"vertex": {"thought_signature": _SIG}})), CALLS],
        _SIGNED_A,
        model=GOOGLE,
        source="pi#6733",
    ),
    row(
        "signature on the text",
        [chunk({"content": "Good ", "extra_content": _EXTRA}), say("day."), STOP],
        GOOD,
        whole=whole({"content": "Good day.", "extra_content": _EXTRA}),
        model=GOOGLE,
    ),
    row(
        "signature in the end's delta",
        [*SAID, chunk({"content": "", "extra_content": _EXTRA}, "stop")],
        GOOD,
        model=GOOGLE,
    ),
    row(
        "signature among vendors' fields",
        [
            calling(
                piece(
                    0,
                    "a",
                    "f",
                    TEXT_A,
                    provider_specific_fields={"thought_signature": _SIG},
                    extra_content={**_EXTRA, "other": 1},
                )
            ),
            CALLS,
        ],
        _SIGNED_A,
        model=GOOGLE,
        source="litellm",
    ),
    row(
        "extra_content of another kind",
        [calling(piece(0, "a", "f", TEXT_A, extra_content="x")), CALLS],
        F_A,
        model=GOOGLE,
    ),
]
