"""All examples on OpenAI's wire."""

from __future__ import annotations

from tests.support.quirks.meaning import Row
from tests.support.quirks.openai import arguments, ends, frames, heads, ids, indices, signatures, texts, usage

_MODULES = (indices, ids, arguments, ends, texts, usage, heads, signatures, frames)
ROWS: list[Row] = [row for module in _MODULES for row in module.ROWS]
