"""Tests that every combination of instructions is measured, and that the worst is named."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.combine_instructions import joined_bytes
from proxy.core.instructions import MAX_BYTES
from tests.proxy.config.samples import entry, faults_in, faults_of, load, text_of

GATEWAY = "general_settings.instructions"


def entries(*sizes: int) -> list[dict[str, Any]]:
    """Return an entry for each size of text. With 0 it has no text."""
    return [
        {**entry(f"m{position}"), **({"instructions": "m" * size} if size else {})}
        for position, size in enumerate(sizes)
    ]


def general(gateway: int = 0, *keys: int, team: int = 0, **settings: Any) -> dict[str, Any]:
    """Return general settings with texts of these sizes. A key without a text belongs to the team."""
    listed = [
        {
            "name": f"k{position}",
            "key": f"sk-{position}",
            **({"instructions": "k" * size} if size else {"team": "t"}),
        }
        for position, size in enumerate(keys)
    ]
    teams = [{"name": "t", **({"instructions": "t" * team} if team else {})}]
    return {
        "keys": listed,
        "teams": teams,
        **({"instructions": "g" * gateway} if gateway else {}),
        **settings,
    }


def paths(*models: int, **sections: Any) -> list[str]:
    """Return the paths of the faults of a configuration."""
    return [path for path, _ in faults_of(*entries(*models), **sections)]


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize(
    ("models", "settings", "path"),
    [
        ([0], lambda more: general(MAX_BYTES + more), GATEWAY),
        ([100], lambda more: general(MAX_BYTES - 102 + more), "model_list[0].instructions"),
        ([100], lambda more: general(MAX_BYTES - 204 + more, 100), "model_list[0].instructions"),
        ([0], lambda more: general(100, 0, team=MAX_BYTES - 102 + more), GATEWAY),
        ([50], lambda more: general(0, MAX_BYTES - 52 + more), "model_list[0].instructions"),
    ],
)
def test_the_limit_itself_passes(models: list[int], settings: Any, path: str, over: int) -> None:
    """32,768 bytes with the blank lines pass, at whatever levels they stand. One more is refused."""
    assert paths(*models, general_settings=settings(over)) == ([path] if over else [])


def test_characters_are_measured_in_utf_8() -> None:
    """A character of three bytes counts as three."""
    fits, exceeds = "\u20ac" * (MAX_BYTES // 3), "\u20ac" * (MAX_BYTES // 3 + 1)

    assert faults_of(general_settings={"instructions": fits}) == []
    assert [path for path, _ in faults_of(general_settings={"instructions": exceeds})] == [GATEWAY]


def test_a_fault_names_every_text_of_the_worst_combination() -> None:
    """The operator sees which text to shorten, and by which setting texts are cut instead."""
    [(path, words)] = faults_of(*entries(9_000), general_settings=general(20_000, 3_000, 4_000))

    assert path == "model_list[0].instructions"
    assert words == (
        "has 9,000 bytes, which come to 33,004 with general_settings.instructions (20,000) and "
        "general_settings.keys[1].instructions (4,000), and a request may have 32,768; shorten a text, or set "
        "general_settings.instructions_overflow: truncate"
    )


def test_a_text_that_is_too_long_alone_is_named_once() -> None:
    """Other combinations with it are not named, since they say nothing new. Those without it are."""
    sections = {"general_settings": general(40_000, 20_000)}

    assert paths(0, 10_000, **sections) == [GATEWAY]
    assert paths(0, 15_000, **sections) == [GATEWAY, "model_list[1].instructions"]


def test_one_long_text_of_a_key_is_named_once_for_all_models() -> None:
    """The fewer of the models and the keys are named."""
    assert paths(*[5_000] * 30, general_settings=general(100, 30_000)) == [
        "general_settings.keys[0].instructions"
    ]
    assert paths(30_000, general_settings=general(100, *[5_000] * 30)) == ["model_list[0].instructions"]


@pytest.mark.long
def test_not_more_than_some_lines_are_written() -> None:
    """The last line has the number of all other texts that are too long."""
    found = faults_of(*entries(*[10_000] * 60), general_settings=general(20_000, *[10_000] * 60))

    assert len(found) == 21
    assert found[-1][1].startswith("is one of 40 further texts that are too long")


def test_a_key_with_a_text_of_its_own_does_not_get_its_teams() -> None:
    """The team's text counts only for a key without a text, and not where no key has the team."""
    own = {"name": "k", "key": "sk-k", "team": "t", "instructions": "short"}
    settings = {"instructions": "g" * 20_000, "teams": [{"name": "t", "instructions": "t" * 20_000}]}

    assert faults_of(general_settings={**settings, "keys": [own]}) == []
    del own["instructions"]
    assert [path for path, _ in faults_of(general_settings={**settings, "keys": [own]})] == [GATEWAY]


def test_a_cut_is_not_warned_of_where_no_key_gets_the_teams_text() -> None:
    """The same rule holds for the warnings of ``truncate``."""
    own = {"name": "k", "key": "sk-k", "team": "t", "instructions": "short"}
    settings = {"instructions": "g" * 20_000, "teams": [{"name": "t", "instructions": "t" * 20_000}]}

    loaded = load(general_settings={**settings, "keys": [own], "instructions_overflow": "truncate"})
    assert loaded.warnings == ()


def test_long_texts_are_reported_beside_other_faults() -> None:
    """One edit can mend the whole file."""
    settings = {"instructions": "g" * 40_000, "keys": [{"name": "k", "key": "sk-k", "team": 7}], "ui": "yes"}

    assert {path for path, _ in faults_of(general_settings=settings)} == {
        GATEWAY,
        "general_settings.keys[0].team",
        "general_settings.ui",
    }


def test_long_texts_are_cut_where_the_file_asks_for_it() -> None:
    """With ``truncate`` the same combinations are warnings, at the start as well."""
    settings = general(20_000, 9_000, 0, team=10_000, instructions_overflow="truncate")
    loaded = load(*entries(0, 9_000), general_settings=settings)

    [warning] = loaded.warnings
    assert warning == (
        "model_list[1].instructions: has 9,000 bytes, which come to 39,004 with general_settings.instructions "
        "(20,000) and general_settings.teams[0].instructions (10,000), and a request may have 32,768; texts are "
        "cut, from the most general on"
    )


def test_a_warning_names_the_place_in_the_file() -> None:
    """An entry that is left out still counts in the positions of those after it."""
    settings = general(20_000, instructions_overflow="truncate")
    unset = {**entry("a", api_key="os.environ/UNSET")}
    loaded = load(unset, *entries(20_000), general_settings=settings)

    assert [each for each in loaded.warnings if each.startswith("model_list[1].instructions: ")]


def test_a_word_that_is_no_treatment_is_a_fault() -> None:
    """Any other treatment is refused, and long texts with it."""
    found = paths(0, general_settings=general(40_000, instructions_overflow="cut"))

    assert set(found) == {"general_settings.instructions_overflow", GATEWAY}


def test_text_of_the_wrong_shape_is_not_measured() -> None:
    """Validation reports a text of the wrong shape, and the measuring does not fail on it."""
    for section in ({"keys": 5, "teams": 5}, {"keys": [5], "teams": [5]}, {"teams": [{"name": "t"}, 5]}, 5):
        faults_in(text_of(general_settings=section))
    assert paths(0, general_settings={"instructions": 5}) == [GATEWAY]


sizes = st.sampled_from([0, 1, 5_000, 10_000, 16_000, 20_000, 32_766, 32_768, 32_769, 40_000])


@pytest.mark.long
@given(sizes, st.lists(sizes, min_size=1, max_size=3), st.lists(sizes.filter(bool), max_size=3))
def test_a_configuration_is_refused_where_any_combination_is_too_long(
    gateway: int, models: list[int], keys: list[int]
) -> None:
    """The sums say the same as measuring each combination of the gateway, a model and a key."""
    combinations = [(gateway, model, key) for model in models for key in (0, *keys)]
    longest = max(joined_bytes(filter(None, each)) for each in combinations)

    assert bool(paths(*models, general_settings=general(gateway, *keys))) == (longest > MAX_BYTES)
