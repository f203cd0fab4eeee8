"""Tests of the bounds of cached tools, and of the facts of their chat form."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.chat_request import LARGEST_KNOWN
from proxy.ingress.cached_tools import facts_of, may_be_cached


@pytest.mark.parametrize(
    ("written", "is_small"),
    [
        (b"," * 8_192, True),
        (b"," * 8_193, False),
        (b"[" * 5_000 + b"{" * 5_000, False),
        (b"x" * LARGEST_KNOWN, True),
        (b"x" * (LARGEST_KNOWN + 1), False),
    ],
)
def test_cached_tools_are_small_in_bytes_and_in_values(written: bytes, is_small: bool) -> None:
    """Small JSON of many values takes much memory when it is parsed."""
    assert may_be_cached(written) is is_small


def test_facts_are_those_of_the_very_list() -> None:
    """Later steps find them by the identity of the list."""
    tools: list[dict[str, Any]] = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    facts = facts_of(tools)

    assert facts is not None
    assert facts.tools is tools
    assert (facts.names, facts.depth, facts.are_checked) == (("f",), 4, True)
    assert facts.size > 50


def test_no_tools_have_no_facts() -> None:
    """There is nothing to clean."""
    assert facts_of([]) is None
