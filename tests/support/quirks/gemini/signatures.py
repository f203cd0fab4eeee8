"""Quirks of thought signatures, on Gemini's own wire."""

from __future__ import annotations

from tests.support.quirks.gemini.parts import (
    GOOD,
    SIGNATURE,
    SIGNED,
    THOUGHT,
    A,
    B,
    call,
    calls,
    event,
    row,
    text,
)
from tests.support.quirks.meaning import Row

_SIGNED_A = calls(("f", A), signatures=(SIGNATURE,))

ROWS: list[Row] = [
    row("gemini: signature on the call", [event(call("f", A, **SIGNED), end="STOP")], _SIGNED_A),
    row(
        "gemini: signature on the first of two",
        [event(call("f", A, **SIGNED), call("f", B), end="STOP")],
        calls(("f", A), ("f", B), signatures=(SIGNATURE,)),
    ),
    row(
        "gemini: signature on the thought before",
        [event({**THOUGHT, **SIGNED}), event(call("f", A), end="STOP")],
        calls(("f", A), reasoning="Hm.", signatures=(SIGNATURE,)),
        source="gemini-cli",
    ),
    row(
        "gemini: signature on an empty text before",
        [event({"text": "", **SIGNED}), event(call("f", A), end="STOP")],
        _SIGNED_A,
    ),
    row(
        "gemini: signature on an empty text behind",
        [event(call("f", A)), event({"text": "", **SIGNED}, end="STOP")],
        _SIGNED_A,
    ),
    row(
        "gemini: signature on an empty text at the end",
        [event(text("Good day.")), event({"text": "", **SIGNED}, end="STOP")],
        GOOD,
    ),
    row(
        "gemini: long signature",
        [event(call("f", A, id="a", thoughtSignature="QUJD" * 400), end="STOP")],
        calls(("f", A), signatures=("QUJD" * 400,)),
    ),
]
