"""Tests of the table of item types."""

from __future__ import annotations

import typing
from typing import Any

import pytest
from openai.types.responses.response_input_item_param import ResponseInputItemParam

from sanitizers import Unrepairable
from sanitizers.native.responses import ITEM_TYPES, project
from sanitizers.native.responses.call_items import CLIENT_CALLS, OUTPUTS, SERVER_CALLS
from sanitizers.native.responses.item_types import COMPACTIONS, TOOL_CARRIERS, check_fields, type_of
from tests.sanitizers.native.responses.building import NO_TOOLS


def types_of_the_client() -> set[str]:
    """Return the types of all items that OpenAI's client can send."""
    found: set[str] = set()
    for item in typing.get_args(ResponseInputItemParam):
        waiting = [typing.get_type_hints(item)["type"]]
        while waiting:
            hint = waiting.pop()
            for inner in typing.get_args(hint):
                (found.add if isinstance(inner, str) else waiting.append)(inner)
    return found


def test_table_has_every_type_of_openais_client() -> None:
    """Each item that OpenAI's client can send has a row."""
    assert types_of_the_client() - ITEM_TYPES.keys() == set()


def test_every_row_that_is_read_or_carried_has_a_reader() -> None:
    """Each outcome but ``dropped`` is a type that the projection knows, and no other."""
    others = {"message", "reasoning", "compaction_trigger", "item_reference"}
    known = {kind for kind, row in ITEM_TYPES.items() if row.outcome != "dropped"}

    assert known == others | CLIENT_CALLS | OUTPUTS | SERVER_CALLS | COMPACTIONS | TOOL_CARRIERS


@pytest.mark.parametrize("kind", sorted(ITEM_TYPES))
def test_an_item_that_is_dropped_is_reported(kind: str) -> None:
    """An item of each dropped type is left out, and the report names its type."""
    items = [{"role": "user", "content": "go"}, {"type": kind}]
    if ITEM_TYPES[kind].outcome == "dropped":
        [change] = project(items, NO_TOOLS).changes
        assert (change.kind, change.index, change.reason, change.detail) == (
            "dropped",
            1,
            "server_item",
            kind,
        )
    elif required := ITEM_TYPES[kind].required:
        with pytest.raises(Unrepairable) as caught:
            check_fields(items[1], ITEM_TYPES[kind], 1)
        assert caught.value.param == f"input[1].{required[0]}"
    else:
        project(items, NO_TOOLS)


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ({"type": "message"}, "message"),
        ({"role": "user"}, "message"),
        ({"type": None, "role": "user"}, "message"),
        ({"id": "rs_1"}, "item_reference"),
        ({"id": "rs_1", "type": None}, "item_reference"),
        ({"type": "unheard_of", "role": "user"}, "unheard_of"),
    ],
)
def test_type_of_an_item(item: Any, kind: str) -> None:
    """An item without a type is a message where it has a role, and a reference where it has an id alone."""
    assert type_of(item, 0) == kind


@pytest.mark.parametrize(
    "item", [None, [], "x", {}, {"type": 7}, {"content": "x"}, {"id": "a", "content": "x"}]
)
def test_item_without_a_type_is_refused(item: Any) -> None:
    """An item whose type nobody knows is refused."""
    with pytest.raises(Unrepairable) as caught:
        type_of(item, 3)

    assert caught.value.param.startswith("input[3]")


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, row in ITEM_TYPES.items() for name in row.texts]
)
def test_field_of_another_type_is_refused(kind: str, name: str) -> None:
    """A field that must hold a text is refused where it holds anything else."""
    row = ITEM_TYPES[kind]
    item: dict[str, Any] = {**dict.fromkeys(row.required, "x"), name: 7}

    with pytest.raises(Unrepairable) as caught:
        check_fields(item, row, 2)

    assert caught.value.param == f"input[2].{name}"
    check_fields({**item, name: "x"}, row, 2)
