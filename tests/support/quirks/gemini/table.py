"""All examples on Gemini's own wire."""

from __future__ import annotations

from tests.support.quirks.gemini import calls, ends, errors, frames, signatures, usage
from tests.support.quirks.meaning import Row

ROWS: list[Row] = [row for module in (calls, ends, errors, usage, signatures, frames) for row in module.ROWS]
