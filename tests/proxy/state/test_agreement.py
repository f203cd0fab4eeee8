"""What counts for all tenants: what two agree on, and what was named under a code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.core.deployment import Deployment
from proxy.resilience.read_overflow import Overflow
from proxy.state.learn_overflow import Refused
from proxy.state.learned_windows import Knowledge
from proxy.state.taught import Counted, Learned
from tests.proxy.planning.budgets.shapes import deployment_of

REFUSED = Refused(20_000, None, None, media=False)


@pytest.fixture
def local() -> Deployment:
    """Return a deployment that nobody knows."""
    return deployment_of()


def windows(knowledge: Knowledge, deployment: Deployment, now: float = 0.0) -> list[int | None]:
    """Return the windows that three tenants are planned by; a look and a plan see the same."""
    found = []
    for tenant in "abc":
        looked = knowledge.look(deployment, now, tenant).learned
        assert knowledge.plan_with(deployment, now, tenant).learned == looked
        found.append(None if looked is None else looked.window)
    return found


def test_the_second_smallest_window_counts_for_all(local: Deployment) -> None:
    """And a tenant's own for itself, for an hour each."""
    knowledge = Knowledge()
    knowledge.learn(local, Overflow(2_000), REFUSED, 0.0, "a")
    assert windows(knowledge, local) == [2_000, None, None]
    knowledge.learn(local, Overflow(9_000), REFUSED, 10.0, "b")
    assert windows(knowledge, local, 10.0) == [2_000, 9_000, 9_000]
    knowledge.learn(local, Overflow(8_000), REFUSED, 20.0, "d")
    assert windows(knowledge, local, 20.0) == [2_000, 8_000, 8_000]
    assert windows(knowledge, local, 3_605.0) == [9_000, 9_000, 9_000]
    assert windows(knowledge, local, 3_615.0) == [None, None, None]


def test_a_guess_stays_one(local: Deployment) -> None:
    """Where one of the two has only guessed, nothing is refused by it."""
    knowledge = Knowledge()
    knowledge.learn(local, Overflow(), REFUSED, 0.0, "a")
    knowledge.learn(local, Overflow(25_000), REFUSED, 0.0, "b")
    learned = knowledge.look(local, 0.0, "c").learned
    assert learned == Learned(25_000, guessed=True)


def test_an_answer_proves_it_larger(local: Deployment) -> None:
    """To the tenant that had it at once; of what two agree on, one of them is enough to end it."""
    knowledge = Knowledge()
    for tenant in "ab":
        knowledge.learn(local, Overflow(9_000), REFUSED, 0.0, tenant)
    knowledge.observe(local, Counted(10_000, 9_500, media=False), 0.0, "c")
    assert windows(knowledge, local) == [9_000, 9_000, None]
    knowledge.observe(local, Counted(10_000, 9_500, media=False), 0.0, "a")
    assert windows(knowledge, local) == [None, 9_000, None]


def test_a_window_under_a_code_counts_at_once_until_an_answer_proves_it_larger(local: Deployment) -> None:
    """Whoever was answered."""
    knowledge = Knowledge()
    knowledge.learn(local, Overflow(9_000, coded=True), REFUSED, 0.0, "a")
    assert windows(knowledge, local) == [9_000] * 3
    knowledge.observe(local, Counted(10_000, 9_500, media=False), 0.0, "b")
    assert windows(knowledge, local) == [9_000, None, None]


def test_buried_words_teach_nobody(local: Deployment) -> None:
    """The request that was refused is made smaller by them."""
    knowledge = Knowledge()
    lesson = knowledge.learn(local, Overflow(9_000, 20_000, buried=True), REFUSED, 0.0, "a")
    assert (lesson.most, lesson.learned) == (7_200, None)
    assert lesson.calibration == knowledge.look(local, 0.0, "a").calibration
    assert windows(knowledge, local) == [None] * 3


def test_words_within_a_text_are_no_part_of_an_agreement(local: Deployment) -> None:
    """Their tenants plan by them; a third one needs two that read them at the beginning of a text."""
    knowledge = Knowledge()
    first = knowledge.look(local, 0.0).calibration.sticky
    for tenant in "ab":
        knowledge.learn(local, Overflow(9_000, 40_000, within=True, coded=True), REFUSED, 0.0, tenant)
    assert windows(knowledge, local) == [9_000, 9_000, None]
    assert factors(knowledge, local) == [2.0, 2.0, first]
    knowledge.learn(local, Overflow(9_000, 20_000), REFUSED, 0.0, "a")
    assert windows(knowledge, local) == [9_000, 9_000, None]
    knowledge.learn(local, Overflow(9_000, 20_000), REFUSED, 0.0, "b")
    assert windows(knowledge, local) == [9_000] * 3


@pytest.mark.parametrize(("configured", "learned"), [(True, None), (False, 4_000)])
def test_a_configured_window_is_halved_at_most(
    local: Deployment, configured: bool, learned: int | None
) -> None:
    """Whatever the words say."""
    knowledge = Knowledge()
    refused = replace(REFUSED, known_window=10_000, configured=configured)
    knowledge.learn(local, Overflow(4_000), refused, 0.0, "a")
    assert windows(knowledge, local) == [learned, None, None]


def factors(knowledge: Knowledge, deployment: Deployment) -> list[float]:
    """Return the factors that three tenants plan by."""
    return [knowledge.plan_with(deployment, 0.0, tenant).calibration.sticky for tenant in "abc"]


def test_a_factor_is_the_tenant_s_own(local: Deployment) -> None:
    """One that has none begins with the second largest, and keeps it whatever others do."""
    knowledge = Knowledge()
    first = knowledge.look(local, 0.0).calibration.sticky
    knowledge.observe(local, Counted(1_000, 2_900, media=False), 0.0, "a")
    assert factors(knowledge, local) == [2.9, first, first]
    knowledge.observe(local, Counted(1_000, 1_300, media=False), 0.0, "b")
    assert knowledge.look(local, 0.0, "c").calibration.sticky == 1.3
    assert factors(knowledge, local) == [2.9, 1.3, 1.3]
    for _ in range(50):
        knowledge.observe(local, Counted(1_000, 600, media=False), 0.0, "a")
    assert factors(knowledge, local)[1:] == [1.3, 1.3]


def test_a_factor_that_was_taken_over_is_no_evidence(local: Deployment) -> None:
    """Else two tenants would agree with themselves for ever."""
    knowledge = Knowledge()
    for tenant, actual in (("a", 2_000), ("b", 1_500)):
        knowledge.observe(local, Counted(1_000, actual, media=False), 0.0, tenant)
    for tenant in "cdef":
        knowledge.plan_with(local, 0.0, tenant)
    knowledge.observe(local, Counted(1_000, 1_000, media=False), 0.0, "g")
    assert knowledge.look(local, 0.0, "z").calibration.sticky == 1.5


def test_a_reload_keeps_what_was_agreed_on(local: Deployment) -> None:
    """Under the new position."""
    knowledge = Knowledge()
    for tenant in "ab":
        knowledge.learn(local, Overflow(9_000), REFUSED, 0.0, tenant)
    carried = knowledge.carry({local.position: 7})
    assert windows(carried, replace(local, position=7)) == [9_000] * 3
    assert windows(carried, local) == [None] * 3
