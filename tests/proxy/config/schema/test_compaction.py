"""Tests of the section ``compaction``: values out of range are refused with their path."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.config.samples import entry, faults_of, settings_of

KEYS = {"keys": [{"name": "a", "key": "sk-a"}]}


@pytest.mark.parametrize(
    "values",
    [
        {"trigger": 0.01, "keep_messages": 2, "memory_tokens": 1_000, "reflect_after": 3, "max_share": 0.01},
        {"trigger": 1, "keep_messages": 1_000, "memory_tokens": 16_000, "reflect_after": 20, "max_share": 1},
    ],
)
def test_smallest_and_largest_values_are_taken(values: dict[str, Any]) -> None:
    """The bounds themselves are valid, in the section, for a model and for a key."""
    compaction = {
        **values,
        "per_model": [{"model": "gemini", **values}],
        "per_key": [{"key": "a", **values}],
    }

    settings = settings_of(general_settings=KEYS, compaction=compaction)

    for section in (settings.compaction, settings.compaction.per_model[0], settings.compaction.per_key[0]):
        assert {name: getattr(section, name) for name in values} == values


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("enabled", "yes"),
        ("trigger", 0),
        ("trigger", 1.1),
        ("keep_messages", 1),
        ("keep_messages", 1_001),
        ("memory_tokens", 999),
        ("memory_tokens", 16_001),
        ("reflect_after", 2),
        ("reflect_after", 21),
        ("max_share", 0),
        ("max_share", 1.01),
    ],
)
def test_value_out_of_range_is_the_only_fault(name: str, value: Any) -> None:
    """A value out of range is the only fault, with its path, in the section and in both lists."""
    for prefix, compaction in (
        ("compaction", {name: value}),
        ("compaction.per_model[0]", {"per_model": [{"model": "gemini", name: value}]}),
        ("compaction.per_key[0]", {"per_key": [{"key": "a", name: value}]}),
    ):
        found = faults_of(entry(), general_settings=KEYS, compaction=compaction)

        assert [place for place, _ in found] == [f"{prefix}.{name}"]


def test_compaction_is_off_by_default() -> None:
    """Without the section nothing is compacted, and no model summarizes."""
    assert (settings_of().compaction.enabled, settings_of().compaction.model) == (False, None)


@pytest.mark.parametrize(("where", "name"), [("per_model", "model"), ("per_key", "key")])
def test_entry_needs_a_name(where: str, name: str) -> None:
    """An entry without the name of its model or key is refused."""
    found = faults_of(compaction={where: [{"enabled": True, "summary_model": "gemini"}]})

    assert [place for place, _ in found] == [f"compaction.{where}[0].{name}"]
