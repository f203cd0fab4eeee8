"""Tests of each row of the repair table, with recorded words of providers."""

from __future__ import annotations

import copy

import pytest

from proxy.planning.repairs.repair_table import TABLE
from sanitizers import find_violations
from tests.proxy.planning.repairs.asking import judged, repaired
from tests.proxy.planning.repairs.cases import CASES, Case
from tests.support.gemini_body import as_sent

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


@every_case
def test_repair_removes_the_cause_once_without_mutation(case: Case) -> None:
    """The repair changes the part that the provider named, lists the change, and breaks no rule."""
    before = copy.deepcopy((case.messages, case.parameters))
    done = repaired(case.words, case.messages, case.parameters, case.profile, **case.more)

    assert (case.messages, case.parameters) == before
    assert done is not None
    assert case.mended(done)
    assert done.changes
    assert {change.step for change in done.changes} == {"repair"}
    profile = done.profile or case.profile
    assert find_violations(done.messages, profile) == ()
    assert repaired(case.words, list(done.messages), done.parameters, profile, **case.more) is None


@every_case
def test_repair_comes_from_its_row_alone(case: Case) -> None:
    """Without the case's row the cause of the refusal stays. No other row removes the cause by chance."""
    done = repaired(case.words, case.messages, case.parameters, case.profile, without=case.row, **case.more)

    assert done is None or not case.mended(done)


@pytest.mark.parametrize("case", [case for case in CASES if case.model], ids=lambda case: case.id)
def test_emulator_accepts_the_repaired_request(case: Case) -> None:
    """The emulator refuses the request with the recorded words, and accepts the repaired request."""
    sent = list(as_sent(case.messages, case.profile))
    refused = judged(case.model, sent, case.parameters, case.profile)
    done = repaired(case.words, sent, case.parameters, case.profile, **case.more)

    assert refused is not None
    assert refused.message == case.words
    assert done is not None
    assert judged(case.model, done.messages, done.parameters, done.profile or case.profile) is None


def test_every_row_has_a_case() -> None:
    """Every row of the table has a case, and names its source."""
    assert {id(case.row) for case in CASES} == {id(row) for row in TABLE}
    assert all(row.source for row in TABLE)


def test_words_of_the_table_are_lower_case() -> None:
    """The provider's words are compared in lower case."""
    phrases = [phrase for row in TABLE for phrase in (*row.says, *row.beside)]

    assert phrases == [phrase.lower() for phrase in phrases]


@every_case
def test_unspecific_error_changes_no_request(case: Case) -> None:
    """Gemini's general error names no part of the request, so no repair follows."""
    words = "Request contains an invalid argument."

    assert repaired(words, case.messages, case.parameters, case.profile) is None
