"""Tests of the models that a key may ask for."""

from __future__ import annotations

import pytest

from proxy.config.allowed_models import AllowedModels
from tests.proxy.config.samples import entry, settings_of


@pytest.mark.parametrize(
    ("lists", "names", "expected"),
    [
        ([["a"]], ["a"], True),
        ([["a"]], ["b"], False),
        ([["a"]], ["ab"], False),
        ([["a"]], [], False),
        ([["claude-*"]], ["claude-opus"], True),
        ([["claude-*"]], ["claude-"], True),
        ([["claude-*"]], ["claude"], False),
        ([["claude-*"]], ["Claude-opus"], False),
        ([["*"]], ["anything"], True),
        ([["openai/*"]], ["gpt-4o", "openai/*"], True),
        ([["openai/gpt-*"]], ["openai/*"], False),
        ([["openai/gpt-*"]], ["openai/gpt-4o", "openai/*"], True),
        ([["openai/*"]], ["openai/gpt-*"], True),
        ([["a", "b"], ["b", "c"]], ["b"], True),
        ([["a", "b"], ["b", "c"]], ["a"], False),
        ([["a", "b"], ["b", "c"]], ["c"], False),
        ([["quick"], ["gemini"]], ["quick", "gemini"], True),
        ([["quick"], None], ["quick"], True),
    ],
)
def test_each_list_must_allow_one_of_the_names(
    lists: list[list[str] | None], names: list[str], expected: bool
) -> None:
    """A key's and its team's list must both allow a model, by any of its names."""
    allowed = AllowedModels.of(*lists)

    assert allowed is not None
    assert allowed.allows(*names) is expected


def test_without_a_list_every_model_is_allowed() -> None:
    """Nothing is checked if neither the key nor its team has a list."""
    assert AllowedModels.of(None, None) is None


def test_a_key_s_models_are_those_of_its_own_list_and_its_team_s() -> None:
    """The settings know each key's models. The master key and unknown names have no list."""
    settings = settings_of(
        entry("a"),
        entry("b"),
        general_settings={
            "teams": [{"name": "t", "models": ["a"]}],
            "keys": [
                {"name": "both", "key": "1", "team": "t", "models": ["a", "b"]},
                {"name": "team", "key": "2", "team": "t"},
                {"name": "own", "key": "3", "models": ["b"]},
                {"name": "all", "key": "4"},
            ],
        },
    )

    found = {name: settings.allowed_models(name) for name in ("both", "team", "own", "all", "", "unknown")}
    assert {
        name: allowed and [each for each in "ab" if allowed.allows(each)] for name, allowed in found.items()
    } == {
        "both": ["a"],
        "team": ["a"],
        "own": ["b"],
        "all": None,
        "": None,
        "unknown": None,
    }


def test_whole_names_are_those_without_a_wildcard() -> None:
    """Names that stand in a list as they are may be listed, though a wildcard serves them."""
    allowed = AllowedModels.of(["b", "c*"], ["a", "b", "*"])

    assert allowed is not None
    assert allowed.whole_names == ("a", "b")
