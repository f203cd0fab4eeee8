"""Property tests of fitting a request, with generated histories, budgets and limits."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from proxy.core.errors import ContextTooLong
from proxy.planning.budgets.budget_facts import BudgetFacts
from proxy.planning.budgets.fit_request import FitInput, FittedRequest, fit_request
from sanitizers import Unrepairable, find_violations, sanitize
from sanitizers.budget.estimate import Estimator
from tests.proxy.planning.budgets.shapes import GEMINI, LOCAL, History, facts_for, profile_of_model
from tests.support.strategies import damaged_histories, legal_histories
from tests.support.strategies.sessions import sessions

MODELS = (LOCAL, GEMINI, "openai/gpt-4o", "anthropic/claude-sonnet-4-5")
histories = st.one_of(sessions(), legal_histories(max_rounds=10), damaged_histories())
budgets = st.fixed_dictionaries(
    {"preset": st.sampled_from(["balanced", "balanced", "lango", "localcowork", "codex"])},
    optional={
        "margin": st.sampled_from([0.0, 0.3]),
        "reserve": st.sampled_from([0, 300]),
        "low": st.sampled_from([0.2, 0.8]),
        "cap": st.sampled_from([400, 3_000]),
        "last_turns": st.sampled_from([0, 1, 4]),
        "notice": st.booleans(),
    },
)
asked = st.sampled_from([None, None, 1, 100, 1_000, 50_000])


@st.composite
def drawn_facts(draw: st.DrawFn) -> BudgetFacts:
    """Draw the facts of a deployment, with a budget section."""
    return facts_for(
        draw(st.sampled_from(MODELS)),
        draw(st.integers(60, 6_000)),
        live=draw(st.sampled_from([0.5, 0.9, 1.0, 1.3, 3.0])),
        sticky=draw(st.sampled_from([0.5, 1.0, 1.1, 3.0])),
        learned=draw(st.none() | st.integers(60, 6_000)),
        tight=draw(st.booleans()),
        **draw(budgets),
    )


def repaired(history: History, facts: BudgetFacts) -> Any:
    """Return the history after sanitizing. A history that cannot be repaired is skipped."""
    try:
        return sanitize(history, profile_of_model(facts.deployment.model)).messages
    except Unrepairable:
        assume(False)


def fitted(history: History, facts: BudgetFacts, tokens: int | None) -> tuple[Any, FittedRequest | None]:
    """Sanitize *history*, and fit the request with *tokens* as its answer limit.

    Return the legal history and the result, None for a refused request.
    """
    profile = profile_of_model(facts.deployment.model)
    legal = repaired(history, facts)
    parameters = {} if tokens is None else {"max_tokens": tokens}
    try:
        return legal, fit_request(FitInput(legal, profile, parameters), facts)
    except ContextTooLong:
        return legal, None


@given(histories, drawn_facts(), asked)
def test_a_sent_request_is_legal_and_within_the_limit(
    history: History, facts: BudgetFacts, tokens: int | None
) -> None:
    """A sent request breaks no rule, and is within the hard mark by the newest factor. Any other request is refused."""
    _, done = fitted(history, facts, tokens)
    if done is None:
        return
    limit = done.report.limit.tokens
    assert limit is not None
    sent = Estimator(facts.family).request_tokens(done.messages)
    scale = done.report.factor or max(facts.calibration.live, facts.calibration.sticky)
    hard = limit * (facts.policy.hard or 1) * (0.8 if facts.tight else 1)

    assert find_violations(done.messages, profile_of_model(facts.deployment.model)) == ()
    # The newest factor may lie under the one that is planned by, never over it.
    assert sent * facts.calibration.live <= hard + len(done.messages)
    assert done.report.sent >= sent * scale - 1
    window = done.report.limit.window
    if tokens is not None and done.report.limit.shared and window is not None:
        assert done.parameters["max_tokens"] <= max(0, window - int(sent * scale))


@given(histories, drawn_facts(), asked)
def test_every_change_is_listed_and_repeatable(
    history: History, facts: BudgetFacts, tokens: int | None
) -> None:
    """Without a cut the history is the object that came in.

    The input never changes. A copy of the history has the same result.
    """
    legal, done = fitted(history, facts, tokens)
    _, again = fitted(json.loads(json.dumps(history)), facts, tokens)
    assert (done is None) == (again is None)
    if done is None or again is None:
        return
    assert (list(done.messages), done.changes) == (list(again.messages), again.changes)
    assert done.report.header() == again.report.header()
    before = copy.deepcopy(list(legal))
    cuts = [change for change in done.changes if change.reason != "output_reduced"]

    assert (done.messages is legal) == (not cuts)
    assert {change.step for change in done.changes} <= {"budget"}
    assert bool(done.report.removed) == bool(cuts)
    assert list(legal) == before
    assert (done.parameters.get("max_tokens") != tokens) == (len(done.changes) > len(cuts))


@given(histories, drawn_facts())
def test_header_and_error_are_short_and_hold_no_text_of_the_request(
    history: History, facts: BudgetFacts
) -> None:
    """The header is a short line, and an error's text is not a copy of the request."""
    profile = profile_of_model(facts.deployment.model)
    legal = repaired(history, facts)
    try:
        told = fit_request(FitInput(legal, profile, {}), facts).report.header()
    except ContextTooLong as error:
        told = error.message

    assert len(told) < 1_000
    assert "§" not in told
    assert told.isascii()
