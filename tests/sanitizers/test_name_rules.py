"""Tests of each provider's rule for tool names, which the checker and the renaming apply."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sanitizers import find_violations
from sanitizers.name_rules import GEMINI_NAMES, OPENAI_NAMES, NameRule
from sanitizers.profiles import OPENAI
from sanitizers.tool_names import choose_names
from tests.support.builders import assistant, call, tool, user


@pytest.mark.parametrize(
    ("name", "gemini", "openai"),
    [
        ("_", True, True),
        ("A" * 64, True, True),
        ("A" * 65, False, False),
        ("mcp.read", True, False),
        ("mcp:read", True, False),
        ("1st", False, True),
        ("-x", False, True),
        ("a b", False, False),
        ("é", False, False),
    ],
)
def test_gemini_takes_dots_and_colons_and_openai_leading_digits(
    name: str, gemini: bool, openai: bool
) -> None:
    """A name stays unchanged where its provider accepts it."""
    assert (choose_names([name], GEMINI_NAMES) == {}) is gemini
    assert (choose_names([name], OPENAI_NAMES) == {}) is openai


@given(
    st.one_of(st.text("ab.:/ -_1é", min_size=1, max_size=6), st.text(min_size=1, max_size=140)),
    st.sampled_from([GEMINI_NAMES, OPENAI_NAMES, NameRule("[a-zA-Z0-9_-]+", 128)]),
)
@example("a\n", OPENAI_NAMES)
def test_the_checker_and_the_rename_agree_about_every_name(name: str, rule: NameRule) -> None:
    """The checker and the renaming call the same names legal."""
    history = [user(), assistant(calls=[call("c", name)]), tool("c")]

    found = find_violations(history, replace(OPENAI, tool_names=rule))

    assert bool(found) == bool(choose_names([name], rule))
