"""Quirks of how events are framed, on OpenAI's wire."""

from __future__ import annotations

from tests.support.quirks.framing import FRAMINGS
from tests.support.quirks.meaning import Row
from tests.support.quirks.openai.parts import (
    CALLS,
    GOOD,
    ROLE,
    SAID,
    STOP,
    TEXT_A,
    A,
    calling,
    calls,
    piece,
    row,
    say,
)

_BOTH = [ROLE, say("Good "), calling(piece(0, "a", "f", "")), calling(piece(0, arguments=TEXT_A)), CALLS]

ROWS: list[Row] = [
    *(
        row(
            f"framing: {name}",
            [say("Zürich\n日"), *_BOTH],
            calls(("f", A), text="Zürich\n日Good "),
            framing=way,
        )
        for name, way in FRAMINGS.items()
    ),
    *(
        row(f"framing: {name}, no [DONE]", [*SAID, STOP], GOOD, framing=way, done=False)
        for name, way in FRAMINGS.items()
    ),
]
