"""Tests of writing changed messages back as items."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from sanitizers import sanitize
from sanitizers.native.responses import project, read_tools
from sanitizers.native.responses.apply import apply_messages
from sanitizers.native.responses.changed_items import ChangedItems
from sanitizers.profiles import OPENAI
from sanitizers.synthetic import MISSING_RESULT
from tests.sanitizers.native.responses.building import NO_TOOLS, Item, answered, called, said, thought

SEALED = thought("gAAAAx")
USER, LATER = said("Hi."), said("And?")
SAID = said("Well.", "assistant", id="msg_1")
SEARCH = {"type": "web_search_call", "id": "ws_1"}
TOOLS = {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "f"}]}
NOTE = {"role": "user", "content": "Note."}


def applied(*items: Item, change: Any = None, instructions: str | None = None) -> ChangedItems:
    """Return *items* after *change*, which returns the changed messages. By default they are sanitized."""
    table = read_tools(None, items)
    done = project(items, table, instructions)
    messages = sanitize(done.messages, OPENAI).messages if change is None else change(done.messages)
    return apply_messages(items, done, table, messages)


def test_nothing_changed_gives_the_same_object() -> None:
    items = [USER, SEALED, SAID, called("a"), answered("a"), SEARCH]

    assert applied(*items, change=lambda messages: messages).origins is None
    table = read_tools(None, items)
    done = project(items, table)
    assert apply_messages(items, done, table, [*done.messages]).items is items


def test_missing_result_leaves_the_turn_as_it_was() -> None:
    """The turn's own items stay, and so do its thoughts."""
    items = [USER, SEALED, SAID, called("a", id="fc_1"), LATER]
    done = applied(*items)

    assert done.items == [*items[:4], answered("a", MISSING_RESULT), LATER]
    assert [id(item) for item in done.items[:4]] == [id(item) for item in items[:4]]
    assert done.origins == (0, 1, 2, 3, 3, 4)


def test_orphan_is_dropped_and_the_rest_stays() -> None:
    items = [USER, answered("gone"), SEALED, SAID, LATER]

    assert applied(*items).items == [USER, SEALED, SAID, LATER]


def test_late_result_is_moved_as_it_is() -> None:
    items = [USER, called("a"), LATER, answered("a", id="fco_1")]
    done = applied(*items)

    assert done.items == [USER, items[1], items[3], LATER]
    assert done.items[2] is items[3]


def test_result_of_a_call_has_the_type_of_its_item() -> None:
    custom = {"type": "custom_tool_call", "call_id": "a", "name": "ex", "input": "x"}
    shell = {
        "type": "local_shell_call",
        "id": "lsh_1",
        "call_id": "b",
        "action": {"type": "exec", "command": ["ls"]},
    }

    assert applied(custom, shell, LATER).items == [
        custom,
        shell,
        {"type": "custom_tool_call_output", "call_id": "a", "output": MISSING_RESULT},
        {"type": "local_shell_call_output", "id": "lsh_1", "output": MISSING_RESULT},
        LATER,
    ]


def test_repeated_call_gets_an_id_of_its_own() -> None:
    items = [USER, called("a", id="fc_1"), answered("a", "1"), called("a", id="fc_2"), answered("a", "2")]
    done = applied(*items)

    assert [item.get("id") for item in done.items] == [None, "fc_1", None, "fc_2", None]
    assert [item["output"] for item in done.items if "output" in item] == ["1", "2"]


def test_cut_turns_take_their_items_with_them_but_no_tools() -> None:
    """Items that no message holds stay only beside items that stay."""
    items = [USER, SEARCH, LATER, TOOLS, SEALED, SAID, called("a"), answered("a"), SEARCH, said("Last.")]
    done = applied(*items, change=lambda messages: [messages[0], messages[-1]])

    assert done.items == [USER, SEARCH, TOOLS, SEARCH, said("Last.")]


def test_items_without_a_message_go_with_the_turns_around_them() -> None:
    """They stay behind a turn that stays, also behind a rewritten one."""
    mcp = {"type": "mcp_call", "id": "mcp_1", "name": "f", "server_label": "s", "output": "long"}
    items = [USER, mcp, SEARCH, LATER]

    assert applied(*items, change=lambda messages: messages[:3]).items == [USER, mcp, SEARCH]
    cut = applied(*items, change=lambda messages: [*messages[:2], {**messages[2], "content": "cut"}])
    assert cut.items == [USER, {**mcp, "output": "cut", "error": None}, SEARCH]
    gone = applied(
        USER, LATER, SEARCH, LATER, said("Last."), change=lambda messages: [messages[0], messages[-1]]
    )
    assert gone.items == [USER, said("Last.")]


def test_inserted_messages_become_items() -> None:
    done = applied(USER, SAID, change=lambda messages: [messages[0], NOTE, *messages[1:], NOTE])
    note = {"type": "message", **NOTE}

    assert done.items == [USER, note, SAID, note]
    assert done.origins == (0, 0, 1, 1)


@pytest.mark.parametrize(
    ("change", "items", "holds"),
    [
        (lambda messages: [*messages, NOTE], [USER, {"type": "message", **NOTE}], False),
        (
            lambda messages: [{"role": "system", "content": "Ours."}, *messages],
            [
                {"type": "message", "role": "system", "content": "Ours."},
                {"type": "message", "role": "system", "content": "Be brief."},
                USER,
            ],
            True,
        ),
        (
            lambda messages: [{"role": "system", "content": "Ours.\n\nBe brief."}, *messages[1:]],
            [{"type": "message", "role": "system", "content": "Ours.\n\nBe brief."}, USER],
            True,
        ),
        (lambda messages: messages[1:], [USER], True),
    ],
    ids=["unchanged", "behind another", "changed", "dropped"],
)
def test_instructions_stay_in_their_field_while_they_are_the_first_message(
    change: Any, items: list[Item], holds: bool
) -> None:
    done = applied(USER, change=change, instructions="Be brief.")

    assert (done.items, done.holds_instructions) == (items, holds)


def test_reference_that_a_message_stands_for_stays() -> None:
    """The provider holds what it names."""
    reference = {"type": "item_reference", "id": "msg_1"}
    system = {"role": "system", "content": "Ours."}

    assert applied(reference, change=lambda messages: [system, *messages]).items == [
        {"type": "message", **system},
        reference,
    ]


def test_changed_message_of_the_client_is_written_anew() -> None:
    done = applied({**USER, "id": "msg_9"}, change=lambda messages: [{**messages[0], "content": "Cut."}])

    assert done.items == [{"type": "message", "role": "user", "content": "Cut."}]


def test_removed_signatures_change_no_item() -> None:
    """A chat message may lose what no item has."""
    call = called("a", extra_content={"google": {"thought_signature": "SIG"}})
    items = [USER, call, answered("a")]

    def unsign(messages: list[Any]) -> list[Any]:
        changed = deepcopy(messages[1])
        del changed["tool_calls"][0]["extra_content"]
        return [messages[0], changed, messages[2]]

    assert applied(*items, change=unsign).items is not None
    assert [*applied(*items, change=unsign).items] == items


def test_server_call_with_its_result_stays_one_item() -> None:
    mcp = {"type": "mcp_call", "id": "mcp_1", "name": "f", "server_label": "s", "output": "long"}

    def cut(messages: list[Any]) -> list[Any]:
        return [*messages[:-1], {**messages[-1], "content": "cut"}]

    assert applied(USER, SAID, mcp, change=cut).items == [USER, SAID, {**mcp, "output": "cut", "error": None}]
    assert applied(USER, mcp, LATER, change=lambda m: [*m[:3], NOTE]).items == [
        USER,
        mcp,
        {"type": "message", **NOTE},
    ]


def test_table_gives_new_calls_their_own_types() -> None:
    custom = {"type": "additional_tools", "role": "developer", "tools": [{"type": "custom", "name": "ex"}]}
    call = {"id": "a", "type": "function", "function": {"name": "ex", "arguments": '{"input": "x"}'}}
    result = {"role": "tool", "tool_call_id": "a", "content": "1"}
    turn = {"role": "assistant", "content": None, "tool_calls": [call]}

    assert applied(custom, USER, change=lambda messages: [*messages, turn, result]).items == [
        custom,
        USER,
        {"type": "custom_tool_call", "call_id": "a", "name": "ex", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "a", "output": "1"},
    ]
    assert NO_TOOLS.declared("ex") is None
