"""Tests that results are compared without the id of their own call, also in rounds of very many calls."""

from __future__ import annotations

import pytest

from sanitizers.turns.rounds import _MAX_IDS, read_rounds
from tests.support.builders import assistant, call, tool
from tests.support.counted_steps import count_steps


@pytest.mark.parametrize("count", [2, _MAX_IDS, _MAX_IDS + 1])
def test_results_that_differ_by_their_call_id_alone_repeat(count: int) -> None:
    """Some tools write the id of the call into their result."""
    history = []
    for turn in "ab":
        ids = [f"call_{turn}_{at:04}" for at in range(count)]
        history += [assistant(None, [call(one) for one in ids])]
        history += [tool(one, f"done: {one}") for one in ids]

    first, second = read_rounds(history, 0, len(history))

    assert first.repeats(second)
    assert set(first.outcomes) == {"done: "}


def test_the_work_is_in_proportion_to_the_calls() -> None:
    """The work grows with the number of calls, not with its square."""

    def read(count: int) -> int:
        calls = [call(f"call_{at:06}") for at in range(count)]
        history = [assistant(None, calls), *(tool(one["id"], "done") for one in calls)]
        [one] = read_rounds(history, 0, len(history))
        return count_steps(lambda: one.outcomes).total()

    assert read(400) < 4.6 * read(100)
