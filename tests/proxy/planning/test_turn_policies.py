"""Tests of the turn guard's limits for a model and a key."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import Settings
from proxy.planning.turn_policies import TurnPolicies
from tests.support.proxied import settings_of

TURNS: dict[str, Any] = {
    "max_rounds": 20,
    "max_repeats": 9,
    "per_model": [{"model": "m", "max_rounds": 7}, {"model": "gemini/*", "max_rounds": 6, "mode": "enforce"}],
    "per_key": [{"key": "b", "max_rounds": 0}, {"key": "off", "mode": "off"}],
}


def policies(turns: dict[str, Any]) -> TurnPolicies:
    """Return the policies of a configuration with this ``turns`` section."""
    keys = [{"name": name, "key": f"sk-{name}"} for name in ("a", "b", "off")]
    settings: Settings = settings_of(
        {"m": "gpt-4o", "gemini/*": "gemini/*"}, general_settings={"keys": keys}, turns=turns
    )
    return TurnPolicies(settings.turns)


@pytest.mark.parametrize(
    ("model", "label", "key", "mode", "rounds"),
    [
        ("m", "m", "", "warn", 7),
        ("m", "m", "a", "warn", 7),
        ("m", "m", "b", "warn", 0),
        ("gemini/x", "gemini/*", "", "enforce", 6),
        ("gemini/x", "gemini/*", "b", "enforce", 0),
        ("other", "other", "", "warn", 20),
    ],
)
def test_a_key_overrides_a_model_and_a_model_the_section(
    model: str, label: str, key: str, mode: str, rounds: int
) -> None:
    """A missing value comes from the model, and then from the section. The value 0 means no limit."""
    policy = policies(TURNS).find(model, label, key)

    assert policy is not None
    assert (policy.mode, policy.max_rounds, policy.max_repeats) == (mode, rounds, 9)


def test_an_exact_name_wins_over_its_wildcard() -> None:
    """Limits for a model's exact name are used in place of those for its wildcard."""
    turns = {"per_model": [{"model": "gemini/*", "max_rounds": 6}, {"model": "m", "max_rounds": 5}]}
    found = policies(turns)

    exact, wild = found.find("m", "gemini/*", ""), found.find("x", "gemini/*", "")

    assert exact is not None
    assert wild is not None
    assert (exact.max_rounds, wild.max_rounds) == (5, 6)


def test_mode_off_gives_no_policy() -> None:
    """A key may switch the guard off for itself."""
    assert policies(TURNS).find("m", "m", "off") is None
    assert policies({"mode": "off"}).find("m", "m", "") is None


def test_a_policy_is_made_once() -> None:
    """Unknown models and keys share one policy, so made-up names take no memory."""
    found = policies(TURNS)

    assert found.find("x", "x", "c") is found.find("y", "y", "d")


@pytest.mark.parametrize(("asked", "rounds"), [("x", 7), ("y", 3), ("m", 7), ("other", 20)])
def test_second_name_has_its_own_limits_or_its_models(asked: str, rounds: int) -> None:
    """By an alias, a client gets the alias's own limits, or else the limits of the model."""
    settings = settings_of(
        {"m": "gpt-4o"},
        router_settings={"model_group_alias": {"x": "m", "y": "m"}},
        turns={
            "max_rounds": 20,
            "per_model": [{"model": "m", "max_rounds": 7}, {"model": "y", "max_rounds": 3}],
        },
    )
    policy = TurnPolicies(settings.turns, settings.routes.aliases).find(asked, "unknown", "")

    assert policy is not None
    assert policy.max_rounds == rounds
