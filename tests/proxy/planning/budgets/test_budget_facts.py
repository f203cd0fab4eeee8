"""Tests the operator's settings as a policy: each preset, and single values that replace a preset's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.config.schema.policies import Budget
from proxy.planning.budgets.budget_facts import facts_of, policy_of
from proxy.state.lessons import no_lessons
from sanitizers.budget import PRESETS, Cap, CutPolicy
from tests.proxy.upstream.deployments import deployment_of
from tests.support.proxied import settings_of


def policy(**budget: Any) -> CutPolicy:
    """Return the policy of settings with the section *budget*."""
    return policy_of(settings_of(budget=budget).budget)


def test_the_default_preset_is_balanced() -> None:
    """The default preset is ``balanced``."""
    assert policy() == PRESETS["balanced"]


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_preset_is_its_row(preset: str) -> None:
    """A preset gives the policy of its row in the table if no single value is set."""
    assert policy(preset=preset) == PRESETS[preset]


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ({"high": 0.9}, "high", 0.9),
        ({"low": 0.25}, "low", 0.25),
        ({"hard": 0.99}, "hard", 0.99),
        ({"cap": 3_000}, "ingest", Cap(3_000)),
        ({"last_turns": 20}, "last_turns", 20),
        ({"unknown_window": 8_192}, "unknown_window", 8_192),
        ({"exclude_tools": ["read_skill", "plan"]}, "excluded_tools", frozenset({"read_skill", "plan"})),
        ({"notice": False}, "notice", False),
    ],
)
def test_a_single_value_replaces_the_preset_s(given: dict[str, Any], field: str, value: Any) -> None:
    """A single value replaces the preset's, and all other values stay."""
    changed: dict[str, Any] = {field: value}

    for preset, row in PRESETS.items():
        assert policy(preset=preset, **given) == replace(row, **changed)


@pytest.mark.parametrize(
    ("given", "preset"),
    [({"preset": "off"}, "balanced"), ({"preset": "lango"}, "lango"), ({}, "balanced")],
)
def test_client_that_allows_cuts_gets_the_default_preset_where_nothing_is_cut(
    given: dict[str, Any], preset: str
) -> None:
    """The operator's single values stay."""
    deployment = deployment_of("openai/m")
    facts = facts_of(
        deployment, Budget(**given, exclude_tools=("t",)), no_lessons(deployment), allows_cuts=True
    )

    assert facts.policy == replace(PRESETS[preset], excluded_tools=frozenset({"t"}))


def test_a_notice_is_not_added_to_a_preset() -> None:
    """A preset without a notice stays without one, since ``notice: true`` is only the default."""
    assert policy(preset="off", notice=True).notice is False
