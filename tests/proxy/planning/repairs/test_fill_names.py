"""Names of calls and results, copied from each other."""

from __future__ import annotations

from proxy.planning.repairs.fill_names import fill_names
from tests.proxy.planning.repairs.asking import draft_of, refusal
from tests.support.builders import assistant, call, tool, user


def test_a_call_gets_its_result_s_name_and_a_result_its_call_s() -> None:
    """A signature suffix on one side does not matter."""
    history = [
        user("go"),
        assistant(None, [call("a__thought__c2ln", ""), call("b", "look")]),
        tool("a", "one", name="read"),
        tool("b", "two"),
    ]
    draft = fill_names(draft_of(history), refusal("Name cannot be empty."))

    assert [one["function"]["name"] for one in draft.messages[1]["tool_calls"]] == ["read", "look"]
    assert [message["name"] for message in draft.messages[2:]] == ["read", "look"]
    assert [change.index for change in draft.changes] == [1, 3]


def test_a_pair_without_any_name_gets_one_name() -> None:
    """The name is made up, and the same on both."""
    history = [user("go"), assistant(None, [call("a", "")]), tool("a", "one")]
    draft = fill_names(draft_of(history), refusal("Name cannot be empty."))

    assert draft.messages[1]["tool_calls"][0]["function"]["name"] == "unknown_tool"
    assert draft.messages[2]["name"] == "unknown_tool"


def test_a_history_with_all_names_is_the_same_draft() -> None:
    """No message is copied."""
    draft = draft_of([user("go"), assistant(None, [call("a", "look")]), tool("a", "one", name="look")])

    assert fill_names(draft, refusal("Name cannot be empty.")) is draft
