"""Tests of the tokens of a history, and of the lengths from which they are counted."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any

import orjson
import pytest

from proxy.core.chat_request import ChatRequest
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.budgets.fit_request import bounds_of
from proxy.planning.compact import measure as module
from proxy.planning.compact.measure import MeasuredHistory, measure_history
from proxy.planning.compact.policies import CompactionPolicy
from sanitizers.budget.estimate import Estimator
from tests.proxy.planning.budgets.shapes import agent, facts_for

POLICY = CompactionPolicy("cheap")


def chat_of(messages: list[dict[str, Any]], **parameters: Any) -> ChatRequest:
    """Return the parsed request with *messages*."""
    return parse_chat_request(
        orjson.dumps({"model": "m", "messages": messages, **parameters}), max_nesting=64
    )


def measured(
    window: int | None, *, rounds: int = 20, trigger: float = 0.7, **budget: Any
) -> MeasuredHistory | None:
    """Return the tokens of an agent's history for a model with *window*, without a reserve for the answer."""
    facts = facts_for(window=window, **{"reserve": 0, "margin": 0.0, **budget})
    return measure_history(chat_of(agent(rounds)), facts, CompactionPolicy("cheap", trigger))


def whole_tokens(rounds: int = 20) -> int:
    """Return the tokens of the agent's history."""
    return Estimator(facts_for().family).request_tokens(agent(rounds))


def test_tokens_are_those_of_the_estimate() -> None:
    """The sizes of the messages and the fixed part are the whole request."""
    found = measured(window=whole_tokens())
    assert found is not None
    assert found.total == whole_tokens()
    assert found.limit == whole_tokens()


@pytest.mark.parametrize(("share", "is_found"), [(0.599, False), (0.601, True)])
def test_history_below_sixty_percent_of_the_limit_is_not_looked_up(share: float, *, is_found: bool) -> None:
    """No summary can be needed there."""
    assert (measured(window=int(whole_tokens() / share)) is not None) is is_found


def test_short_history_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound on the tokens, from the lengths of the texts, is enough."""
    monkeypatch.setattr(module, "Estimator", None)
    assert measured(window=10 * whole_tokens()) is None


@pytest.mark.parametrize(("window", "consulted"), [(2.0, 1), (4.0, 2), (10.0, 1)])
def test_closer_bound_is_consulted_only_where_it_may_decide(
    monkeypatch: pytest.MonkeyPatch, window: float, consulted: int
) -> None:
    """The closer bound reads all texts, and is hardly below the first one."""
    bounds: list[int] = []

    def noted(*arguments: Any) -> Iterator[int]:
        for bound in bounds_of(*arguments):
            bounds.append(bound)
            yield bound

    monkeypatch.setattr(module, "bounds_of", noted)
    measured(window=int(window * whole_tokens()))
    assert len(bounds) == consulted


def test_trigger_is_the_share_of_the_limit() -> None:
    """A trigger of 70 % of 30,000 tokens is 21,000 tokens."""
    found = measured(window=30_000)
    assert found is not None
    assert found.trigger == 21_000


def test_trigger_comes_before_the_cut() -> None:
    """A budget that cuts at half of the window would cut before a trigger of 70 %."""
    found = measured(window=30_000, high=0.5, low=0.25)
    assert found is not None
    assert found.trigger < 15_100


def test_share_of_the_window_is_the_limit() -> None:
    """The preset of lango uses half of a window."""
    found = measured(window=60_000, preset="lango")
    assert found is not None
    assert (found.limit, found.trigger) == (30_000, 21_000)


def test_unknown_window_has_no_memory() -> None:
    """The limit is not known before the provider has refused a request."""
    assert measured(window=None) is None


def test_sticky_factor_scales_the_tokens() -> None:
    """The tokens are those that decide the cuts."""
    facts = facts_for(window=40_000, live=1.5, sticky=1.2, reserve=0)
    found = measure_history(chat_of(agent(20)), facts, POLICY)
    plain = measure_history(chat_of(agent(20)), facts_for(window=25_000, reserve=0), POLICY)
    assert found is not None
    assert plain is not None
    assert found.sizes == [ceil(size * 1.2) for size in plain.sizes]
