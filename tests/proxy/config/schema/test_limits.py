"""Tests of the section ``limits``."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.config.samples import faults_of, settings_of


def test_limits_are_shared_and_whole_by_default() -> None:
    """By default each replica takes its share while the store is down, and a minute's limit may be used at once."""
    limits = settings_of(limits=None).limits

    assert (limits.on_store_down, limits.burst) == ("share", 1.0)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("on_store_down", "closed"),
        ("on_store_down", False),
        ("burst", 0),
        ("burst", 1.1),
        ("burst", "x"),
        ("rpm", 1),
    ],
)
def test_bad_rule_of_limits_is_refused_by_its_path(key: str, value: Any) -> None:
    """A wrong value or an unknown key is one fault with its path."""
    ((path, _),) = faults_of(limits={key: value})

    assert path == f"limits.{key}"
