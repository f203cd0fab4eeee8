"""Tests of each kind of rewrite: where its notes say that the meaning is kept, the same values fit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import Phase, event, find, given, settings
from hypothesis import strategies as st

from sanitizers.schemas import GEMINI, GEMINI_JSON, Dialect, clean_schema
from tests.sanitizers.schemas.drawn import values
from tests.sanitizers.schemas.fitting import judge_of
from tests.sanitizers.schemas.kinds import KINDS

DEFINITIONS = {"D": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}


def root(schema: Any) -> dict[str, Any]:
    """Return parameters with one property."""
    return {"type": "object", "properties": {"a": schema}, "$defs": DEFINITIONS}


def standard(schema: Any) -> Any:
    """Return *schema* with its type in the spelling of JSON Schema."""
    kind = schema.get("type")
    return {**schema, "type": kind.lower()} if isinstance(kind, str) else schema


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=max(50, settings.default.max_examples // 5 if settings.default else 0))
@given(
    dialect=st.sampled_from([GEMINI, GEMINI_JSON]),
    data=st.data(),
    tried=st.lists(values, min_size=4, max_size=8),
)
def test_a_rewrite_that_keeps_the_meaning_accepts_the_same_values(
    kind: str, dialect: Dialect, data: st.DataObject, tried: list[Any]
) -> None:
    """Only rewrites whose notes all say that the meaning was kept are compared."""
    schema = data.draw(KINDS[kind])
    done = clean_schema(root(schema), dialect)
    event("kept" if not done.losses else "lost")
    if done.losses:
        return
    before, after = judge_of(root(standard(schema))), judge_of(done.schema)
    for value in tried:
        assert before({"a": value}) == after({"a": value}), value


@pytest.mark.parametrize("kind", KINDS)
def test_every_strategy_meets_its_kind_of_rewrite(kind: str) -> None:
    """Each strategy can draw a schema that is rewritten for the strategy's reason and keeps its meaning."""

    def met(schema: Any) -> bool:
        notes = clean_schema(root(schema), GEMINI).notes
        return any(note.reason == kind for note in notes) and all(note.kept for note in notes)

    assert find(KINDS[kind], met, settings=settings(phases=[Phase.generate])) is not None
