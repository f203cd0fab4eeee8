"""Tests that the mode of sanitizing decides what becomes of a request that is too long."""

from __future__ import annotations

import pytest

from proxy.core.errors import ContextTooLong
from proxy.planning.budgets.fit_by_mode import fit_by_mode
from proxy.planning.budgets.fit_request import FitInput, fit_request
from tests.proxy.planning.budgets.shapes import agent, facts_for, profile_of_model

LONG = FitInput(agent(40), profile_of_model(), {})
HOPELESS = FitInput(agent(1, prompt="word " * 40_000), profile_of_model(), {})
FACTS = facts_for(window=24_000)


def test_repair_sends_what_was_cut() -> None:
    """The result is that of :func:`fit_request`."""
    assert fit_by_mode(LONG, FACTS, "repair", count=False) == fit_request(LONG, FACTS)


def test_observe_reports_the_cuts_and_sends_the_whole() -> None:
    """The tokens that are sent are those that came in."""
    fitted = fit_by_mode(LONG, FACTS, "observe", count=False)

    assert fitted is not None
    assert fitted.messages is LONG.messages
    assert fitted.changes == fit_request(LONG, FACTS).changes != ()
    assert fitted.report.sent == fitted.report.estimate


@pytest.mark.parametrize(
    ("given", "words"),
    [(LONG, r"would have to be cut \(mode 'strict'\)"), (HOPELESS, "maximum context length")],
)
def test_strict_refuses_a_request_that_needs_a_cut(given: FitInput, words: str) -> None:
    """A request that cannot be made to fit has the error of every mode."""
    with pytest.raises(ContextTooLong, match=words):
        fit_by_mode(given, FACTS, "strict", count=False)


def test_observe_has_no_result_for_a_request_that_cannot_fit() -> None:
    """Mode repair refuses such a request, and mode observe sends it."""
    assert fit_by_mode(HOPELESS, FACTS, "observe", count=False) is None
    with pytest.raises(ContextTooLong):
        fit_by_mode(HOPELESS, FACTS, "repair", count=False)


def test_a_request_that_fits_is_the_same_in_every_mode() -> None:
    """Nothing is cut or refused."""
    short = FitInput(agent(1), profile_of_model(), {})

    for mode in ("repair", "observe", "strict"):
        fitted = fit_by_mode(short, FACTS, mode, count=False)
        assert fitted is not None
        assert fitted.messages is short.messages
