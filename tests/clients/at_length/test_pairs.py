"""Tests every two values of two axes together: client, stream, model, scenario, and where the history is."""

from __future__ import annotations

import itertools
from operator import attrgetter

import pytest

from tests.clients.responses.cases import (
    GEMINI,
    MODELS,
    SCENARIOS,
    SCRIPTS,
    STATES,
    STORED,
    TEXT,
    Case,
    in_pairs,
    pairs_of,
)
from tests.clients.responses.gateways import Gateways
from tests.clients.responses.running_cases import run_case

AXES = (SCRIPTS, (False, True), MODELS, SCENARIOS, STATES)


def row_of(case: Case) -> tuple[object, ...]:
    """Return the values of *case* in the order of the axes."""
    return (case.script, case.stream, case.model, case.scenario, case.state)


def test_every_pair_that_is_possible_is_in_a_case() -> None:
    """The cases have all pairs of the possible rows of the whole product."""
    possible = [row for row in itertools.product(*AXES) if Case(*row).is_possible]

    covered = set().union(*(pairs_of(row_of(case)) for case in in_pairs()))

    assert covered == set().union(*map(pairs_of, possible))


@pytest.mark.parametrize("case", in_pairs(), ids=attrgetter("name"))
def test_client_gets_its_answer_and_keeps_its_history(gateways: Gateways, case: Case) -> None:
    """The client ends as it should, every answer is legal, and the provider got the whole history."""
    run_case(case, gateways)


ONCE_FAILED = [
    # pydantic-ai's empty tags for an answer without thoughts, of a model whose name it does not know
    Case("responses.with_pydantic_ai", stream, GEMINI, TEXT, STORED)
    for stream in (False, True)
]
"""Cases that failed once, and that are in no pair."""


@pytest.mark.parametrize("case", ONCE_FAILED, ids=attrgetter("name"))
def test_what_failed_once(gateways: Gateways, case: Case) -> None:
    """The client ends as it should, and the provider gets the model's own words."""
    run_case(case, gateways)
