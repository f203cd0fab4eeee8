"""Checks the client's answer to a row, a provider's answer with its meaning: contract and meaning must be kept."""

from __future__ import annotations

import json
from typing import Any

from tests.support.contract.answers import judge_answer
from tests.support.contract.said import Judged
from tests.support.contract.streams import judge_stream
from tests.support.quirks.meaning import Row
from tests.support.replay import Replayed


def complaints(row: Row, replayed: Replayed, *, usage_asked: bool, whole: bool = False) -> list[str]:
    """Return every violation in a replayed answer. A refusal by the proxy is right if the row's meaning has a fault."""
    if replayed.refused is not None:
        return [] if row.meaning.fault else [f"refused: {replayed.refused}"]
    return complaints_of(row, replayed.raw, usage_asked=usage_asked, whole=whole)


def complaints_of(
    row: Row, raw: bytes, *, usage_asked: bool, whole: bool = False, estimated: bool = False
) -> list[str]:
    """Return every violation in the body of an answer with status 200."""
    options: dict[str, Any] = {
        "taken": frozenset(row.taken),
        "fresh_ids": row.is_gemini,
        "broken_arguments": row.meaning.broken,
    }
    judged: Judged
    if whole:
        judged = judge_answer(json.loads(raw), **options)
    else:
        judged = judge_stream(raw, usage_asked=usage_asked, **options)
    told = row.meaning.differences(judged.said, usage_asked=usage_asked or whole, estimated=estimated)
    return [*judged.violations, *told]
