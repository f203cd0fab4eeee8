"""Quirks of how events are framed, on Gemini's own wire."""

from __future__ import annotations

from tests.support.quirks.framing import FRAMINGS
from tests.support.quirks.gemini.parts import COUNTED, EMPTY, USAGE, A, call, calls, event, row, text
from tests.support.quirks.meaning import Row

ROWS: list[Row] = [
    row(
        f"gemini, framing: {name}",
        [event(text("Zürich\n日")), event(call("f", A)), event(EMPTY, end="STOP", usage=USAGE)],
        calls(("f", A), text="Zürich\n日", usage=COUNTED),
        framing=way,
    )
    for name, way in FRAMINGS.items()
]
