"""Tests of the section ``turns``: values out of range are refused with their path."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.config.samples import entry, faults_of, settings_of


@pytest.mark.parametrize("repeats", [0, 2, 1_000])
def test_a_loop_needs_two_repetitions_or_0(repeats: int) -> None:
    """``max_repeats`` may be 0, which switches the check off, or at least 2."""
    assert settings_of(turns={"max_repeats": repeats}).turns.max_repeats == repeats


@pytest.mark.parametrize(
    ("turns", "path"),
    [
        ({"max_repeats": 1}, "turns.max_repeats"),
        ({"max_repeats": 1_001}, "turns.max_repeats"),
        ({"per_model": [{"model": "gemini", "max_repeats": 1}]}, "turns.per_model[0].max_repeats"),
        ({"max_rounds": -1}, "turns.max_rounds"),
        ({"warn_at": 0}, "turns.warn_at"),
        ({"warn_at": 1.1}, "turns.warn_at"),
        ({"mode": "strict"}, "turns.mode"),
        ({"delegation_tools": ["*a*b*"]}, "turns.delegation_tools[0]"),
        ({"final_tools": ["a"] * 101}, "turns.final_tools"),
        ({"per_key": [{"mode": "off"}]}, "turns.per_key[0].key"),
    ],
)
def test_value_out_of_range_is_the_only_fault(turns: dict[str, Any], path: str) -> None:
    """A value out of range is the only fault, with its path."""
    assert [place for place, _ in faults_of(turns=turns)] == [path]


@pytest.mark.parametrize("spelled", ["off", False])
def test_bare_off_switches_the_guard_off(spelled: Any) -> None:
    """The bare word ``off``, which YAML 1.1 reads as false, switches the turn guard off."""
    settings = settings_of(
        entry(), turns={"mode": spelled, "per_model": [{"model": "gemini", "mode": spelled}]}
    )

    assert settings.turns.mode == "off"
    assert settings.turns.per_model[0].mode == "off"


def test_pattern_may_have_two_stars() -> None:
    """A pattern of tool names may have two stars."""
    assert settings_of(turns={"final_tools": ["*done*"]}).turns.final_tools == ("*done*",)
