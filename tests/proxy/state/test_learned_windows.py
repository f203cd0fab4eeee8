"""Tests of what is learned of each deployment: its window, and its factor of tokens to estimates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.planning.windows import window_of
from proxy.resilience.read_overflow import Overflow
from proxy.state import learned_windows as module
from proxy.state.learn_overflow import Refused
from proxy.state.learned_windows import LearnedWindows
from proxy.state.lessons import Learned, observe_answer
from sanitizers.budget.calibration import initial
from sanitizers.budget.find_family import family_of
from tests.proxy.planning.budgets.shapes import GEMINI, LOCAL, deployment_of
from tests.support.proxied import settings_of


@pytest.fixture
def learned_windows() -> LearnedWindows:
    """Return the empty store of learned windows of a new process."""
    return LearnedWindows()


@pytest.fixture
def local() -> Deployment:
    """Return a deployment of which nothing is known."""
    return deployment_of(LOCAL)


def made_up(number: int) -> list[Deployment]:
    """Return *number* deployments that one wildcard matches."""
    entry = {"model_name": "openai/*", "litellm_params": {"model": "openai/*"}}
    settings = settings_of(model_list=[entry])
    return [resolve(settings, f"openai/made-up-{each}")[0] for each in range(number)]


def learn(
    learned_windows: LearnedWindows,
    deployment: Deployment,
    said: Overflow,
    *,
    estimated: int = 10_000,
    now: float = 0.0,
) -> Learned | None:
    """Learn from an overflow, and return the window that is then known."""
    known = window_of(deployment).max_input_tokens
    learned_windows.learn(deployment, said, Refused(estimated, None, known, media=False), now)
    return learned_windows.lessons_of(deployment, now).learned


@pytest.mark.parametrize("model", [LOCAL, GEMINI, "openai/gpt-4o", "anthropic/claude-sonnet-4-5"])
def test_a_new_deployment_has_its_family_s_lessons(learned_windows: LearnedWindows, model: str) -> None:
    """A new deployment has no learned window, no answers, and its family's factor."""
    lessons = learned_windows.lessons_of(deployment_of(model), 0.0)

    assert (lessons.family, lessons.learned, lessons.answers) == (family_of(model), None, 0)
    assert lessons.calibration == initial(family_of(model))


def test_a_window_expires_after_an_hour(learned_windows: LearnedWindows, local: Deployment) -> None:
    """A learned window expires, since a restarted server may take more, or the error was misread."""
    learned = learn(learned_windows, local, Overflow(8_192, 20_000), now=10.0)

    assert learned == Learned(8_192)
    assert learned_windows.lessons_of(local, 3_609.0).learned == learned
    assert learned_windows.lessons_of(local, 3_611.0).learned is None


def test_an_answer_proves_a_window_larger(learned_windows: LearnedWindows, local: Deployment) -> None:
    """An answered prompt that is larger than a learned window ends the window.

    A smaller answered prompt changes nothing.
    """

    def learned_after(actual: int) -> Learned | None:
        observe_answer(learned_windows.lessons_of(local, 0.0), actual, actual, media=False)
        return learned_windows.lessons_of(local, 0.0).learned

    assert learned_after(9_000) is None
    learn(learned_windows, local, Overflow(10_000))
    assert learned_after(7_500) == Learned(10_000)
    assert learned_after(10_500) is None
    assert learn(learned_windows, local, Overflow(10_000), now=1.0) is None


def test_the_factor_for_plans_is_only_raised(learned_windows: LearnedWindows, local: Deployment) -> None:
    """A plan that needs a larger factor raises the stored factor. A plan never lowers the stored factor."""
    before = learned_windows.lessons_of(local, 0.0).calibration
    learned_windows.raise_factor(local, before.sticky * 0.9, 0.0)
    assert learned_windows.lessons_of(local, 0.0).calibration == before

    learned_windows.raise_factor(local, before.sticky * 1.05, 0.0)
    assert learned_windows.lessons_of(local, 0.0).calibration == replace(before, sticky=before.sticky * 1.05)


def test_deployments_learn_separately(learned_windows: LearnedWindows) -> None:
    """Members of a pool, and the models of a wildcard, share no learned windows."""
    entries = [{"model_name": "pool", "litellm_params": {"model": LOCAL}} for _ in range(2)]
    entries.append({"model_name": "openai/*", "litellm_params": {"model": "openai/*"}})
    settings = settings_of(model_list=entries)
    first, second = resolve(settings, "pool")
    (one,), (other,) = (resolve(settings, f"openai/{name}") for name in ("one", "other"))
    learn(learned_windows, first, Overflow(8_000))
    learn(learned_windows, one, Overflow(9_000))

    found = [
        learned_windows.lessons_of(deployment, 0.0).learned for deployment in (first, second, one, other)
    ]
    assert found == [Learned(8_000), None, Learned(9_000), None]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that makes up names of a wildcard's models only evicts unused entries."""
    monkeypatch.setattr(module, "_CAPACITY", 8)
    learned_windows = LearnedWindows()
    used, *deployments = made_up(20)
    learn(learned_windows, used, Overflow(9_000))
    for deployment in deployments:
        learned_windows.lessons_of(used, 0.0)
        learn(learned_windows, deployment, Overflow(8_000))

    assert len(learned_windows._lessons) == 8
    assert learned_windows.lessons_of(deployments[-1], 0.0).learned == Learned(8_000)
    assert learned_windows.lessons_of(used, 0.0).learned == Learned(9_000)
    assert learned_windows.lessons_of(deployments[0], 0.0).learned is None


def test_peek_neither_adds_nor_keeps_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """``peek`` returns only windows that are still valid, and does not count as a use."""
    monkeypatch.setattr(module, "_CAPACITY", 4)
    learned_windows = LearnedWindows()
    first, second, *rest = made_up(20)
    learn(learned_windows, first, Overflow(8_000))
    learn(learned_windows, second, Overflow(9_000))
    for deployment in rest:
        assert learned_windows.peek(deployment, 0.0).learned is None
    assert learned_windows.peek(first, 1.0).learned == Learned(8_000)
    assert learned_windows.peek(first, 3_601.0).learned is None
    assert learned_windows.peek(first, 1.0).learned == Learned(8_000)
    assert len(learned_windows._lessons) == 2

    for deployment in rest[:3]:
        learned_windows.lessons_of(deployment, 0.0)
    assert learned_windows.peek(first, 1.0).learned is None
    assert learned_windows.peek(second, 1.0).learned == Learned(9_000)
