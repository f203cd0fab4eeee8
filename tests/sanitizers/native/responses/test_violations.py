"""Tests of the provider's rules for items."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native import ItemViolation
from sanitizers.native.responses import pack_summary
from sanitizers.native.responses.violations import RULES, find_item_violations, is_client_message
from tests.sanitizers.native.responses.building import answered, called, said, sealed, thought

SEALED = thought("gAAAAx")
SEARCH = {"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": "q"}}
SHELL = {
    "type": "local_shell_call",
    "id": "lsh_1",
    "call_id": "a",
    "action": {"type": "exec", "command": ["ls"]},
}
SHELL_OUTPUT = {"type": "local_shell_call_output", "id": "lsh_1", "output": "done"}
ANSWER = said("Done.", "assistant")
TOOLS = {"type": "additional_tools", "role": "developer", "tools": []}
TRIGGER = {"type": "compaction_trigger"}

LEGAL: dict[str, list[Any]] = {
    "a whole turn": [
        said("Hi."),
        SEALED,
        said("Well.", "assistant", id="msg_1"),
        called("a", id="fc_1"),
        answered("a"),
    ],
    "a thought before a call": [SEALED, called("a"), answered("a")],
    "several thoughts before one item": [SEALED, {**SEALED, "id": "rs_2"}, ANSWER],
    "a thought before a search": [SEALED, SEARCH],
    "a thought before an item that nobody knows": [SEALED, {"type": "made_up", "id": "!"}],
    "an id that is null": [{**ANSWER, "id": None}],
    "a message without a type": [{"role": "user", "content": "Hi.", "id": "msg_1"}],
    "a local shell": [SHELL, SHELL_OUTPUT],
    "a local shell whose output names the call": [
        SHELL,
        {"type": "local_shell_call_output", "call_id": "a", "output": "done"},
    ],
    "an output that is named without a call": [{"type": "function_call_output", "name": "f", "output": "1"}],
    "a search without its action": [{"type": "web_search_call", "id": "ws_1"}],
    "a search with an odd action": [{**SEARCH, "action": 7}],
    "a summary of the provider": [{"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAy"}],
    "a trigger at the end": [said("Hi."), TRIGGER],
    "tools after an answer": [SEALED, ANSWER, TOOLS],
}

BROKEN: dict[str, tuple[list[Any], list[tuple[str, int]]]] = {
    "call without output": ([called("a"), said("Hi.")], [("call_unanswered", 0)]),
    "shell without output": ([SHELL], [("call_unanswered", 0)]),
    "output without call": ([answered("a")], [("output_orphaned", 0)]),
    "output before its call": (
        [answered("a"), called("a")],
        [("output_orphaned", 0), ("call_unanswered", 1)],
    ),
    "output of another type": (
        [called("a"), {"type": "custom_tool_call_output", "call_id": "a", "output": "1"}],
        [("call_unanswered", 0), ("output_orphaned", 1)],
    ),
    "output without an id": ([{"type": "custom_tool_call_output", "output": "1"}], [("output_orphaned", 0)]),
    "message without content": ([{**ANSWER, "content": None}], [("field_missing", 0)]),
    "message of the user's without content": ([{"role": "user"}], [("field_missing", 0)]),
    "call without arguments": (
        [{**called("a"), "arguments": None}, answered("a")],
        [("field_missing", 0)],
    ),
    "call without input": (
        [
            {"type": "custom_tool_call", "call_id": "a", "name": "g"},
            {"type": "custom_tool_call_output", "call_id": "a", "output": "1"},
        ],
        [("field_missing", 0)],
    ),
    "thought without a summary": ([{**SEALED, "summary": None}, ANSWER], [("field_missing", 0)]),
    "thought at the end": ([said("Hi."), SEALED], [("reasoning_alone", 1)]),
    "thought before the user": ([SEALED, said("Hi.")], [("reasoning_alone", 0)]),
    "thought before the user's turn": ([SEALED, said("Hi."), ANSWER], [("reasoning_alone", 0)]),
    "thought before an approval": (
        [SEALED, {"type": "mcp_approval_response"}, ANSWER],
        [("reasoning_alone", 0)],
    ),
    "thought before a result": ([called("a"), SEALED, answered("a")], [("reasoning_alone", 1)]),
    "thought before a result, and a later answer": (
        [called("a"), SEALED, answered("a"), ANSWER],
        [("reasoning_alone", 1)],
    ),
    "thought before tools": ([SEALED, TOOLS, ANSWER], [("reasoning_alone", 0)]),
    "two thoughts alone": (
        [SEALED, {**SEALED, "id": "rs_2"}, said("Hi.")],
        [("reasoning_alone", 0), ("reasoning_alone", 1)],
    ),
    "thought without encrypted content": ([thought(None, "hm"), ANSWER], [("reasoning_unsealed", 0)]),
    "envelope of the proxy": ([thought(sealed("hm")), ANSWER], [("envelope_own", 0)]),
    "summary of the proxy": (
        [{"type": "compaction", "encrypted_content": pack_summary("So far.")}],
        [("summary_own", 0)],
    ),
    "reference": ([{"type": "item_reference", "id": "rs_1"}], [("reference_unknown", 0)]),
    "reference without a type": ([{"id": "rs_1"}], [("reference_unknown", 0)]),
    "same item twice": ([SEALED, ANSWER, SEALED, ANSWER], [("item_repeated", 2)]),
    "same id twice": (
        [said("A", "assistant", id="msg_1"), said("B", "assistant", id="msg_1")],
        [("id_repeated", 1)],
    ),
    "same call twice": (
        [called("a", id="fc_1"), answered("a"), called("a", id="fc_1"), answered("a")],
        [("id_repeated", 2)],
    ),
    "empty id": ([{**ANSWER, "id": ""}], [("id_illegal", 0)]),
    "id with odd characters": ([{**ANSWER, "id": "msg 1"}], [("id_illegal", 0)]),
    "id that is no text": ([{**ANSWER, "id": 7}], [("id_illegal", 0)]),
    "long id": ([{**ANSWER, "id": "msg_" + "x" * 61}], [("id_too_long", 0)]),
    "id of another type": ([{**ANSWER, "id": "__fake_id__"}], [("id_prefix", 0)]),
    "id of another type on a call": ([called("a", id="call_1"), answered("a")], [("id_prefix", 0)]),
    "empty id of a call": ([called("")], [("call_id_illegal", 0)]),
    "no id of a call": ([called(None)], [("call_id_illegal", 0)]),
    "id of a call with odd characters": (
        [called("f:0"), answered("f:0")],
        [("call_id_illegal", 0), ("call_id_illegal", 1)],
    ),
    "long id of a call": (
        [called("x" * 65), answered("x" * 65)],
        [("call_id_too_long", 0), ("call_id_too_long", 1)],
    ),
    "search of an unknown kind": ([{**SEARCH, "action": {"type": "other"}}], [("search_action", 0)]),
    "trigger in the middle": ([TRIGGER, said("Hi.")], [("trigger_misplaced", 0)]),
}


@pytest.mark.parametrize("items", LEGAL.values(), ids=LEGAL)
def test_legal_items_break_no_rule(items: list[Any]) -> None:
    assert find_item_violations(items) == ()


@pytest.mark.parametrize(("items", "broken"), BROKEN.values(), ids=BROKEN)
def test_broken_items_are_found_with_their_places(items: list[Any], broken: list[tuple[str, int]]) -> None:
    assert find_item_violations(items) == tuple(ItemViolation(*each) for each in broken)


def test_each_rule_is_broken_by_a_case() -> None:
    assert {rule for _, broken in BROKEN.values() for rule, _ in broken} == RULES.keys()


def test_provider_that_stores_items_knows_them_by_their_ids() -> None:
    """Thoughts need no encrypted content, and references are for the provider. An envelope is of no use there."""
    items = [
        {"type": "item_reference", "id": "msg_1"},
        thought(None),
        ANSWER,
        thought(sealed("hm"), item_id="rs_2"),
        ANSWER,
    ]

    assert find_item_violations(items, is_stored=True) == (ItemViolation("envelope_own", 3),)


@pytest.mark.parametrize(
    ("item", "is_clients"),
    [
        (said("Hi."), True),
        ({"role": "developer", "content": "Hi."}, True),
        (ANSWER, False),
        ({"role": ["user"], "content": "Hi."}, False),
        (answered("a"), False),
    ],
)
def test_messages_of_the_client_are_told_by_their_role(item: Any, is_clients: bool) -> None:
    assert is_client_message(item) is is_clients
