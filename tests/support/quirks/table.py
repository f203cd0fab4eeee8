"""The fixed examples of both wires, by their names."""

from __future__ import annotations

from tests.support.quirks.gemini import table as gemini
from tests.support.quirks.meaning import Row
from tests.support.quirks.openai import table as openai

ROWS: dict[str, Row] = {row.name: row for row in (*openai.ROWS, *gemini.ROWS)}
assert len(ROWS) == len(openai.ROWS) + len(gemini.ROWS), "two examples share a name"
