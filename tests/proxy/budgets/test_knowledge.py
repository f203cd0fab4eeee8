"""What each deployment has taught: its window, and how its tokens compare with the estimates."""

from __future__ import annotations

import pytest

from proxy.budgets import knowledge as module
from proxy.budgets.knowledge import Knowledge
from proxy.config import Deployment, resolve
from sanitizers.budget.calibration import initial
from sanitizers.budget.families import family_of
from tests.proxy.budgets.shapes import GEMINI, LOCAL, deployment_of
from tests.support.proxied import settings_of


@pytest.fixture
def knowledge() -> Knowledge:
    """Return what a process knows at its start."""
    return Knowledge()


@pytest.fixture
def local() -> Deployment:
    """Return a deployment of which nothing is known."""
    return deployment_of(LOCAL)


def overflow(
    knowledge: Knowledge,
    deployment: Deployment,
    *,
    limit: int | None = None,
    requested: int | None = None,
    sent: int = 10_000,
    media: bool = False,
) -> int | None:
    """Learn from an overflow and return the window that is then known."""
    knowledge.learn_overflow(deployment, limit=limit, requested=requested, sent=sent, media=media)
    return knowledge.of(deployment).window


@pytest.mark.parametrize("model", [LOCAL, GEMINI, "openai/gpt-4o", "anthropic/claude-sonnet-4-5"])
def test_at_first_it_is_the_family_s(knowledge: Knowledge, model: str) -> None:
    """No window, no answers, and the family's factor."""
    taught = knowledge.of(deployment_of(model))

    assert (taught.family, taught.window, taught.answers) == (family_of(model), None, 0)
    assert taught.calibration == initial(family_of(model))


def test_an_error_with_a_limit(knowledge: Knowledge, local: Deployment) -> None:
    """The provider's number is the window."""
    assert overflow(knowledge, local, limit=8_192, requested=20_000) == 8_192


def test_an_error_without_numbers(knowledge: Knowledge, local: Deployment) -> None:
    """What did not fit is the window, as estimated; a smaller one that did not fit lowers it, a larger one does not."""
    assert overflow(knowledge, local, sent=10_000) == 10_000
    assert overflow(knowledge, local, sent=8_000) == 8_000
    assert overflow(knowledge, local, sent=9_000) == 8_000


def test_an_error_that_says_only_how_much_was_requested(knowledge: Knowledge, local: Deployment) -> None:
    """That is a count and no limit: the factor learns, the window does not."""
    assert overflow(knowledge, local, requested=15_000, sent=10_000) is None
    assert knowledge.of(local).calibration.observations == 1


@pytest.mark.parametrize("limit", [0, -1])
def test_an_error_with_a_senseless_limit(knowledge: Knowledge, local: Deployment, limit: int) -> None:
    """A provider's number is not to be relied on."""
    assert overflow(knowledge, local, limit=limit, requested=20_000) is None


def test_an_error_teaches_the_factor(knowledge: Knowledge, local: Deployment) -> None:
    """The provider's count of the request against the estimate without its factor."""
    before = knowledge.of(local).calibration.live
    overflow(knowledge, local, limit=8_192, requested=15_000, sent=round(10_000 * before))
    taught = knowledge.of(local).calibration

    assert taught.live == pytest.approx(1.5, rel=0.001)
    assert taught.sticky == pytest.approx(1.5, rel=0.001)


def test_an_error_about_media_teaches_no_factor(knowledge: Knowledge, local: Deployment) -> None:
    """What an image costs is a guess; the window is learned all the same."""
    before = knowledge.of(local).calibration

    assert overflow(knowledge, local, limit=8_192, requested=15_000, media=True) == 8_192
    assert knowledge.of(local).calibration == before


def test_an_answer_proves_a_window_larger(knowledge: Knowledge, local: Deployment) -> None:
    """A prompt that was answered did fit; one that is smaller proves nothing, and nothing is made up of it."""
    knowledge.observe(local, 9_000, 9_000, media=False)
    assert knowledge.of(local).window is None

    overflow(knowledge, local, sent=8_000)
    knowledge.observe(local, 7_000, 7_500, media=False)
    assert knowledge.of(local).window == 8_000

    knowledge.observe(local, 7_000, 8_500, media=False)
    assert knowledge.of(local).window == 8_500


def test_deployments_are_apart(knowledge: Knowledge) -> None:
    """Members of a pool, and the models behind a wildcard, teach nothing about each other."""
    entries = [{"model_name": "pool", "litellm_params": {"model": LOCAL}} for _ in range(2)]
    entries.append({"model_name": "openai/*", "litellm_params": {"model": "openai/*"}})
    settings = settings_of(model_list=entries)
    first, second = resolve(settings, "pool")
    (one,), (other,) = (resolve(settings, f"openai/{name}") for name in ("one", "other"))
    overflow(knowledge, first, limit=1_000)
    overflow(knowledge, one, limit=2_000)

    found = [knowledge.of(deployment).window for deployment in (first, second, one, other)]
    assert found == [1_000, None, 2_000, None]


def test_the_first_answers_and_then_one_in_sixteen(knowledge: Knowledge, local: Deployment) -> None:
    """The first three that teach something are looked at, then each sixteenth answer."""
    sampled = []
    for number in range(1, 100):
        if knowledge.is_sampled(local):
            sampled.append(number)
            knowledge.observe(local, 2_000, 2_100, media=False)

    assert sampled == [1, 2, 3, 16, 32, 48, 64, 80, 96]


def test_answers_that_teach_nothing_do_not_use_up_the_first(knowledge: Knowledge, local: Deployment) -> None:
    """Requests that are too small to tell are looked at until three were not."""
    for _ in range(5):
        assert knowledge.is_sampled(local)
        knowledge.observe(local, 10, 12, media=False)
    assert knowledge.of(local).calibration.observations == 0


def test_it_is_bounded(knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that makes up names behind a wildcard pushes out the oldest, and memory does not grow."""
    monkeypatch.setattr(module, "_MOST", 8)
    entry = {"model_name": "openai/*", "litellm_params": {"model": "openai/*"}}
    settings = settings_of(model_list=[entry])
    deployments = [resolve(settings, f"openai/made-up-{number}")[0] for number in range(20)]
    for deployment in deployments:
        overflow(knowledge, deployment, limit=1_000)

    assert len(knowledge._taught) == 8
    assert knowledge.of(deployments[-1]).window == 1_000
    assert knowledge.of(deployments[0]).window is None
