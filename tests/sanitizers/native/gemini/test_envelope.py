"""Tests of what clients carry for the proxy in the signature of a call."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.native.gemini.envelope import is_own, pack_thoughts, unpack_thoughts
from sanitizers.native.seal import MAX_BYTES, encode_fields, seal

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
TENANT = "tenant"


def packed(*blocks: dict[str, Any]) -> str:
    """Return the envelope of *blocks* for the call ``call_1``."""
    text = pack_thoughts([*blocks], "abcde", "call_1", TENANT)
    assert text is not None
    return text


@given(st.text(max_size=20))
def test_envelope_survives_a_client_that_decodes_and_encodes_it_in_either_alphabet(said: str) -> None:
    """google-genai for Python holds the field as bytes. It may write the standard alphabet or that of URLs."""
    text = packed({**THOUGHT, "thinking": said})
    raw = base64.urlsafe_b64decode(text)

    for again in (base64.urlsafe_b64encode(raw).decode(), base64.b64encode(raw).decode()):
        assert is_own(again)
        assert unpack_thoughts(again, TENANT) == unpack_thoughts(text, TENANT)
    assert base64.urlsafe_b64encode(raw).decode() == text


def test_opened_envelope_has_the_blocks_as_they_were() -> None:
    """The places of texts and calls are kept with the thoughts."""
    place = {"type": "text", "length": 3}
    opened = unpack_thoughts(packed(THOUGHT, place), TENANT)

    assert opened is not None
    assert (opened.origin, opened.call_id, opened.blocks) == ("abcde", "call_1", [THOUGHT, place])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c2lnbmF0dXJl",
        "tr1_",
        "tr1_====",
        "tr1_\u00e4",
        packed(THOUGHT)[:-8],
        packed(THOUGHT).replace("tr1_", "tr2_"),
        seal(encode_fields({"kind": "call", "origin": "", "call_id": "", "signature": ""}), TENANT),
        seal(encode_fields({"kind": "thoughts", "origin": "", "call_id": "", "blocks": "x"}), TENANT),
        seal(encode_fields({"kind": "thoughts", "origin": "", "call_id": "", "blocks": ["x"]}), TENANT),
        seal(encode_fields({"kind": "thoughts", "origin": 1, "call_id": "", "blocks": []}), TENANT),
    ],
)
def test_foreign_or_damaged_text_opens_to_nothing(text: str) -> None:
    """A text of another kind is as foreign as any other."""
    assert unpack_thoughts(text, TENANT) is None


def test_envelope_of_another_tenant_opens_to_nothing() -> None:
    """It is still recognized, so that it never reaches a provider."""
    assert unpack_thoughts(packed(THOUGHT), "another") is None
    assert is_own(packed(THOUGHT))


def test_envelope_that_could_not_be_read_again_is_not_written() -> None:
    """Thoughts of nothing need none."""
    assert pack_thoughts([{**THOUGHT, "thinking": "x" * MAX_BYTES}], "abcde", "call_1", TENANT) is None
    assert pack_thoughts([], "abcde", "call_1", TENANT) is None
