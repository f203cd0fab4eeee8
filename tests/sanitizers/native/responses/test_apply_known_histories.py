"""Tests that the broken histories of public reports, written as items, go out as legal items and lose nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sanitizers import sanitize
from sanitizers.native.responses import project, read_tools
from sanitizers.native.responses.apply import apply_messages
from sanitizers.native.responses.mend import mend_items
from sanitizers.native.responses.violations import find_item_violations
from sanitizers.profiles import OPENAI
from tests.sanitizers.native.responses.building import as_items, said, thought
from tests.support.responses_emulator.items import item_faults
from tests.support.responses_emulator.pairing import list_faults
from tests.support.responses_emulator.sealing import seal
from tests.support.strategies import texts_of

KNOWN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[4] / "proxy" / "conformance" / "known.json").read_text("utf-8")
)
OWNER = "us"


@pytest.mark.parametrize("entry", KNOWN, ids=lambda e: e["id"])
def test_known_history_goes_out_as_legal_items(entry: dict[str, Any]) -> None:
    """Neither our own rules nor those of the emulated provider are broken. Each text of the messages is there."""
    items = as_items(entry["messages"])
    table = read_tools(None, items)
    done = project(items, table)
    sanitized = sanitize(done.messages, OPENAI.as_items())
    applied = apply_messages(items, done, table, sanitized.messages)
    mended = mend_items(applied)

    assert find_item_violations(mended.items) == ()
    assert [*item_faults(mended.items)] == []
    assert [*list_faults(mended.items, OWNER)] == []
    held = json.dumps(mended.items, ensure_ascii=False)
    assert [
        text
        for text in texts_of(list(sanitized.messages))
        if json.dumps(text, ensure_ascii=False)[1:-1] not in held
    ] == []
    if not sanitized.changes:
        assert applied.items is items


@pytest.mark.parametrize("entry", KNOWN, ids=lambda e: e["id"])
def test_known_history_keeps_the_turn_before_it(entry: dict[str, Any]) -> None:
    """A thought and its answer, which nothing is wrong with, stay the same objects."""
    turn = [
        said("Before."),
        thought(seal("rs_1", OWNER)),
        said("Well.", "assistant", id="msg_1"),
        said("Go on."),
    ]
    items = [*turn, *as_items(entry["messages"])]
    table = read_tools(None, items)
    done = project(items, table)
    sanitized = sanitize(done.messages, OPENAI.as_items())
    mended = mend_items(apply_messages(items, done, table, sanitized.messages))

    kept = {id(item) for item in mended.items}
    assert {id(turn[1]), id(turn[2])} <= kept
    assert [*list_faults(mended.items, OWNER)] == []
