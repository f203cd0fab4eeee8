"""Tests of the settings of compaction for a model and a key."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.compact.policies import CompactionPolicies, CompactionPolicy
from tests.support.proxied import settings_of

ON: dict[str, Any] = {
    "enabled": True,
    "model": "cheap",
    "trigger": 0.6,
    "keep_messages": 6,
    "memory_tokens": 5_000,
    "reflect_after": 4,
    "max_share": 0.2,
}
SECTION = CompactionPolicy("cheap", 0.6, 6, 5_000, 4, 0.2)


def policies(**compaction: Any) -> CompactionPolicies:
    """Return the policies of a configuration with this ``compaction`` section."""
    settings = settings_of(
        {"m": "gpt-4o", "n": "gpt-4o", "cheap": "gpt-4o-mini", "small": "gpt-4o-mini"},
        general_settings={"keys": [{"name": name, "key": f"sk-{name}"} for name in ("a", "b")]},
        compaction=compaction,
    )
    return CompactionPolicies(settings.compaction, settings.routes.aliases)


def test_section_s_values_reach_the_policy() -> None:
    """Without overrides a request has the values of the section."""
    assert policies(**ON).find("m", "m", "a") == SECTION


@pytest.mark.parametrize(
    ("name", "field", "of_model", "of_key"),
    [
        ("summary_model", "model", "small", "m"),
        ("trigger", "trigger", 0.5, 0.9),
        ("keep_messages", "keep_messages", 2, 20),
        ("memory_tokens", "memory_tokens", 1_000, 9_000),
        ("reflect_after", "reflect_after", 3, 9),
        ("max_share", "max_share", 0.3, 1.0),
    ],
)
def test_a_key_overrides_a_model_and_a_model_the_section(
    name: str, field: str, of_model: Any, of_key: Any
) -> None:
    """Each value can differ for a model and for a key. The other values stay those of the section."""
    found = policies(**ON, per_model=[{"model": "m", name: of_model}], per_key=[{"key": "b", name: of_key}])

    for model, key, value in (("m", "a", of_model), ("m", "b", of_key), ("n", "b", of_key)):
        policy = found.find(model, model, key)
        assert policy is not None
        assert getattr(policy, field) == value
        others = [each for each in CompactionPolicy.__slots__ if each != field]
        assert [getattr(policy, each) for each in others] == [getattr(SECTION, each) for each in others]
    assert found.find("n", "n", "a") == SECTION


@pytest.mark.parametrize(
    ("section", "of_model", "of_key", "is_on"),
    [
        (False, None, None, False),
        (True, None, None, True),
        (False, True, None, True),
        (True, False, None, False),
        (True, True, False, False),
        (False, False, True, True),
        (False, None, True, True),
    ],
)
def test_a_key_s_switch_overrides_a_model_s_and_this_the_section_s(
    section: bool, of_model: bool | None, of_key: bool | None, is_on: bool
) -> None:
    """Compaction can be switched on or off for a model, and for a key."""
    found = policies(
        enabled=section,
        model="cheap",
        per_model=[{"model": "m", "enabled": of_model}],
        per_key=[{"key": "a", "enabled": of_key}],
    )

    assert (found.find("m", "m", "a") is not None) == is_on


@pytest.mark.parametrize(
    ("compaction", "is_off"),
    [
        ({}, True),
        ({"enabled": False, "model": "cheap", "per_key": [{"key": "a", "enabled": False}]}, True),
        (ON, False),
        ({"model": "cheap", "per_model": [{"model": "m", "enabled": True}]}, False),
        ({"model": "cheap", "per_key": [{"key": "a", "enabled": True}]}, False),
    ],
)
def test_is_off_only_where_nothing_enables_compaction(compaction: dict[str, Any], is_off: bool) -> None:
    """A section, a model or a key that enables compaction is enough."""
    assert policies(**compaction).is_off == is_off


def test_a_policy_is_made_once() -> None:
    """Unknown models and keys share one policy, so made-up names take no memory."""
    found = policies(**ON)

    assert found.find("x", "x", "c") is found.find("y", "y", "d")
