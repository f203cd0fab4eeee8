"""Tests of JSON Schema's keywords, and of the types that each keyword constrains."""

from __future__ import annotations

import pytest

from sanitizers.schemas import DIALECTS, Dialect
from sanitizers.schemas.keywords import (
    ANNOTATIONS,
    KINDS_OF,
    MEANINGLESS_KEYWORDS,
    implied_kind,
    is_annotation,
)

COMBINING = {"$ref", "anyOf", "enum", "nullable", "oneOf", "type"}


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_keyword_of_a_dialect_is_known(dialect: Dialect) -> None:
    """An unknown keyword counts as an annotation, so that a misspelled one would go unnoticed."""
    assert dialect.keywords | dialect.root_keywords <= {*KINDS_OF, *ANNOTATIONS, *COMBINING, "allOf"}


@pytest.mark.parametrize(
    ("keywords", "kind"),
    [
        ({"properties", "items"}, "object"),
        ({"items", "minimum"}, "array"),
        ({"minimum", "pattern"}, "number"),
        ({"pattern", "title"}, "string"),
        ({"format"}, "string"),
        ({"format", "multipleOf"}, "number"),
        ({"not", "title"}, None),
        (set(), None),
    ],
)
def test_a_type_is_implied_by_keywords_of_few_types(keywords: set[str], kind: str | None) -> None:
    """``not`` implies no type. ``format`` implies a text only where no other keyword implies a type."""
    assert implied_kind(keywords) == kind


@pytest.mark.parametrize(
    ("keyword", "annotates"),
    [("title", True), ("x-own", True), ("not", False), ("allOf", False), ("minLength", False)],
)
def test_keywords_that_refuse_no_value_are_annotations(keyword: str, annotates: bool) -> None:
    """Keywords that JSON Schema does not know refuse no value either."""
    assert is_annotation(keyword) is annotates


def test_mark_of_codex_has_no_meaning() -> None:
    """Codex marks the schemas of its collaboration tools as ``encrypted``, which Gemini refuses."""
    assert "encrypted" in MEANINGLESS_KEYWORDS
