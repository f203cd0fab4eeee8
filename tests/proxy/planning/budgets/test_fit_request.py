"""Tests of fitting a request into its budget.

A request is counted where needed, cut where it is too long, and refused where cuts do not help.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from proxy.core.errors import ContextTooLong
from proxy.planning.budgets import fit_request as module
from proxy.planning.budgets.budget_facts import BudgetFacts
from proxy.planning.budgets.fit_request import FitInput, FittedRequest, estimate_sent, fit_request
from sanitizers import find_violations
from sanitizers.budget.estimate import Estimator
from sanitizers.outline import outline_of
from tests.proxy.planning.budgets.shapes import (
    LOCAL,
    History,
    agent,
    facts_for,
    output,
    profile_of_model,
    tokens,
)
from tests.support.builders import assistant, image, system, tool, user

NO_PARAMETERS: dict[str, Any] = {}


def fitted(history: History, facts: BudgetFacts, *, count: bool = False, **parameters: Any) -> FittedRequest:
    """Fit *history* with these parameters."""
    given = FitInput(history, profile_of_model(facts.deployment.model), parameters)
    return fit_request(given, facts, count=count)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the families of all counts so far, one entry for each count."""
    counted: list[str] = []

    class Spy(Estimator):
        def __init__(self, family: Any) -> None:
            counted.append(family.name)
            super().__init__(family)

    monkeypatch.setattr(module, "Estimator", Spy)
    return counted


def test_a_request_that_surely_fits_is_not_counted(counting: list[str]) -> None:
    """A short request is admitted by a bound on its tokens, which comes only from text lengths.

    The history and the parameters are returned as the same objects.
    """
    history, parameters = agent(3), MappingProxyType({"temperature": 0.5})
    done = fit_request(FitInput(history, profile_of_model(), parameters), facts_for(window=200_000))

    assert counting == []
    assert done.messages is history
    assert done.parameters is parameters
    assert done.changes == ()
    assert not done.report.exact
    assert done.report.estimate == done.report.sent >= tokens(history)


def test_a_small_factor_does_not_lower_the_bound(counting: list[str]) -> None:
    """A small factor does not lower the bound, since a short text may have more tokens than usual text."""
    history = [user("\U000e0041" * 10_000)]
    done = fitted(history, facts_for(window=45_000, live=0.5))

    assert counting == ["unknown"]
    assert done.report.exact


def test_an_unknown_window_cuts_nothing(counting: list[str]) -> None:
    """An unknown window has no limit, so that nothing is counted, cut or refused."""
    history = agent(300, 8_000)
    done = fitted(history, facts_for())

    assert counting == []
    assert done.messages is history
    assert (done.changes, done.report.limit.tokens, done.report.limit.source) == ((), None, "unknown")


def test_a_learned_window_cuts(counting: list[str]) -> None:
    """A window that was learned from a provider's error limits a request like any other window."""
    done = fitted(agent(30), facts_for(learned=16_384))

    assert counting == ["unknown"]
    assert done.changes
    assert done.report.limit.source == "learned"
    assert done.report.limit.tokens is not None
    assert done.report.sent <= done.report.limit.tokens


def test_between_the_bound_and_the_mark_it_is_counted(counting: list[str]) -> None:
    """A request whose upper bound of tokens may not fit is counted, and sent unchanged if it fits."""
    history = agent(10)
    done = fitted(history, facts_for(window=tokens(history) * 2))

    assert counting == ["unknown"]
    assert done.messages is history
    assert done.changes == ()
    assert done.report.exact
    assert done.report.estimate == done.report.sent
    assert abs(done.report.estimate - tokens(history)) <= len(history)


def test_a_request_is_counted_where_that_is_asked_for(counting: list[str]) -> None:
    """A request is counted on demand, with its parts before and after. The dry run needs these parts."""
    history = agent(2)
    done = fitted(history, facts_for(), count=True)

    assert counting == ["unknown"]
    assert done.messages is history
    before, after = done.report.before, done.report.after
    assert before is not None
    assert before == after
    assert before.whole == done.report.estimate
    assert before.rounds == 2


def test_a_request_that_would_not_fit_is_cut() -> None:
    """A request above its budget's high mark is cut to less than half of its tokens.

    Its beginning and end are kept, and the cuts are listed.
    """
    history = agent(40)
    done = fitted(history, facts_for(window=24_000))
    report = done.report
    assert report.marks is not None
    assert report.marks.high is not None

    sent = list(done.messages)
    assert tokens(sent) < tokens(history) / 2
    assert report.sent <= report.marks.high + report.marks.fixed
    assert find_violations(sent, profile_of_model()) == ()
    assert sent[:2] == history[:2]
    assert sent[-2:] == history[-2:]
    assert report.estimate > 24_000 > report.sent
    assert {change.step for change in done.changes} == {"budget"}
    assert {change.reason for change in done.changes} <= {
        "tool_result_capped",
        "tool_result_cleared",
        "round_dropped",
        "notice",
    }
    assert report.fitted is not None
    assert sum(cut.tokens for cut in report.fitted.removed.values()) >= report.estimate - report.sent


def test_changes_have_the_client_s_indexes() -> None:
    """Changes name the indexes of the client's history, although sanitizing moves messages."""
    history, facts = agent(40), facts_for(window=24_000)
    plain = fitted(history, facts)
    origins = [at + 100 for at in range(len(history))]
    moved = fit_request(FitInput(history, profile_of_model(), {}, origins), facts)

    cuts = [(change.kind, change.index) for change in plain.changes if change.kind != "inserted"]
    assert [(kind, at + 100) for kind, at in cuts] == [
        (change.kind, change.index) for change in moved.changes if change.kind != "inserted"
    ]


def test_a_request_that_cannot_be_cut_is_refused_with_its_parts() -> None:
    """A request that cannot be cut is refused.

    The error has the tokens of each part, and no text of the request.
    """
    prompt = output(7, 120_000)
    with pytest.raises(ContextTooLong) as refused:
        fitted([system(prompt), user("Go on, please.")], facts_for(window=16_384), tools=[SOME_TOOL])

    error = refused.value
    assert (error.http_status, error.code, error.param) == (400, "context_length_exceeded", "messages")
    for part in ("system messages", "tools", "first user message", "older rounds", "current round"):
        assert f"{part} " in error.message
    assert "Largest: messages[0] " in error.message
    assert "module" not in error.message
    assert len(error.message) < 1_000


SOME_TOOL = {
    "type": "function",
    "function": {
        "name": "run",
        "description": "Runs a part.",
        "parameters": {"type": "object", "properties": {}},
    },
}


def test_tools_larger_than_the_window_are_refused() -> None:
    """Tools that exceed the window are refused with their tokens, since tools cannot be cut."""
    many = [
        {**SOME_TOOL, "function": {"name": f"run_{at}", "description": output(at, 400)}} for at in range(200)
    ]
    with pytest.raises(ContextTooLong) as refused:
        fitted([user("Go.")], facts_for(window=8_192), tools=many)

    named = refused.value.message.partition("tools ")[2].partition(",")[0]
    assert int(named) > 8_192


def test_one_giant_question_is_cut_in_its_middle() -> None:
    """A single giant question keeps its beginning and end, with a marker between."""
    question = "Read this log.\n" + output(1, 400_000) + "What went wrong?"
    done = fitted([user(question)], facts_for(window=16_384))

    [sent] = done.messages
    assert sent["content"].startswith("Read this log.\n")
    assert sent["content"].endswith("What went wrong?")
    assert "omitted by the gateway" in sent["content"]
    assert [change.reason for change in done.changes] == ["middle_cut"]


def test_without_the_middle_cut_the_giant_is_refused() -> None:
    """A giant question is refused under a preset that cuts nothing and has a hard limit."""
    with pytest.raises(ContextTooLong):
        fitted([user(output(1, 400_000))], facts_for(window=16_384, preset="off", hard=0.95))


def test_off_cuts_and_refuses_nothing(counting: list[str]) -> None:
    """The preset ``off`` sends a request of any length unchanged."""
    history = agent(200, 8_000)
    done = fitted(history, facts_for(window=8_192, preset="off"), max_tokens=100_000)

    assert counting == []
    assert done.messages is history
    assert done.parameters["max_tokens"] == 100_000


def test_an_assumed_window_refuses_nothing() -> None:
    """An assumed window refuses nothing.

    The request is cut to the window. A request that is still too long is sent, since the real window is unknown.
    """
    prompt = output(7, 300_000)
    done = fitted([system(prompt), user("Go on.")], facts_for(preset="lango"), max_tokens=50_000)

    assert done.report.limit.source == "assumed"
    assert done.messages[0]["content"] == prompt
    assert done.parameters["max_tokens"] == 50_000


def test_a_preset_that_caps_at_once_does_so(counting: list[str]) -> None:
    """A preset that caps tool results at once does so in a large window too. The rest of the history stays."""
    history = agent(5, 30_000)
    done = fitted(history, facts_for(window=1_000_000, preset="codex"))

    assert counting == ["unknown"]
    assert all(len(message["content"]) <= 10 * 1024 for message in done.messages if message["role"] == "tool")
    assert [m for m in done.messages if m["role"] != "tool"] == [m for m in history if m["role"] != "tool"]
    assert {change.reason for change in done.changes} == {"tool_result_capped"}


def test_excluded_tools_are_not_capped() -> None:
    """Results of tools in ``exclude_tools`` are sent whole."""
    history = agent(5, 30_000)
    done = fitted(history, facts_for(window=1_000_000, preset="codex", exclude_tools=["run"]))

    assert list(done.messages) == history


def test_last_turns_keeps_the_newest_turns(counting: list[str]) -> None:
    """``last_turns`` applies even where the request fits its budget."""
    history = [user("First.")]
    for number in range(30):
        history += [{"role": "assistant", "content": f"Answer {number}."}, user(f"Question {number}.")]
    done = fitted(history, facts_for(window=1_000_000, last_turns=5))

    assert counting == ["unknown"]
    asked = [
        m["content"] for m in done.messages if m["role"] == "user" and m["content"].startswith("Question")
    ]
    assert asked[-5:] == [f"Question {number}." for number in range(25, 30)]
    assert len(asked) < 10


def reduced(done: FittedRequest) -> list[tuple[str, str]]:
    """Return the reason and the detail of each change to the answer's length."""
    return [(change.reason, change.detail) for change in done.changes if change.reason == "output_reduced"]


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_an_answer_that_is_too_long_is_asked_for_shorter(name: str) -> None:
    """An answer limit that exceeds the window with the prompt is lowered to the rest, and the change is listed."""
    history = agent(10)
    window = tokens(history) * 2
    asked: dict[str, Any] = {name: window, "temperature": 0}
    done = fitted(history, facts_for(window=window), **asked)

    assert done.parameters[name] == window - done.report.sent
    assert done.parameters["temperature"] == 0
    assert reduced(done) == [("output_reduced", f"{name} {window} -> {window - done.report.sent}")]


@pytest.mark.parametrize("asked", [16_000, 100_000])
def test_the_answer_is_shortened_where_nothing_was_counted(asked: int) -> None:
    """An answer limit beyond the window is lowered, even if the prompt is too short to be counted.

    The provider refuses a request whose prompt and answer limit together exceed the window.
    """
    done = fitted([user("Hello.")], facts_for(window=8_192), max_tokens=asked)

    assert 256 <= done.parameters["max_tokens"] <= 8_192 - tokens([user("Hello.")])
    assert reduced(done) == [("output_reduced", f"max_tokens {asked} -> {done.parameters['max_tokens']}")]


def test_an_answer_that_fits_is_left_alone() -> None:
    """An answer limit that fits is kept, and the parameters are the same object."""
    history = agent(10)
    parameters = MappingProxyType({"max_tokens": 500})
    done = fit_request(
        FitInput(history, profile_of_model(), parameters), facts_for(window=tokens(history) * 2)
    )

    assert done.report.exact
    assert done.parameters is parameters
    assert done.changes == ()


def test_an_answer_of_its_own_window_is_left_alone() -> None:
    """Gemini's answer limit is kept, since Gemini limits the answer separately from the prompt."""
    history = agent(40)
    done = fitted(history, facts_for("gemini/gemini-2.5-pro", tokens(history)), max_tokens=60_000)

    assert done.parameters["max_tokens"] == 60_000
    assert reduced(done) == []


def test_no_room_is_refused_where_the_operator_says_so() -> None:
    """Under ``on_no_room: refuse``, an answer limit beyond the window is an error that names both."""
    history = agent(10)
    window = tokens(history) * 2
    with pytest.raises(ContextTooLong) as refused:
        fitted(history, facts_for(window=window, on_no_room="refuse"), max_tokens=window)

    assert refused.value.param == "max_tokens"
    assert str(window) in refused.value.message


def test_no_room_is_refused_where_nothing_was_counted() -> None:
    """Under ``on_no_room: refuse``, an answer limit beyond the window is refused for an uncounted prompt too."""
    with pytest.raises(ContextTooLong):
        fitted([user("Hello.")], facts_for(window=8_192, on_no_room="refuse"), max_tokens=16_000)


def test_limit_shrinks_by_the_factor() -> None:
    """A deployment that counts twice as many tokens gets half as much text."""
    history = agent(20)
    window = int(tokens(history) * 1.3)
    once, twice = (fitted(history, facts_for(window=window, live=live, reserve=0)) for live in (1.0, 2.0))

    assert once.changes == ()
    assert twice.changes
    assert twice.report.factor == 2.0
    assert abs(twice.report.estimate - 2 * once.report.estimate) <= 2 * len(history)
    assert tokens(list(twice.messages)) * 2 <= window


def test_cuts_are_planned_by_the_sticky_factor() -> None:
    """Cuts are planned by the calibration's sticky factor.

    The newest factor (*live*) decides only where the request would exceed the window by that factor.
    """
    history = agent(20)
    window = int(tokens(history) * 1.3)
    calm, alarmed = (
        fitted(history, facts_for(window=window, live=live, sticky=1.0, reserve=0)) for live in (1.05, 2.5)
    )

    assert (calm.changes, calm.report.factor) == ((), 1.0)
    assert alarmed.changes
    assert alarmed.report.factor == 2.5
    assert tokens(list(alarmed.messages)) * 2.5 <= window


def test_a_refused_request_is_cut_tighter() -> None:
    """After the provider's own refusal a request is cut tighter: a fifth of the limit is left free."""
    history = agent(20)
    window = int(tokens(history) * 1.9)
    loose, tight = (
        fitted(history, facts_for(window=window)),
        fitted(history, facts_for(window=window, tight=True)),
    )

    assert loose.changes == ()
    assert loose.report.marks is not None
    assert tight.report.marks is not None
    assert tight.report.marks.high is not None
    assert loose.report.marks.high is not None
    assert tight.report.marks.high < 0.85 * loose.report.marks.high


def test_the_operator_s_margin_replaces_the_calibration_s() -> None:
    reports = [fitted(agent(30), facts_for(window=20_000, margin=share)).report for share in (0.0, 0.5)]
    room = [report.marks.available for report in reports if report.marks and report.marks.available]

    assert round(room[1] / room[0], 1) == 0.5


def test_history_with_media_is_recognized() -> None:
    """A history with media is recognized, since media tokens are a guess and must not be learned from."""
    assert module.has_media([user([{"type": "text", "text": "What is it?"}, image()])])
    assert not module.has_media([user("x"), user([{"type": "text", "text": "x"}]), tool("c", "y")])


def test_the_sent_request_is_estimated_without_a_factor() -> None:
    """The sent request is estimated without a factor. The provider's count is compared with this estimate."""
    history, family = agent(4), facts_for(live=2.0).family

    assert module.estimate_sent(history, {}, family) == tokens(history)
    assert module.estimate_sent(history, {"tools": [SOME_TOOL]}, family) == tokens(
        history, LOCAL, [SOME_TOOL]
    )


@pytest.mark.parametrize("count", [False, True], ids=["bounded", "counted"])
def test_both_forms_of_tools_count(count: bool) -> None:
    """Tools and functions of one request both count, since both are sent."""
    tools = [{"type": "function", "function": {"name": "f"}}]
    functions = [{"name": "g", "description": output(1, 4_000)}]
    facts = facts_for(window=200_000)
    one, other = (
        fitted([user()], facts, count=count, **parameters).report.estimate
        for parameters in ({"tools": tools}, {"functions": functions})
    )
    both = fitted([user()], facts, count=count, tools=tools, functions=functions)

    assert both.report.estimate > other > one
    assert estimate_sent([user()], {"tools": tools, "functions": functions}, facts.family) > estimate_sent(
        [user()], {"functions": functions}, facts.family
    )


def test_rounds_are_counted_in_the_repaired_history() -> None:
    """Rounds are counted in the repaired history, although the request's outline is that of the received history."""
    odd = {**user("b"), "name": 5}
    came = [user("a"), assistant("x"), odd, assistant("y")]
    moved = [came[0], odd, came[1], came[3]]
    given = FitInput(moved, profile_of_model(), {}, outline=outline_of(came), most_bytes=1_000)
    report = fit_request(given, facts_for(window=200_000)).report

    assert (report.exact, report.rounds) == (False, 2)
