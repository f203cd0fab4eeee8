"""Tests that new tool names are legal, distinct, and derived from the old name alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.name_rules import GEMINI_NAMES, OPENAI_NAMES, NameRule
from sanitizers.tool_names import choose_names, spell_legal

RULES = [GEMINI_NAMES, OPENAI_NAMES, NameRule("[a-zA-Z0-9_-]+", 128)]
SAFEST = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")

AWKWARD = (
    "mcp.server/tool:do it",
    "21st_magic",
    "x" * 100,
    "工具",
    "a b",
    "a/b",
    "a_b",
    "-",
    "a\n",
    "é",
    "e\u0301",
    "\ud800",
    "default_api:f",
)

alike = st.text("ab.:/ -_1é工", min_size=1, max_size=6)
names = st.one_of(
    st.sampled_from(AWKWARD),
    st.sampled_from(AWKWARD).map(spell_legal),
    alike,
    st.text(min_size=1, max_size=140),
)
rules = st.sampled_from(RULES)


@given(st.lists(names, min_size=1, max_size=12, unique=True), rules)
def test_every_new_name_is_legal_and_differs_from_all_others(given: list[str], rule: NameRule) -> None:
    """A new name is legal at every provider, so that a second pass changes nothing."""
    chosen = choose_names(given, rule)
    sent = [chosen.get(name, name) for name in given]

    assert all(re.fullmatch(rule.pattern, name) and len(name) <= rule.max_length for name in sent)
    assert len(set(sent)) == len(given)
    assert all(SAFEST.fullmatch(new) for new in chosen.values())
    assert all(choose_names(chosen.values(), other) == {} for other in RULES)


@given(st.lists(names, min_size=1, max_size=8), rules, st.randoms())
def test_new_names_do_not_depend_on_the_order(given: list[str], rule: NameRule, shuffling: Any) -> None:
    """The same set of tools gets the same names in every order."""
    shuffled = list(given)
    shuffling.shuffle(shuffled)

    assert choose_names(given, rule) == choose_names(shuffled, rule)


@given(st.lists(alike, min_size=1, max_size=8), rules)
def test_a_new_name_depends_on_the_old_one_alone(given: list[str], rule: NameRule) -> None:
    """Other tools and other providers do not change a tool's new name, so that a cached prefix stays valid."""
    for old, new in choose_names(given, rule).items():
        assert choose_names([old], rule) == {old: new}
        assert new == spell_legal(old)


def test_new_names_are_pinned() -> None:
    """Another spelling would invalidate every cached prefix."""
    assert {name: spell_legal(name) for name in AWKWARD[:6]} == {
        "mcp.server/tool:do it": "mcp_server_tool_do_it_f2569246",
        "21st_magic": "_21st_magic_223895e4",
        "x" * 100: "x" * 55 + "_09ecb6eb",
        "工具": "tool_5ca6730d",
        "a b": "a_b_c8687a08",
        "a/b": "a_b_c14cddc0",
    }


def test_equal_spellings_are_given_out_in_the_order_of_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even with equal digests, the result does not depend on the order of a set."""
    monkeypatch.setattr("sanitizers.tool_names.choosing.spell_legal", lambda _, attempt: f"x_{attempt}")
    given = [f"{letter} " for letter in "hgfedcba"]

    assert choose_names(given, OPENAI_NAMES) == {name: f"x_{at}" for at, name in enumerate(sorted(given))}
