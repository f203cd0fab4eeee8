"""The operator's settings as a policy: each preset, and single values over it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.planning.budgets.budget_facts import policy_of
from sanitizers.budget import PRESETS, Cap, CutPolicy
from tests.support.proxied import settings_of


def policy(**budget: Any) -> CutPolicy:
    """Return the policy of a file with this section."""
    return policy_of(settings_of(budget=budget).budget)


def test_the_default_is_balanced() -> None:
    """Without settings, nothing changes until a request would not fit. It is then cut to half."""
    found = policy()

    assert found == PRESETS["balanced"]
    assert (found.high, found.low, found.hard, found.ingest, found.unknown_window) == (
        1.0,
        0.5,
        0.95,
        None,
        None,
    )


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_preset_is_its_row(preset: str) -> None:
    """Settings that are left out change nothing in a preset."""
    assert policy(preset=preset) == PRESETS[preset]


def test_presets_have_their_numbers() -> None:
    """The numbers are half of a window, a threshold of 5,000, the caps, and nothing at all."""
    lango, local, codex, off = (policy(preset=name) for name in ("lango", "localcowork", "codex", "off"))

    assert (lango.window_share, lango.unknown_window, lango.ingest) == (0.5, 65_536, None)
    assert (local.headroom, local.unknown_window, local.ingest) == (5_000, 32_768, Cap(6_000))
    assert codex.ingest == Cap(10 * 1024, bytes=10 * 1024, lines=256)
    assert (off.high, off.hard, off.ingest, off.last_turns, off.drop, off.clear) == (
        None,
        None,
        None,
        0,
        False,
        False,
    )


@pytest.mark.parametrize("preset", sorted(PRESETS))
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
def test_a_single_value_replaces_the_preset_s(
    preset: str, given: dict[str, Any], field: str, value: Any
) -> None:
    """One value changes in every preset, and no other."""
    changed: dict[str, Any] = {field: value}

    assert policy(preset=preset, **given) == replace(PRESETS[preset], **changed)


def test_a_notice_is_not_added_to_a_preset() -> None:
    """``notice: true`` is the default, and leaves a preset without one unchanged."""
    assert policy(preset="off", notice=True).notice is False


def test_zero_is_a_value() -> None:
    """``last_turns: 0`` keeps all of them."""
    assert policy(last_turns=0) == PRESETS["balanced"]
