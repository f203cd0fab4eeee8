"""Tests, with random schemas, what cleaning guarantees for every schema in every dialect."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from sanitizers import Unrepairable
from sanitizers.schemas import DIALECTS, REASONS, Dialect, clean_schema
from sanitizers.schemas.clean import clean_root
from sanitizers.schemas.context import RewriteContext
from sanitizers.schemas.rewrite import Rewriter
from sanitizers.schemas.values import same
from tests.sanitizers.schemas import drawn
from tests.sanitizers.schemas.fitting import judge_of

dialects = st.sampled_from(sorted(DIALECTS)).map(DIALECTS.__getitem__)


@given(dialects, st.one_of(drawn.roots, drawn.junk))
def test_cleaning_a_cleaned_schema_changes_nothing(dialect: Dialect, given_schema: dict[str, Any]) -> None:
    """A cleaned schema is returned as the same object.

    Equal schemas give equal results, and the input is not mutated.
    """
    before = copy.deepcopy(given_schema)
    try:
        done = clean_schema(given_schema, dialect)
    except Unrepairable:
        return

    assert same(given_schema, before)
    assert done == clean_schema(before, dialect)
    assert (done.schema is given_schema) == (not done.notes)
    assert all(note.reason in REASONS for note in done.notes)
    again = clean_schema(done.schema, dialect)
    assert again.schema is done.schema


@given(dialects, drawn.roots, st.lists(drawn.objects, min_size=2, max_size=5))
def test_same_values_fit_where_the_meaning_was_kept(
    dialect: Dialect, given_schema: dict[str, Any], values: list[dict[str, Any]]
) -> None:
    """If every note says that the meaning was kept, the same arguments fit the client's and the cleaned schema."""
    done = clean_schema(given_schema, dialect)
    if done.losses or not done.notes:
        event("lost" if done.losses else "clean")
        return
    event("kept")
    before, after = judge_of(given_schema), judge_of(done.schema)
    for value in values:
        one, other = before(value), after(value)
        assert None in (one, other) or one == other, value


@given(
    dialects, st.one_of(drawn.roots, drawn.junk, drawn.junk.map(lambda schema: {"properties": {"p": schema}}))
)
def test_every_difference_has_a_note(dialect: Dialect, given_schema: dict[str, Any]) -> None:
    """Every rewritten schema that differs from the client's has a note.

    Without a note, the client's schema is sent.
    """
    work = RewriteContext(given_schema, dialect, "parameters")
    try:
        written = clean_root(work) if dialect.root_only else Rewriter(work).root()
    except Unrepairable:
        return

    assert work.notes or same(written, given_schema)
