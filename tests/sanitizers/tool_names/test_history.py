"""Tests that the checker and the renaming read tool names in the same fields of a history."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sanitizers import Profile, find_violations
from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.profiles import OPENAI
from sanitizers.tool_names import rename_tools
from tests.support.builders import assistant, call, legacy_call, legacy_result, tool, user

CALLED: tuple[Any, ...] = (
    (assistant(calls=[call("c", "a b")]), tool("c")),
    (assistant(calls=[call("c")]), tool("c", name="a b")),
    (legacy_call("a b"), legacy_result("f")),
    (legacy_call(), legacy_result("a b")),
    (assistant(calls=[{"id": "c", "type": "custom", "custom": {"name": "a b", "input": ""}}]), tool("c")),
    (assistant(calls=[call("c", "x" * 65)]), tool("c")),
)


@pytest.mark.parametrize("profile", [OPENAI, GEMINI_3], ids=lambda p: p.name)
@pytest.mark.parametrize("turn", CALLED)
def test_an_illegal_name_is_found_and_renamed_in_each_place(turn: Any, profile: Profile) -> None:
    """The checker finds an illegal name in each form of a call and of a result. After the renaming it finds none."""
    history = [user(), *turn, user()]
    at = 1 if re.search("a b|xxx", str(turn[0])) else 2

    found = find_violations(history, profile)
    left = find_violations(rename_tools(history, {}, profile.tool_names).messages, profile)

    assert ("tool_name_illegal", at) in [(fault.rule, fault.index) for fault in found]
    assert "tool_name_illegal" not in [fault.rule for fault in left]
