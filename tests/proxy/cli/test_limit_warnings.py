"""Tests of the warnings about keys, teams and their limits."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.limit_warnings import find_limit_warnings
from proxy.planning.preview import pools_of
from tests.proxy.config.samples import entry, settings_of

NOW = 1_800_000_000.0
SHARED = {"url": "redis://store.internal:6379/0"}
PRICED, UNPRICED = entry("gpt", "openai/gpt-4o"), entry("own", "openai/house-model", api_base="http://h/v1")
FREE = {
    **entry("free", "openai/house-model", api_base="http://h/v1"),
    "model_info": {"input_cost_per_token": 0, "output_cost_per_token": 0},
}


def warnings_of(*entries: dict[str, Any], **sections: Any) -> list[str]:
    """Return the warnings of a configuration whose keys are all of one file."""
    sections.setdefault("store", SHARED)
    settings = settings_of(*(entries or (PRICED,)), **sections)
    return list(find_limit_warnings(settings, pools_of(settings), NOW))


def _key(**fields: Any) -> dict[str, Any]:
    return {"name": "ci", "key": "tr-ci", **fields}


@pytest.mark.parametrize(
    ("sections", "warnings"),
    [
        ({}, []),
        ({"keys": [_key(rpm_limit=60, max_budget=5, expires="2030-01-01")]}, []),
        ({"keys": [_key(expires="2020-01-01")]}, ["keys[0].expires: has passed: the key is refused"]),
        (
            {"keys": [_key(name="master")]},
            [
                "keys[0].name: is the label of the master key in the metrics, so that both are counted together"
            ],
        ),
        (
            {"keys": [_key(team="t", rpm_limit=61)], "teams": [{"name": "t", "rpm_limit": 60}]},
            ["keys[0].rpm_limit: is above that of its team, which is reached first"],
        ),
        ({"keys": [_key(team="t", rpm_limit=60)], "teams": [{"name": "t", "rpm_limit": 60}]}, []),
        (
            {"keys": [_key(tpm_limit=1000)], "teams": [{"name": "t", "tpm_limit": 1024}]},
            ["keys[0].tpm_limit: requests of more than 1,000 tokens are refused for good"],
        ),
        (
            {"keys": [_key(team="t", models=["gpt"])], "teams": [{"name": "t", "models": ["own"]}]},
            ["keys[0].models: holds no model that its team may use too"],
        ),
        ({"keys": [_key(team="t", models=["g*"])], "teams": [{"name": "t", "models": ["gpt", "own"]}]}, []),
        (
            {"on_unpriced": "refuse"},
            ["on_unpriced: has no effect, since no key and no team has a max_budget"],
        ),
    ],
)
def test_doubtful_keys_and_teams_are_named(sections: dict[str, Any], warnings: list[str]) -> None:
    """Each doubtful setting of a key or a team gives one warning with its path."""
    found = warnings_of(PRICED, {**UNPRICED, "model_info": FREE["model_info"]}, general_settings=sections)

    assert found == [f"general_settings.{warning}" for warning in warnings]


@pytest.mark.parametrize(
    ("fields", "reached"),
    [
        ({"max_budget": 5}, "own"),
        ({"max_budget": 5, "models": ["gpt", "free"]}, ""),
        ({"team": "t"}, "own"),
        ({}, ""),
    ],
)
@pytest.mark.parametrize("on_unpriced", ["count", "refuse"])
def test_a_spend_limit_that_reaches_an_unpriced_model_is_named(
    fields: dict[str, Any], reached: str, on_unpriced: str
) -> None:
    """A key's or its team's spend limit does not hold for a model without a price. A price of 0 is a price."""
    general = {
        "keys": [_key(**fields)],
        "teams": [{"name": "t", "max_budget": 9}],
        "on_unpriced": on_unpriced,
    }
    found = warnings_of(PRICED, UNPRICED, FREE, entry("openai/*", "openai/*"), general_settings=general)
    effect = {
        "count": "which is not charged",
        "refuse": "whose requests are refused (general_settings.on_unpriced)",
    }[on_unpriced]

    assert found == (
        [
            f"general_settings.keys[0].max_budget: the key reaches {reached} without a known price, {effect}: "
            "write the prices into model_info"
        ]
        if reached
        else []
    )


@pytest.mark.parametrize(
    ("fields", "start"),
    [
        ({"max_budget": 5}, "store.url: spend is forgotten"),
        ({"rpm_limit": 5}, "store.url: with memory:// each replica counts"),
        ({}, ""),
    ],
)
def test_limits_in_memory_are_named(fields: dict[str, Any], start: str) -> None:
    """A store in memory forgets spend, and is not shared between replicas."""
    found = warnings_of(store={}, general_settings={"keys": [_key(**fields)]})

    assert len(found) == bool(start)
    assert all(warning.startswith(start) for warning in found)
    assert len(warnings_of(entry("gpt", "openai/gpt-4o", rpm=5), store={})) == 1


def test_rules_without_limits_have_no_effect() -> None:
    """The section ``limits`` needs a limit of a key or a team."""
    assert warnings_of(limits={"burst": 0.5}) == [
        "limits: has no effect, since no key and no team has a limit"
    ]
    assert warnings_of(limits={"burst": 0.5}, general_settings={"keys": [_key(rpm_limit=5)]}) == []


def test_expiries_are_left_out_without_a_clock() -> None:
    """Without the time of day no key is called expired."""
    settings = settings_of(PRICED, general_settings={"keys": [_key(expires="2020-01-01")]}, store=SHARED)

    assert list(find_limit_warnings(settings, pools_of(settings), None)) == []


@pytest.mark.parametrize(
    ("of_team", "shares"), [("wild/a*", True), ("*", True), ("w*", True), ("tame/*", False)]
)
def test_two_wildcards_share_names_where_one_begins_like_the_other(of_team: str, shares: bool) -> None:
    warned = warnings_of(
        {**entry("wild/*", "openai/*"), "model_info": FREE["model_info"]},
        {**entry("tame/*", "openai/*"), "model_info": FREE["model_info"]},
        general_settings={
            "keys": [_key(team="t", models=["wild/*"])],
            "teams": [{"name": "t", "models": [of_team]}],
        },
    )

    assert ("holds no model that its team may use too" in str(warned)) is not shares
