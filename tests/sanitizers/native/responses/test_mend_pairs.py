"""Tests of the changes to calls and outputs."""

from __future__ import annotations

import pytest

from sanitizers.native.responses.changed_items import ChangedItems
from sanitizers.native.responses.mend import mend_items
from sanitizers.synthetic import MISSING_RESULT
from tests.sanitizers.native.responses.building import Item, answered, called
from tests.sanitizers.native.responses.test_violations import SHELL

CUSTOM = {"type": "custom_tool_call", "call_id": "a", "name": "ex", "input": "x"}
COMPUTER = {"type": "computer_call", "call_id": "a", "action": {"type": "screenshot"}}


def mended(*items: Item) -> list[Item]:
    """Return *items* after mending."""
    return [*mend_items(ChangedItems(items)).items]


def test_call_without_output_gets_one_of_its_type() -> None:
    patch = {"type": "apply_patch_call", "call_id": "a", "operation": {"type": "delete_file", "path": "x"}}
    outputs = [mended(call)[1] for call in (called("a"), CUSTOM, SHELL, patch)]

    assert outputs == [
        {"type": "function_call_output", "call_id": "a", "output": MISSING_RESULT},
        {"type": "custom_tool_call_output", "call_id": "a", "output": MISSING_RESULT},
        {"type": "local_shell_call_output", "id": "lsh_1", "output": MISSING_RESULT},
        {"type": "apply_patch_call_output", "call_id": "a", "status": "completed", "output": MISSING_RESULT},
    ]


def test_computer_without_its_screen_is_a_function() -> None:
    assert mended(COMPUTER) == [
        {"type": "function_call", "call_id": "a", "name": "computer", "arguments": '{"type": "screenshot"}'},
        answered("a", MISSING_RESULT),
    ]


@pytest.mark.parametrize(
    ("call", "output", "written"),
    [
        (
            CUSTOM,
            answered("a", id="x"),
            {"type": "custom_tool_call_output", "call_id": "a", "output": "ok", "id": "x"},
        ),
        (SHELL, answered("a"), {"type": "local_shell_call_output", "id": "lsh_1", "output": "ok"}),
        (
            called("a"),
            {"type": "apply_patch_call_output", "call_id": "a", "status": "failed", "output": "no"},
            answered("a", '{"status": "failed", "output": "no"}'),
        ),
        (called("a"), {"type": "shell_call_output", "call_id": "a", "output": [1]}, answered("a", "[1]")),
    ],
    ids=["custom", "local shell", "patch", "shell"],
)
def test_output_gets_the_type_of_its_call(call: Item, output: Item, written: Item) -> None:
    assert mended(call, output) == [call, written]


def test_long_id_of_a_call_becomes_the_same_digest_on_both_sides() -> None:
    """Ids that begin alike stay apart."""
    one, two = "x" * 65, "x" * 66
    done = mended(called(one), called(two), answered(two), answered(one))
    ids = [item["call_id"] for item in done]

    assert ids[0] == ids[3] != ids[1] == ids[2]
    assert all(len(call_id) <= 64 for call_id in ids)


def test_each_change_of_a_pair_is_listed() -> None:
    changes = mend_items(ChangedItems([COMPUTER, answered("a"), called("x" * 65)])).changes

    assert [(change.kind, change.index, change.reason) for change in changes] == [
        ("replaced", 0, "computer_call"),
        ("replaced", 1, "output_type"),
        ("replaced", 2, "call_id_too_long"),
        ("inserted", 2, "missing_result"),
    ]
