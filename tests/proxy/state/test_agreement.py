"""Tests of the learned windows that count for all tenants: two tenants agree, or the error has a code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.core.deployment import Deployment
from proxy.resilience.read_overflow import Overflow
from proxy.state.learn_overflow import Refused
from proxy.state.learned_windows import LearnedWindows
from proxy.state.lessons import Counted, Learned
from tests.proxy.planning.budgets.shapes import deployment_of

REFUSED = Refused(20_000, None, None, media=False)


@pytest.fixture
def learned_windows() -> LearnedWindows:
    """Return the empty store of learned windows of a new process."""
    return LearnedWindows()


@pytest.fixture
def local() -> Deployment:
    """Return a deployment whose window no table lists."""
    return deployment_of()


def windows(learned_windows: LearnedWindows, deployment: Deployment, now: float = 0.0) -> list[int | None]:
    """Return the windows that the requests of three tenants are planned with.

    Assert that ``peek`` gives the same windows.
    """
    found = []
    for tenant in "abc":
        looked = learned_windows.peek(deployment, now, tenant).learned
        assert learned_windows.lessons_for_plan(deployment, now, tenant).learned == looked
        found.append(None if looked is None else looked.window)
    return found


def test_the_second_smallest_window_counts_for_all(
    learned_windows: LearnedWindows, local: Deployment
) -> None:
    """For other tenants, the second smallest window counts.

    A tenant's own window counts for that tenant if the own window is smaller. Each learned window holds for an hour.
    """
    learned_windows.learn(local, Overflow(2_000), REFUSED, 0.0, "a")
    assert windows(learned_windows, local) == [2_000, None, None]
    learned_windows.learn(local, Overflow(9_000), REFUSED, 10.0, "b")
    assert windows(learned_windows, local, 10.0) == [2_000, 9_000, 9_000]
    learned_windows.learn(local, Overflow(8_000), REFUSED, 20.0, "d")
    assert windows(learned_windows, local, 20.0) == [2_000, 8_000, 8_000]
    assert windows(learned_windows, local, 3_605.0) == [9_000, 9_000, 9_000]
    assert windows(learned_windows, local, 3_615.0) == [None, None, None]


def test_agreement_with_a_guess_is_a_guess(learned_windows: LearnedWindows, local: Deployment) -> None:
    """The agreement of two tenants is a guess if one of the two windows is a guess."""
    learned_windows.learn(local, Overflow(), REFUSED, 0.0, "a")
    learned_windows.learn(local, Overflow(25_000), REFUSED, 0.0, "b")
    learned = learned_windows.peek(local, 0.0, "c").learned
    assert learned == Learned(25_000, guessed=True)


def test_larger_answer_ends_an_agreed_window(learned_windows: LearnedWindows, local: Deployment) -> None:
    """An answer above a window ends the window at once for the answered tenant.

    One answer also ends the agreement of two tenants.
    """
    for tenant in "ab":
        learned_windows.learn(local, Overflow(9_000), REFUSED, 0.0, tenant)
    learned_windows.observe(local, Counted(10_000, 9_500, media=False), 0.0, "c")
    assert windows(learned_windows, local) == [9_000, 9_000, None]
    learned_windows.observe(local, Counted(10_000, 9_500, media=False), 0.0, "a")
    assert windows(learned_windows, local) == [None, 9_000, None]


def test_a_window_under_a_code_counts_at_once_until_an_answer_proves_it_larger(
    learned_windows: LearnedWindows, local: Deployment
) -> None:
    """An answer to any tenant ends the shared window. The refused tenant keeps its own window."""
    learned_windows.learn(local, Overflow(9_000, coded=True), REFUSED, 0.0, "a")
    assert windows(learned_windows, local) == [9_000] * 3
    learned_windows.observe(local, Counted(10_000, 9_500, media=False), 0.0, "b")
    assert windows(learned_windows, local) == [9_000, None, None]


def test_overflow_words_of_the_request_teach_nothing(
    learned_windows: LearnedWindows, local: Deployment
) -> None:
    """Overflow words that are in the request only make the refused request smaller."""
    lesson = learned_windows.learn(local, Overflow(9_000, 20_000, in_request=True), REFUSED, 0.0, "a")
    assert (lesson.most, lesson.learned) == (7_200, None)
    assert lesson.calibration == learned_windows.peek(local, 0.0, "a").calibration
    assert windows(learned_windows, local) == [None] * 3


def test_words_within_a_text_are_no_part_of_an_agreement(
    learned_windows: LearnedWindows, local: Deployment
) -> None:
    """Overflow words inside a text count only for the tenants that got them.

    Overflow words count for all tenants after two tenants got them at the beginning of a text.
    """
    first = learned_windows.peek(local, 0.0).calibration.sticky
    for tenant in "ab":
        learned_windows.learn(
            local, Overflow(9_000, 40_000, inside_text=True, coded=True), REFUSED, 0.0, tenant
        )
    assert windows(learned_windows, local) == [9_000, 9_000, None]
    assert factors(learned_windows, local) == [2.0, 2.0, first]
    learned_windows.learn(local, Overflow(9_000, 20_000), REFUSED, 0.0, "a")
    assert windows(learned_windows, local) == [9_000, 9_000, None]
    learned_windows.learn(local, Overflow(9_000, 20_000), REFUSED, 0.0, "b")
    assert windows(learned_windows, local) == [9_000] * 3


@pytest.mark.parametrize(("configured", "learned"), [(True, None), (False, 4_000)])
def test_a_configured_window_is_halved_at_most(
    learned_windows: LearnedWindows, local: Deployment, configured: bool, learned: int | None
) -> None:
    """A learned window below half of a configured window is ignored."""
    refused = replace(REFUSED, known_window=10_000, configured=configured)
    learned_windows.learn(local, Overflow(4_000), refused, 0.0, "a")
    assert windows(learned_windows, local) == [learned, None, None]


def factors(learned_windows: LearnedWindows, deployment: Deployment) -> list[float]:
    """Return the factors of tokens to estimates that three tenants' requests are planned with."""
    return [learned_windows.lessons_for_plan(deployment, 0.0, tenant).calibration.sticky for tenant in "abc"]


def test_new_tenant_begins_with_the_second_largest_factor(
    learned_windows: LearnedWindows, local: Deployment
) -> None:
    """A tenant without a factor begins with the second largest factor of other tenants.

    Their later factors do not change it.
    """
    first = learned_windows.peek(local, 0.0).calibration.sticky
    learned_windows.observe(local, Counted(1_000, 2_900, media=False), 0.0, "a")
    assert factors(learned_windows, local) == [2.9, first, first]
    learned_windows.observe(local, Counted(1_000, 1_300, media=False), 0.0, "b")
    assert learned_windows.peek(local, 0.0, "c").calibration.sticky == 1.3
    assert factors(learned_windows, local) == [2.9, 1.3, 1.3]
    for _ in range(50):
        learned_windows.observe(local, Counted(1_000, 600, media=False), 0.0, "a")
    assert factors(learned_windows, local)[1:] == [1.3, 1.3]


def test_adopted_factor_is_not_counted_as_evidence(
    learned_windows: LearnedWindows, local: Deployment
) -> None:
    """A factor that a tenant took over from others is no evidence, since it would confirm itself forever."""
    for tenant, actual in (("a", 2_000), ("b", 1_500)):
        learned_windows.observe(local, Counted(1_000, actual, media=False), 0.0, tenant)
    for tenant in "cdef":
        learned_windows.lessons_for_plan(local, 0.0, tenant)
    learned_windows.observe(local, Counted(1_000, 1_000, media=False), 0.0, "g")
    assert learned_windows.peek(local, 0.0, "z").calibration.sticky == 1.5


def test_a_reload_keeps_what_was_agreed_on(learned_windows: LearnedWindows, local: Deployment) -> None:
    """Agreed windows follow their entry to its new position."""
    for tenant in "ab":
        learned_windows.learn(local, Overflow(9_000), REFUSED, 0.0, tenant)
    carried = learned_windows.carry({local.position: 7})
    assert windows(carried, replace(local, position=7)) == [9_000] * 3
    assert windows(carried, local) == [None] * 3
