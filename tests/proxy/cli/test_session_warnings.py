"""Tests of the warnings about stored responses."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.session_warnings import find_session_warnings
from tests.proxy.config.samples import settings_of


@pytest.mark.parametrize(
    ("sessions", "store", "begins"),
    [
        ({}, {}, []),
        ({}, {"url": "sqlite:////var/f"}, []),
        ({"max_mib": 512}, {"url": "redis://h"}, []),
        ({"enabled": False}, {}, []),
        (
            {"enabled": False, "turns": 20, "max_mib": 1},
            {},
            ["sessions.max_mib: has no", "sessions.turns: has no"],
        ),
        ({"max_mib": 10}, {}, ["sessions.max_mib_per_key: is above"]),
        ({}, {"url": "sqlite:////var/f", "max_mib": 511}, []),
        (
            {"max_mib": 256},
            {"url": "sqlite:////var/f", "max_mib": 511},
            ["sessions.max_mib: stored responses take half"],
        ),
    ],
)
def test_probable_mistakes_are_named(
    sessions: dict[str, Any], store: dict[str, Any], begins: list[str]
) -> None:
    """A warning begins with the key of the setting."""
    settings = settings_of(sessions=sessions, store=store)
    found = list(find_session_warnings(settings.sessions, settings.store))

    assert len(found) == len(begins)
    assert all(warning.startswith(begin) for warning, begin in zip(found, begins, strict=True))
