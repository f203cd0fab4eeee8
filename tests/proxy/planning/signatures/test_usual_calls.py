"""Tests of messages whose signatures stand in the field of Google's OpenAI endpoint."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.signatures.usual_calls import (
    all_carried,
    is_usual,
    usual_keys,
    without_usual_signatures,
)
from proxy.state.kept_signatures import text_key
from sanitizers.stand_ins import STAND_IN

FUNCTION = {"name": "f", "arguments": "{}"}
BARE: dict[str, Any] = {"id": "c1", "type": "function", "function": FUNCTION}
SIGNATURE = "c2lnbmVk"
EXTRA = {"google": {"thought_signature": SIGNATURE}}
SIGNED: dict[str, Any] = {**BARE, "id": "c2", "extra_content": EXTRA}


def message(*calls: Any, **fields: Any) -> dict[str, Any]:
    """Return a message with these calls."""
    return {"role": "assistant", "content": None, "tool_calls": [*calls], **fields}


def test_usual_message_has_the_ids_and_the_signatures_as_keys() -> None:
    """The key of a signature is its digest."""
    usual = message(BARE, SIGNED)

    assert is_usual(usual)
    assert is_usual({"role": "assistant", "tool_calls": [BARE]})
    assert usual_keys(usual) == ["c1", "c2", text_key(SIGNATURE)]


def test_signature_of_a_call_with_the_proxy_s_own_id_has_no_key() -> None:
    """It is stored under the id."""
    call_id = "call_" + "a" * 24

    assert usual_keys(message({**SIGNED, "id": call_id})) == [call_id]


@pytest.mark.parametrize(
    ("call_id", "signature", "stay"),
    [
        ("c2", SIGNATURE, True),
        ("call_abcde" + "a" * 19, SIGNATURE, True),
        ("call_other" + "a" * 19, SIGNATURE, False),
        ("c2", "é", False),
        ("c2", "", False),
        ("c2", STAND_IN, False),
    ],
)
def test_only_readable_signatures_of_no_other_origin_stay(call_id: str, signature: str, stay: bool) -> None:
    """One that does not stay decides for all, since then each message is read."""
    assert all_carried([("c1", SIGNATURE), (call_id, signature)], "abcde") is stay


def test_signatures_are_removed_and_other_calls_stay_the_same() -> None:
    """A message without signatures is the same object."""
    usual, bare = message(BARE, SIGNED), message(BARE)

    removed = without_usual_signatures(usual)
    assert removed == message(BARE, {**BARE, "id": "c2"})
    assert removed["tool_calls"][0] is BARE
    assert without_usual_signatures(bare) is bare
    assert usual == message(BARE, SIGNED)


@pytest.mark.parametrize(
    "other",
    [
        {"role": "assistant", "content": "a"},
        message(),
        {**message(BARE), "role": "user"},
        message(BARE, extra_content=EXTRA),
        message(BARE, reasoning_details=[]),
        message({**BARE, "id": ""}),
        message({**BARE, "id": None}),
        message({**BARE, "id": "c__thought__x"}),
        message({**BARE, "id": "c_TSIG_x"}),
        message({**BARE, "function": {**FUNCTION, "thought_signature": "x"}}),
        message({**BARE, "function": {"name": "f", "thought_signature": "x"}}),
        message({**BARE, "function": None}),
        message({**BARE, "index": 0}),
        message({**BARE, "provider_specific_fields": {"thought_signature": "x"}}),
        message({**SIGNED, "index": 0}),
        message({**BARE, "extra_content": None}),
        message({**BARE, "extra_content": {}}),
        message({**BARE, "extra_content": {**EXTRA, "vertex": {}}}),
        message({**BARE, "extra_content": {"google": {**EXTRA["google"], "more": 1}}}),
        message({**BARE, "extra_content": {"google": {"thought_signature": ["x"]}}}),
        message({"id": "c", "function": FUNCTION, "extra_content": EXTRA}),
    ],
)
def test_message_of_another_form_is_not_usual(other: dict[str, Any]) -> None:
    """Its signatures may stand in further places."""
    assert not is_usual(other)
