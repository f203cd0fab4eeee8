"""Tests of the learned lengths of answers."""

from __future__ import annotations

import pytest

from proxy.state.output_lengths import FIRST_OUTPUT, OutputLengths

TAUGHT = {
    "none": ([], FIRST_OUTPUT),
    "nine": ([5] * 9, FIRST_OUTPUT),
    "ten": ([5] * 10, 5),
    "one long of ten": ([5] * 9 + [900], 5),
    "two long of ten": ([5] * 8 + [900] * 2, 900),
    "any order": ([*range(100, 0, -1)], 90),
    "the newest hundred": ([9_000] * 50 + [7] * 100, 7),
    "empty answers": ([0] * 10, 0),
}


@pytest.mark.parametrize(("lengths", "usual"), TAUGHT.values(), ids=TAUGHT)
def test_usual_length_is_the_90th_percentile_of_the_newest_answers(lengths: list[int], usual: int) -> None:
    learned = OutputLengths()
    for length in lengths:
        learned.note("ci", "gpt", length)

    assert learned.find_usual("ci", "gpt") == usual


def test_lengths_of_one_key_and_model_count_for_no_other() -> None:
    learned = OutputLengths()
    for _ in range(10):
        learned.note("ci", "gpt", 7)

    assert learned.find_usual("ci", "gemini") == FIRST_OUTPUT
    assert learned.find_usual("other", "gpt") == FIRST_OUTPUT


def test_key_that_asks_many_models_does_not_drop_the_lengths_of_another() -> None:
    learned = OutputLengths()
    for _ in range(10):
        learned.note("ci", "gpt", 7)
    for model in range(5_000):
        learned.note("crowd", f"m{model}", 1)

    assert learned.find_usual("ci", "gpt") == 7
