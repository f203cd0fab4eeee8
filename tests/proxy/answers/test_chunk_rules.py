"""Tests that the code and ``docs/canonical-chat.md`` have the same rules for the chunks that clients get."""

from __future__ import annotations

from pathlib import Path

from proxy.answers.chunk_rules import CHUNK_RULES
from tests.support.markdown_tables import key_in, rows_under

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "canonical-chat.md").read_text(encoding="utf-8")


def test_the_document_lists_every_rule_in_its_words() -> None:
    """The document lists exactly the rules of the code, in the same words."""
    listed = {key_in(rule): words for rule, words in rows_under(DOCUMENT, "The rules of the strict chunk")}

    assert listed == CHUNK_RULES
