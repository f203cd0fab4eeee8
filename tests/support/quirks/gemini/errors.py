"""Errors in place of answers, on Gemini's own wire."""

from __future__ import annotations

import json

from tests.support.quirks.gemini.parts import FAULT, OVERLOADED, event, row, text
from tests.support.quirks.meaning import NATIVE, Row

ROWS: list[Row] = [
    row("gemini: error after text", [event(text("Good ")), OVERLOADED], FAULT),
    row(
        "gemini: error in an array after text",
        [event(text("Good ")), [OVERLOADED]],
        FAULT,
        source="helix#1835",
    ),
    row("gemini: error first", [OVERLOADED], FAULT),
    row("gemini: event that is no JSON", [event(text("Good ")), "{]"], FAULT),
    Row("gemini: error as JSON", NATIVE, json.dumps(OVERLOADED).encode(), FAULT),
    Row(
        "gemini: error in an array as JSON",
        NATIVE,
        json.dumps([OVERLOADED]).encode(),
        FAULT,
        source="helix#1835",
    ),
]
