"""Tests of reading, writing and removing the fields that carry a thought signature."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.upstream.signature_carriers import (
    CALL_SIGNATURE_FIELDS,
    LONGEST_SIGNATURE,
    SIGNATURE_FIELD,
    STAND_INS,
    call_signatures,
    canonical_signature,
    encrypted_details,
    has_only_openai_fields,
    is_signature,
    text_signatures,
    with_reasoning_details,
    with_signature,
    without,
)

BARE = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def placed(holder: dict[str, Any], path: tuple[str, ...], leaf: Any) -> dict[str, Any]:
    """Return *holder* with *leaf* at *path*."""
    name, *rest = path
    inner = placed(holder.get(name, {}), tuple(rest), leaf) if rest else leaf
    return {**holder, name: inner}


IN_CALLS = [
    ("extra_content", "google", "thought_signature"),
    ("extra_content", "vertex", "thought_signature"),
    ("provider_specific_fields", "thought_signature"),
    ("provider_specific_fields", "thought_signatures"),
    ("function", "provider_specific_fields", "thought_signature"),
    ("function", "thought_signature"),
]
"""The fields that Google, Vertex, litellm and Portkey use."""


@pytest.mark.parametrize("path", IN_CALLS, ids=".".join)
def test_a_signature_is_read_from_every_field_of_a_call(path: tuple[str, ...]) -> None:
    """In a list the last signature is the newest one."""
    for leaf in ("QUJD", ["QUFB", "QUJD"]):
        call = placed(BARE, path, leaf)

        assert list(call_signatures(call, {})) == ["QUJD"]
        assert not has_only_openai_fields(call)


@pytest.mark.parametrize("path", IN_CALLS[:4], ids=".".join)
def test_a_signature_is_read_from_every_field_of_a_message(path: tuple[str, ...]) -> None:
    """A signature in a field of a message is that of the message's text."""
    assert list(text_signatures(placed({"role": "assistant"}, path, "QUJD"))) == ["QUJD"]


def test_the_id_and_the_details_of_a_message_carry_signatures_too() -> None:
    """An entry of ``reasoning_details`` may name the call's id without the signature suffix."""
    call = {**BARE, "id": "c1__thought__QUJD"}

    assert list(call_signatures(call, {"c1": "QUJE"})) == ["QUJD", "QUJE"]


@pytest.mark.parametrize(
    ("entry", "is_read"),
    [
        ({}, True),
        ({"format": "google-gemini-v1"}, True),
        ({"format": None}, True),
        ({"format": "anthropic-claude-v1"}, False),
        ({"type": "reasoning.text"}, False),
        ({"id": 5}, False),
        ({"data": None}, False),
    ],
)
def test_details_of_other_providers_are_not_read(entry: dict[str, Any], is_read: bool) -> None:
    """Gemini refuses the signatures of other providers."""
    whole = {"type": "reasoning.encrypted", "id": "c1", "data": "QUJD", **entry}

    assert encrypted_details({"reasoning_details": [whole, "text"]}) == ({"c1": "QUJD"} if is_read else {})


def test_details_are_written_from_the_calls_and_read_back() -> None:
    """The signatures move from the calls into the message's ``reasoning_details``.

    A message without signatures stays the same object.
    """
    signed = placed(BARE, SIGNATURE_FIELD, "QUJD")
    message = {"role": "assistant", "tool_calls": [signed, {**BARE, "id": "c2"}]}
    written = with_reasoning_details(message)
    plain = {"role": "assistant", "tool_calls": [BARE]}

    assert encrypted_details(written) == {"c1": "QUJD"}
    assert all(map(has_only_openai_fields, written["tool_calls"]))
    assert with_reasoning_details(plain) is plain


@pytest.mark.parametrize("path", IN_CALLS, ids=".".join)
def test_signature_is_moved_into_google_s_field(path: tuple[str, ...]) -> None:
    """All other fields with a signature are removed. A second move changes nothing."""
    moved = with_signature(placed(BARE, path, "QUFB"), "QUJD", CALL_SIGNATURE_FIELDS)

    assert list(call_signatures(moved, {})) == ["QUJD"]
    assert canonical_signature(moved) == "QUJD"
    assert with_signature(moved, "QUJD", CALL_SIGNATURE_FIELDS) is moved
    assert with_signature(moved, None, CALL_SIGNATURE_FIELDS) == BARE


def test_container_is_removed_with_its_last_value() -> None:
    """A field is removed if it held only the signature, and other values in the field stay."""
    holder = {"extra_content": {"google": {"thought_signature": "QUJD"}, "other": 1}}

    assert without(holder, SIGNATURE_FIELD) == {"extra_content": {"other": 1}}
    assert without({"extra_content": 5}, SIGNATURE_FIELD) == {"extra_content": 5}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("QUJD", True),
        ("-_-_", True),
        ("QUI=", True),
        ("", False),
        ("QUI", False),
        ("not base64!", False),
        ("A" * LONGEST_SIGNATURE, True),
        ("A" * (LONGEST_SIGNATURE + 4), False),
        *((stand_in, False) for stand_in in sorted(STAND_INS)),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_only_padded_base64_can_be_a_signature(text: str, expected: bool) -> None:
    """A stand-in is not a signature."""
    assert is_signature(text) is expected


@given(st.text(alphabet="AZaz09+/-_=é \n", max_size=12))
def test_signature_is_what_strict_base64_decodes(text: str) -> None:
    """The two alphabets are one, and white space and lost padding are refused."""
    try:
        decoded = base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except ValueError:
        decoded = b""
    assert is_signature(text) is bool(decoded)
