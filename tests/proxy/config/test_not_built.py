"""Each row of what is not built."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.not_built import NOT_BUILT
from tests.proxy.config.samples import entry, faults_of

REFUSED: dict[str, list[Any]] = {
    "compaction.enabled": [True],
    "store.url": ["sqlite:///state.db", "redis://127.0.0.1:6379/0"],
}
TAKEN: dict[str, list[Any]] = {
    "compaction.enabled": [False],
    "store.url": ["memory://"],
    "turns.mode": ["warn", "enforce", "off", False],
    "budget.preset": ["balanced", "lango", "localcowork", "codex", "off", False],
    "budget.margin": [None, 0.1],
    "budget.reserve": [None, 0, 8192],
    "budget.high": [None, 0.7],
    "budget.low": [None, 0.5],
    "budget.hard": [None, 0.95],
    "budget.cap": [None, 6000],
    "budget.last_turns": [None, 0, 20],
    "budget.unknown_window": [None, 32768],
    "budget.exclude_tools": [[], ["read_skill"]],
    "budget.notice": [True, False],
    "budget.on_no_room": ["reduce", "refuse"],
}


def sections_with(key: str, value: Any) -> dict[str, Any]:
    """Return the sections of a file that sets *key* to *value*."""
    section, _, name = key.partition(".")
    return {section: {name: value}}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in REFUSED.items() for value in values]
)
def test_a_value_that_is_not_built_is_refused(key: str, value: Any) -> None:
    """The one fault names the key and what to use in its place."""
    ((path, text),) = faults_of(entry("gemini"), entry("other"), **sections_with(key, value))

    assert path == key
    assert "is not built in this version; remove the key or use" in text


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in TAKEN.items() for value in values]
)
def test_the_values_beside_it_are_taken(key: str, value: Any) -> None:
    """The other values of the same keys load."""
    assert faults_of(**sections_with(key, value)) == []


def test_every_row_is_tested() -> None:
    """A new row needs a case here."""
    assert set(NOT_BUILT) == set(REFUSED)
