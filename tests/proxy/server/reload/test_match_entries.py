"""Tests that the entries of ``model_list`` are found again in a new configuration, at any position."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.config import Settings
from proxy.server.reload.match_entries import match_models, match_unchanged
from tests.proxy.config.samples import entry, settings_of


def models(old: Settings, new: Settings) -> dict[int, int]:
    """Return the new positions of the models of *old*."""
    return dict(match_models(old, new, match_unchanged(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "matched"),
    [
        ("ab", "xab", {0: 1, 1: 2}),
        ("abc", "ca", {0: 1, 2: 0}),
        ("a", "b", {}),
        ("aa", "a", {0: 0}),
        ("a", "aa", {0: 0}),
        ("aa", "aa", {0: 0, 1: 1}),
    ],
    ids=["added at the top", "removed and moved", "renamed", "double removed", "double added", "doubles"],
)
def test_unedited_entries_are_matched_by_name_in_their_order(
    old: str, new: str, matched: dict[int, int]
) -> None:
    """Each letter is the name of an entry. Metrics have the name as a label."""
    assert match_unchanged(*(settings_of(*map(entry, names)) for names in (old, new))) == matched


@pytest.mark.parametrize(
    "edit",
    [
        {"api_key": "new"},
        {"api_base": "http://127.0.0.1:9/v1beta"},
        {"timeout": 5},
        {"extra_headers": {"x-team": "b"}},
        {"model": "gemini/gemini-2.5-pro"},
    ],
    ids=str,
)
def test_entry_with_an_edited_parameter_is_not_matched(edit: dict[str, Any]) -> None:
    """An edited entry begins without state, since the edit may be the cure for its failures."""
    old = settings_of(entry("a", api_key="old", extra_headers={"x-team": "a"}))
    params: dict[str, Any] = {"api_key": "old", "extra_headers": {"x-team": "a"}, **edit}

    assert match_unchanged(old, settings_of(entry("a", **params))) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [({}, {"weight": 3}), ({"weight": 3}, {"weight": 1}), ({"order": 1}, {"order": 2}), ({"order": 1}, {})],
    ids=str,
)
def test_entry_with_another_share_is_matched(before: dict[str, Any], after: dict[str, Any]) -> None:
    """A weight or an order says nothing about failures, so the entry keeps its circuit."""
    old = settings_of(entry("a", api_key="k", **before))

    assert match_unchanged(old, settings_of(entry("x"), entry("a", api_key="k", **after))) == {0: 1}
    assert match_unchanged(old, settings_of(entry("a", api_key="new", **after))) == {}


@pytest.mark.parametrize("key", ["profile", "transport", "model_info"])
def test_entry_with_another_edited_key_is_not_matched(key: str) -> None:
    """An edited key outside ``litellm_params`` also makes a new entry."""
    values: dict[str, Any] = {
        "profile": "openai",
        "transport": "litellm",
        "model_info": {"max_input_tokens": 9},
    }

    assert match_unchanged(settings_of(entry()), settings_of({**entry(), key: values[key]})) == {}


def test_model_is_matched_under_another_name_or_key() -> None:
    """A model is matched only if its provider's name, its address and its limits are the same."""
    old = settings_of(entry("a", api_key="old"))

    assert models(old, settings_of(entry("z"), entry("b", api_key="new"))) == {0: 0}
    assert models(old, settings_of(entry("a", api_base="http://127.0.0.1:9"))) == {}
    assert models(old, settings_of({**entry("a"), "model_info": {"max_input_tokens": 9}})) == {}
    assert models(old, settings_of(entry("a", model="gemini/gemini-2.5-pro"))) == {}


def test_unchanged_entries_are_matched_before_edited_ones() -> None:
    """In a pool of two keys, one key is replaced, and the unchanged entry moves up."""
    old = settings_of(entry("a", api_key="first"), entry("a", api_key="second"))
    new = settings_of(entry("a", api_key="second"), entry("a", api_key="third"))

    assert match_unchanged(old, new) == {1: 0}
    assert models(old, new) == {1: 0, 0: 1}


def test_model_is_matched_under_its_own_name_first() -> None:
    """Of two names for one model, the entry with the same name is matched."""
    old = settings_of(entry("a"), entry("b", api_key="old"))

    assert models(old, settings_of(entry("b", api_key="new"))) == {1: 0}


def test_entries_are_matched_by_their_places_in_the_file() -> None:
    """An entry that is left out, since its variable is not set, still counts as a position in the file."""
    left_out = entry("x", api_key="os.environ/ABSENT")
    old, new = settings_of(left_out, entry("a"), entry("b")), settings_of(entry("b"), left_out, entry("a"))

    assert match_unchanged(old, new) == {1: 2, 2: 0}


PAIRS = [(name, key) for name in "ab" for key in "kl"]
LOADED = settings_of(*(entry(name, api_key=key) for name, key in PAIRS))
ENTRIES = dict(zip(PAIRS, LOADED.model_list, strict=True))
names = st.lists(st.sampled_from(PAIRS), min_size=1, max_size=8)


@given(before=names, after=names)
def test_each_entry_is_matched_at_most_once_and_as_many_as_possible(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    """Matched entries are equal, no entry is matched twice, and no possible match is missing."""
    old, new = (
        LOADED.model_copy(update={"model_list": [ENTRIES[pair] for pair in pairs]})
        for pairs in (before, after)
    )

    unchanged, by_model = match_unchanged(old, new), models(old, new)

    assert all(before[here] == after[there] for here, there in unchanged.items())
    assert len(set(unchanged.values())) == len(unchanged)
    assert len(unchanged) == sum(min(before.count(each), after.count(each)) for each in set(before))
    assert unchanged.items() <= by_model.items()
    assert len(set(by_model.values())) == len(by_model) == min(len(before), len(after))


def test_entry_with_other_instructions_is_matched() -> None:
    """Instructions say nothing about failures, so the entry keeps its circuit."""
    old = settings_of({**entry("a", api_key="k"), "instructions": "Be good."})
    new = settings_of(entry("x"), {**entry("a", api_key="k"), "instructions": "Be brief."})

    assert match_unchanged(old, new) == {0: 1}
