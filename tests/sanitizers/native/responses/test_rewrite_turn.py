"""Tests of the rewriting of one turn of the model."""

from __future__ import annotations

from typing import Any

from sanitizers.native.responses.rewrite_turn import ChangedTurn, RewrittenTurn, rewrite_turn
from tests.sanitizers.native.responses.building import NO_TOOLS, Item, called, projected, said, thought

SEALED = thought("gAAAAx")
SAID = said("Well.", "assistant", id="msg_1", phase="commentary")
CALL, OTHER = called("a", id="fc_1"), called("b", id="fc_2")
MCP = {"type": "mcp_call", "id": "mcp_1", "name": "f", "server_label": "s", "output": "long"}
CODE = {
    "type": "code_interpreter_call",
    "id": "ci_1",
    "code": "1",
    "outputs": [{"type": "logs", "logs": "1"}],
}


def rewritten(*items: Item, results: tuple[Any, ...] = (), **changed: Any) -> RewrittenTurn:
    """Return the turn of *items* with the fields *changed* in its message."""
    message, *before = projected(*items).messages
    turn = ChangedTurn({**message, **changed}, [message], [range(len(items))], results or before)
    return rewrite_turn(turn, items, NO_TOOLS, {id(each): 0 for each in (message, *before)})


def calls_of(*items: Item) -> list[Any]:
    """Return the calls of the message that *items* become."""
    calls: list[Any] = projected(*items).messages[0]["tool_calls"]
    return calls


def test_turn_that_lost_only_what_items_do_not_show_stays() -> None:
    done = rewritten(SEALED, SAID, CALL, tool_calls=[{**calls_of(CALL)[0], "extra_content": {}}])

    assert [id(item) for item in done.items] == [id(SEALED), id(SAID), id(CALL)]
    assert (done.origins, done.changes) == ([0, 1, 2], [])


def test_changed_call_loses_the_thought_before_it_and_nothing_else() -> None:
    changed = {**calls_of(CALL)[0], "function": {"name": "f", "arguments": '{"x":1}'}}
    done = rewritten(SEALED, SAID, {**SEALED, "id": "rs_2"}, CALL, tool_calls=[changed])

    assert done.items == [SEALED, SAID, called("a", arguments='{"x":1}')]
    assert [(change.kind, change.index, change.reason) for change in done.changes] == [
        ("dropped", 2, "reasoning_alone")
    ]


def test_what_follows_a_dropped_thought_loses_its_id() -> None:
    done = rewritten(SEALED, SAID, CALL, content="Other.")

    assert done.items == [{"type": "message", "role": "assistant", "content": "Other."}, called("a")]
    assert [(change.kind, change.index) for change in done.changes] == [("dropped", 0), ("replaced", 2)]


def test_call_with_another_id_is_the_same_call() -> None:
    done = rewritten(SEALED, CALL, tool_calls=[{**calls_of(CALL)[0], "id": "new"}])

    assert done.items == [SEALED, {**CALL, "call_id": "new"}]


def test_call_that_is_left_out_goes_and_a_new_one_comes_last() -> None:
    new = {"id": "c", "type": "function", "function": {"name": "g", "arguments": "{}"}}
    done = rewritten(SAID, CALL, OTHER, tool_calls=[calls_of(OTHER)[0], new])

    assert done.items == [SAID, OTHER, called("c", "g")]
    assert done.origins == [0, 2, -1]


def test_thought_of_what_is_left_out_is_left_out_too() -> None:
    """No other item can stand in the place of the one that followed the thought."""
    new = {"type": "message", "role": "assistant", "content": "New."}
    cut = {"role": "tool", "tool_call_id": "mcp_1", "content": "cut"}

    assert rewritten(SEALED, CALL, OTHER, tool_calls=[calls_of(OTHER)[0]]).items == [called("b")]
    assert rewritten(CALL, SEALED, content="New.").items == [CALL, new]
    assert rewritten(SEALED, MCP, results=(cut,)).items == [{**MCP, "output": "cut", "error": None}]


def test_words_that_changed_stand_in_the_place_of_the_first() -> None:
    more = said("More.", "assistant")
    done = rewritten(SAID, CALL, more, content="One.")

    assert done.items == [{"type": "message", "role": "assistant", "content": "One."}, CALL]


def test_refusal_and_parts_are_words_too() -> None:
    """A changed one is written anew, and an equal one stays."""
    parts = [{"type": "refusal", "refusal": "No."}]
    refused = {"type": "message", "role": "assistant", "id": "msg_1", "content": parts}

    assert rewritten(refused, reasoning_content="Hm.").items == [refused]
    assert rewritten(refused, refusal="Never.").items == [
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "Never."}]}
    ]
    assert rewritten(SAID, content=[{"type": "text", "text": "Cut."}]).items == [said("Cut.", "assistant")]


def test_words_of_a_turn_without_any_come_last() -> None:
    done = rewritten(CALL, content="New.")

    assert done.items == [CALL, {"type": "message", "role": "assistant", "content": "New."}]


def test_result_of_the_server_is_changed_in_its_call() -> None:
    """The results stand in the items, so that they are not written again."""
    mcp = projected(MCP).messages[1]
    code = projected(CODE).messages[1]
    short = [{**mcp, "content": "short"}]
    logs = [{**code, "content": "cut"}]

    done = rewritten(MCP, results=tuple(short))
    assert done.items == [{**MCP, "output": "short", "error": None}]
    assert done.held == {id(short[0])}
    assert rewritten(CODE, results=tuple(logs)).items == [
        {**CODE, "outputs": [{"type": "logs", "logs": "cut"}]}
    ]
    assert rewritten(MCP).items == [MCP]


def test_computer_without_its_own_screen_is_a_function() -> None:
    computer = {"type": "computer_call", "call_id": "a", "action": {"type": "screenshot"}}
    result = {"role": "tool", "tool_call_id": "a", "content": "none"}

    assert rewritten(computer, results=(result,)).items == [
        called("a", "computer", '{"type": "screenshot"}'),
    ]


def test_local_shell_with_another_id_keeps_the_form_of_its_own() -> None:
    shell = {
        "type": "local_shell_call",
        "id": "lsh_1",
        "call_id": "a",
        "action": {"type": "exec", "command": ["ls"]},
    }
    done = rewritten(shell, tool_calls=[{**calls_of(shell)[0], "id": "call_new"}])

    assert done.items == [{**shell, "call_id": "call_new", "id": "lsh_new"}]


def test_items_that_no_message_shows_stay() -> None:
    search = {"type": "web_search_call", "id": "ws_1"}
    tools = {"type": "additional_tools", "role": "developer", "tools": []}
    done = rewritten(SEALED, search, tools, SAID, {"type": "made_up"}, content="Other.")

    assert [item["type"] for item in done.items] == [
        "reasoning",
        "web_search_call",
        "additional_tools",
        "message",
        "made_up",
    ]


def test_message_without_a_turn_before_is_new() -> None:
    turn = ChangedTurn({"role": "assistant", "content": "New."}, [], [], [])

    assert rewrite_turn(turn, [], NO_TOOLS, ()).items == [
        {"type": "message", "role": "assistant", "content": "New."}
    ]
