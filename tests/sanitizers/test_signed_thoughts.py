"""Tests of the blocks of thinking that a model can read again."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.message_violations import are_signed
from sanitizers.signed_thoughts import is_readable_thought


@pytest.mark.parametrize(
    ("block", "is_read"),
    [
        ({"type": "thinking", "thinking": "hm", "signature": "s"}, True),
        ({"type": "thinking", "thinking": "", "signature": "s"}, True),
        ({"type": "redacted_thinking", "data": "x"}, True),
        ({"type": "text", "length": 3}, True),
        ({"type": "tool_use", "id": "a"}, True),
        ({"type": "thinking", "thinking": "hm", "signature": ""}, False),
        ({"type": "thinking", "thinking": "hm"}, False),
        ({"type": "thinking", "signature": "s"}, False),
        ({"type": "redacted_thinking", "data": 3}, False),
        ({"type": "image"}, False),
        ({"type": ["thinking"]}, False),
        ("thinking", False),
        (None, False),
    ],
)
def test_thought_has_its_seal(block: Any, *, is_read: bool) -> None:
    """The checker, which shares no code, agrees."""
    assert is_readable_thought(block) is is_read
    assert are_signed([block]) is is_read
