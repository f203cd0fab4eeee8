"""A model turn between tool results and the user's next words."""

from __future__ import annotations

from proxy.planning.repairs.separate_results import RECEIVED, separate_from, separate_results
from tests.proxy.planning.repairs.asking import draft_of, listed, refusal
from tests.support.builders import assistant, call, tool, user

ROUND = [assistant(None, [call("a")]), tool("a", "one")]
SECOND = [assistant(None, [call("b")]), tool("b", "two")]


def test_a_user_turn_behind_a_result_is_separated() -> None:
    """The inserted turn has the index of the user turn. Other neighbours stay."""
    draft = separate_results(draft_of([user("go"), *ROUND, user("and?"), *SECOND]), refusal("No."))

    assert [message["role"] for message in draft.messages] == [
        *("user", "assistant", "tool"),
        *("assistant", "user"),
        *("assistant", "tool"),
    ]
    assert draft.messages[3] == {"role": "assistant", "content": RECEIVED}
    assert listed(draft) == [("inserted", 3, "turn_between", "")]


def test_a_history_without_such_turns_is_the_same_draft() -> None:
    """A result may stand at the end, or before a model turn."""
    draft = draft_of([user("go"), *ROUND, assistant("done"), user("again"), *SECOND])

    assert separate_results(draft, refusal("No.")) is draft


def test_earlier_turns_stay() -> None:
    """Only turns from the position on are separated."""
    draft = draft_of([user("go"), *ROUND, user("and?"), *SECOND, user("then?")])

    assert [change.index for change in separate_from(draft, 4).changes] == [6]
