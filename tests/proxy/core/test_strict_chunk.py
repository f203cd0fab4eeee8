"""Tests that ``docs/canonical-chat.md`` lists the keys of a strict chunk as the code has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proxy.core import strict_chunk
from tests.support.markdown_tables import key_in, rows_under

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "canonical-chat.md").read_text(encoding="utf-8")
KINDS = [
    kind
    for kind in vars(strict_chunk).values()
    if hasattr(kind, "__required_keys__") and kind.__module__ == strict_chunk.__name__
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_document_lists_the_keys_of_each_chunk_type(kind: Any) -> None:
    """The document lists each type's keys in the code's order, and marks required keys."""
    listed = {key_in(row[0]): row[1] for row in rows_under(DOCUMENT, f"`{kind.__name__}`")}

    assert list(listed) == list(kind.__annotations__)
    assert {key for key, required in listed.items() if required == "yes"} == kind.__required_keys__


def test_chunk_types_are_found() -> None:
    """The search finds all 10 chunk types, so that the test above has cases."""
    assert strict_chunk.StrictChunk in KINDS
    assert len(KINDS) == 10
