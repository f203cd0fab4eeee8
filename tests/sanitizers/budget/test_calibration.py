"""Tests of calibration, which corrects a deployment's token estimates by the counts that the provider reports."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.budget.calibration import LEAST, MOST, Calibration, initial, margin, observe
from sanitizers.budget.estimate import count_text
from sanitizers.budget.families import CLAUDE_3, FAMILIES, O200K, UNKNOWN, Family

any_number = st.floats() | st.integers(-10, 10**7)
observations = st.lists(st.tuples(any_number, any_number, st.booleans()), max_size=30)

CODE = 'def read(path):\n    with open(path) as file:\n        return json.load(file)["items"][:100]\n\n'
PROSE = "I will read the file first, then change what the test expects, and run the whole suite again.\n"
DATA = '{"id": 18342, "name": "alpha", "tags": ["a", "b"], "at": "2026-11-02T10:31:07Z"}\n'
LOG = "2026-11-02 10:31:07,123 INFO  [worker-3] handled GET /v1/items/18342 in 12.7 ms (status 200)\n"


def agent_texts(seed: int, requests: int = 40) -> list[str]:
    """Return the growing texts of an agent's requests: a system text, then files read, prose, and short outputs."""
    choice = random.Random(seed)
    history = PROSE * 10 + CODE * 10 + DATA * 5
    grown = []
    for _ in range(requests):
        history += PROSE * choice.randint(1, 5) + CODE * choice.randint(5, 40)
        history += choice.choice([DATA, LOG]) * choice.randint(0, 10)
        grown.append(history)
    return grown


class TestObservations:
    """Tests of how one answer changes the state."""

    @pytest.mark.long
    @pytest.mark.parametrize(
        "real", [row for row in FAMILIES if row is not UNKNOWN], ids=lambda row: row.name
    )
    def test_one_observation_is_enough_for_an_unknown_tokenizer(self, real: Family) -> None:
        """After one answer, the mean error of estimates for an unknown tokenizer is below 10 %."""
        for seed in range(5):
            first, *later = agent_texts(seed)
            state = observe(initial(UNKNOWN), count_text(first, UNKNOWN), count_text(first, real))
            errors = [state.sticky * count_text(text, UNKNOWN) / count_text(text, real) - 1 for text in later]
            assert statistics.fmean(map(abs, errors)) < 0.10

    def test_the_first_observation_is_adopted_as_it_is(self) -> None:
        """After the first observation, the family's own factor no longer counts."""
        assert Calibration(1.4, 1.4, 1) == observe(initial(UNKNOWN), 1_000, 1_400)

    def test_later_observations_are_averaged_in_the_logarithm(self) -> None:
        """The second observation has half the weight. The tenth and all later observations have one tenth."""
        state = observe(observe(initial(O200K), 1_000, 1_000), 1_000, 1_210)
        assert math.isclose(1.1, state.live)
        old = Calibration(1.0, 1.0, 500)
        assert math.isclose(1.1**0.1, observe(old, 1_000, 1_100).live)

    def test_one_strange_answer_moves_the_factor_by_thirty_percent_at_most(self) -> None:
        """One strange count moves the factor by 30 % at most, since a provider may once report a wrong count."""
        assert math.isclose(1.3, observe(Calibration(1.0, 1.0, 1), 1_000, 2_900).live)
        assert math.isclose(1 / 1.3, observe(Calibration(1.0, 1.0, 1), 1_000, 501).live)

    @pytest.mark.parametrize(
        ("estimated", "actual", "media"),
        [
            (499, 900, False),
            (1_000, 0, False),
            (1_000, -5, False),
            (1_000, 1_500, True),
            (math.nan, 1_000, False),
            (1_000, math.nan, False),
            (math.inf, 1_000, False),
            (1_000, math.inf, False),
        ],
    )
    def test_small_requests_media_and_missing_usage_change_nothing(
        self, estimated: float, actual: float, media: bool
    ) -> None:
        """Such an observation changes nothing, so the same state object comes back."""
        state = initial(O200K)
        assert state is observe(state, estimated, actual, media=media)

    @given(st.sampled_from(FAMILIES), observations)
    def test_factors_stay_in_bounds(self, family: Family, seen: list[tuple[float, float, bool]]) -> None:
        """The bounds hold for any observations in any order."""
        state = initial(family)
        for estimated, actual, media in seen:
            state = observe(state, estimated, actual, media=media)
            assert LEAST <= state.live <= MOST
            assert LEAST <= state.sticky <= MOST
            assert abs(state.live / state.sticky - 1) <= 0.10 + 1e-9

    @given(st.floats(0.55, 2.9), st.integers(1, 60))
    def test_the_factor_converges_for_a_deployment_with_one_factor(self, factor: float, already: int) -> None:
        """After 200 answers with one factor, the live factor is within 0.01 % of that factor."""
        state = Calibration(1.0, 1.0, already)
        for _ in range(200):
            state = observe(state, 10_000, 10_000 * factor)
        assert math.isclose(factor, state.live, rel_tol=1e-4)
        assert abs(state.live / state.sticky - 1) <= 0.10 + 1e-9


class TestStickiness:
    """Tests of the planning factor, which rarely moves."""

    @pytest.mark.parametrize(("wander", "most"), [(0.01, 3), (0.03, 12)])
    def test_a_wandering_factor_rarely_moves_the_planning_factor(self, wander: float, most: int) -> None:
        """The real factor of 480 requests walks up and down between 0.8 and 1.6."""
        for seed in range(10):
            walk = random.Random(seed)
            state, real, moved = initial(O200K), 1.1, 0
            for _ in range(480):
                real = min(max(real * math.exp(walk.uniform(-wander, wander)), 0.8), 1.6)
                before = state
                state = observe(state, 50_000, 50_000 * real)
                moved += before.observations > 0 and state.sticky != before.sticky
            assert moved <= most

    def test_noise_never_moves_the_planning_factor(self) -> None:
        """Observations that scatter by 10 % around one factor never move the planning factor."""
        noise = random.Random(7)
        state = observe(initial(O200K), 50_000, 55_000)
        for _ in range(1_000):
            state = observe(state, 50_000, 55_000 * noise.uniform(0.9, 1.1))
        assert state.sticky == 1.1

    def test_another_tokenizer_moves_the_planning_factor_within_a_few_answers(self) -> None:
        """The planning factor follows within ten answers when a deployment gets another model."""
        state = Calibration(1.0, 1.0, 100)
        for _ in range(10):
            state = observe(state, 50_000, 65_000)
        assert state.sticky > 1.1


class TestState:
    """Tests of the initial state, before any answer."""

    @pytest.mark.parametrize(
        ("family", "factor", "free"), [(O200K, 1.0, 0.15), (CLAUDE_3, 1.0, 0.15), (UNKNOWN, 1.15, 0.25)]
    )
    def test_before_any_answer_the_factor_is_the_familys_and_the_margin_larger(
        self, family: Family, factor: float, free: float
    ) -> None:
        """The margin shrinks with the first answer."""
        state = initial(family)
        assert Calibration(factor, factor, 0) == state
        assert free == margin(state, family)
        assert margin(observe(state, 1_000, 1_000), family) == 0.08
