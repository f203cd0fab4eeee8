"""The limit and the separator of instructions are those that operators read of."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.core.instructions import MAX_BYTES, SEPARATOR, InstructionPart

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("document", ["docs/instructions.md", "deploy/README.md"])
def test_documents_name_the_limit(document: str) -> None:
    """The documents name the limit in bytes."""
    assert f"{MAX_BYTES:,} bytes" in (ROOT / document).read_text(encoding="utf-8")


def test_texts_are_parted_by_a_blank_line() -> None:
    """Two joined texts have one blank line between them."""
    assert f"a{SEPARATOR}b".splitlines() == ["a", "", "b"]


def test_a_text_is_whole_unless_it_was_cut() -> None:
    """A part that says nothing else holds its whole text."""
    assert InstructionPart("gateway", "a", 1).whole
