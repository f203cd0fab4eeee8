"""Tests of the flat names of tools."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from sanitizers.native.responses.flat_names import ToolKey, choose_flat_names, client_key, key_of, spell_flat

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
NAMES = st.one_of(st.text("ab_", min_size=1, max_size=5), st.text(min_size=1, max_size=90), st.just("a" * 70))


@given(st.lists(st.tuples(st.one_of(st.none(), NAMES), NAMES), max_size=12))
def test_flat_names_are_legal_and_unique(keys: list[ToolKey]) -> None:
    """Each tool has one legal name, and no two tools have the same one."""
    names = choose_flat_names(keys)

    assert names.keys() == set(keys)
    assert len(set(names.values())) == len(names)
    assert all(LEGAL.fullmatch(name) for name in names.values())


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ([(None, "f")], ["f"]),
        ([("n", "f")], ["n__f"]),
        ([("n", "f"), ("m", "f"), (None, "f")], ["n__f", "m__f", "f"]),
        ([client_key("shell")], ["shell"]),
        ([("n" * 31, "f" * 31)], ["n" * 31 + "__" + "f" * 31]),
    ],
)
def test_usual_names_can_be_read(keys: list[ToolKey], names: list[str]) -> None:
    """A usual tool is named by its own name, behind that of its namespace."""
    chosen = choose_flat_names(keys)

    assert [chosen[key] for key in keys] == names


@pytest.mark.parametrize(
    "keys",
    [
        [("a__b", "c"), ("a", "b__c")],
        [("a", "b"), (None, "a__b")],
        [client_key("shell"), (None, "shell")],
        [("n" * 40, "f" * 40), ("n" * 40, "g" * 40)],
    ],
)
def test_tools_that_would_share_a_name_are_told_apart(keys: list[ToolKey]) -> None:
    """Two tools have different names, also where their joined names or a bare name would be equal."""
    assert len(set(choose_flat_names(keys).values())) == 2


def test_bare_name_stays_whatever_the_order() -> None:
    """A legal bare name is never changed, also where a namespace's tool stands before it."""
    assert choose_flat_names([("a", "b"), (None, "a__b")])[None, "a__b"] == "a__b"


def test_tools_of_one_long_text_cost_one_attempt_each() -> None:
    """Namespaces and names that join to one text get different digests, so that no attempt is made twice."""

    class Counted(set[str]):
        lookups = 0

        @override
        def __contains__(self, name: object) -> bool:
            self.lookups += 1
            return super().__contains__(name)

    taken = Counted()
    words = ["a"] * 200
    for at in range(1, 200):
        taken.add(spell_flat(("\0".join(words[:at]), "\0".join(words[at:])), taken))

    assert taken.lookups <= 2 * len(taken)


@pytest.mark.parametrize("namespace", [None, "", "functions"])
def test_reserved_namespace_is_none(namespace: str | None) -> None:
    """Calls may leave the reserved namespace out."""
    assert key_of("f", namespace) == (None, "f")
