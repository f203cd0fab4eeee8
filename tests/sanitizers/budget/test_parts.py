"""The tokens of a request's parts (system, tools, first goal, older and current rounds) add up to the whole."""

from __future__ import annotations

from hypothesis import given

from sanitizers.budget import Marks, measure_parts
from tests.sanitizers.budget.histories import a_round, size, total
from tests.support.builders import assistant, system, user
from tests.support.strategies import any_histories


def test_each_part_holds_its_messages() -> None:
    """The tokens of each message count in its part of the request.

    A goal that is the history's only message counts as the current round.
    """
    history = [system("s"), user("goal"), *a_round(0, 100), assistant("a"), user("b"), *a_round(1, 50)]
    parts = measure_parts(history, size, Marks(tools=7))

    assert (parts.system, parts.tools) == (size(history[0]), 7)
    assert parts.first_goal == size(history[1])
    assert parts.older_rounds == total(history[2:6])
    assert parts.current_round == total(history[6:])
    assert parts.rounds == 3
    assert parts.largest[0] == max(
        ((at, size(m)) for at, m in enumerate(history)), key=lambda found: found[1]
    )
    alone = measure_parts([user("goal")], size, Marks())
    assert (alone.first_goal, alone.older_rounds, alone.current_round) == (0, 0, size(user("goal")))


def test_largest_messages_have_their_index_at_the_client() -> None:
    """The list of the largest messages names the client's indexes, since sanitizing may have moved messages."""
    parts = measure_parts([user("a"), assistant("b" * 99)], size, Marks(), origins=[4, 9])

    assert [index for index, _ in parts.largest] == [9, 4]
    assert parts.as_dict()["largest"][0][0] == 9


@given(any_histories())
def test_the_parts_add_up_to_the_whole(history: list[dict[str, object]]) -> None:
    """The parts add up to the whole, and each part is at least 0."""
    parts = measure_parts(history, size, Marks(tools=3))

    assert parts.whole == total(history) + 3
    assert min(parts.system, parts.first_goal, parts.older_rounds, parts.current_round) >= 0
