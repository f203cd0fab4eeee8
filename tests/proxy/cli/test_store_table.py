"""Tests of the store in the output of ``turnright check``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.store_table import plain_store, store_lines
from proxy.config.durations import duration_text
from proxy.core.hidden_text import MASK
from proxy.state.spaces import SESSIONS, SPACES
from tests.proxy.config.samples import settings_of


def lines(**store: Any) -> list[str]:
    """Return the lines of a store's table."""
    settings = settings_of(store=store)
    return list(store_lines(settings.store, settings.sessions))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("memory://", "memory://: a restart loses it, and replicas do not share it"),
        (
            "sqlite:////var/state.db",
            "sqlite:////var/state.db: it survives a restart, and replicas do not share it: one process uses the file",
        ),
        (
            "redis://u:p@h:6379/0",
            f"redis://{MASK}@h:6379/0: replicas share it, and it survives their restarts",
        ),
        (
            "rediss://h?ssl_ca_certs=f",
            f"rediss://h?{MASK}: replicas share it, and it survives their restarts",
        ),
    ],
)
def test_place_of_the_store_comes_first(url: str, shown: str) -> None:
    """The first row has the masked address, and says who shares the store and whether a restart loses it."""
    assert lines(url=url)[:3] == ["What is kept between requests.", "", f"    {'store':<16}{shown}"]


def test_size_of_a_file_is_shown() -> None:
    """The bound of a file has a row. Other stores have none."""
    assert lines(url="sqlite:///f", max_mib=2048)[3] == (
        f"    {'size':<16}at most 2,048 MiB; the least recently used entries are dropped first"
    )
    assert not any(line.startswith("    size ") for line in lines(url="redis://h") + lines())


def test_each_kind_of_fact_has_a_row() -> None:
    """Each space has a row with what it holds and its lifetime."""
    rows = lines()[3:]

    assert len(rows) == len(SPACES)
    for row, space in zip(rows, SPACES, strict=True):
        assert row.startswith(f"    {space.name} ")
        if space is SESSIONS:
            continue
        assert row.endswith(f"{space.holds}, for at most {duration_text(space.lifetime_s)}")
    assert f"    {'signatures':<16}thought signatures of tool calls, for at most 14 days" in rows


@pytest.mark.parametrize(
    ("store", "sessions", "row"),
    [
        ({}, {}, "for 7 days after their last use; at most 256 MiB, and 64 MiB of one key"),
        (
            {},
            {"retention": "36h", "max_mib": 10, "turns": 20},
            "for 36 hours after their last use; at most 10 MiB, and 10 MiB of one key; "
            "the newest 20 to 30 turns are sent",
        ),
        (
            {"url": "sqlite:///f", "max_mib": 100},
            {},
            "for 7 days after their last use; at most 50 MiB, and 50 MiB of one key",
        ),
    ],
)
def test_row_of_sessions_has_their_settings(store: Any, sessions: Any, row: str) -> None:
    """The row says how long responses are kept, and within which bounds."""
    settings = settings_of(store=store, sessions=sessions)
    last = list(store_lines(settings.store, settings.sessions))[-1]

    assert last == f"    {'sessions':<16}stored responses and conversations of the Responses API, {row}"


def test_sessions_that_are_off_are_said_to_be_off() -> None:
    """Nothing is kept, and the JSON object has no row."""
    settings = settings_of(sessions={"enabled": False})

    assert list(store_lines(settings.store, settings.sessions))[-1].endswith("`sessions.enabled` is false")
    kept = plain_store(settings.store, settings.sessions)["keeps"]
    assert [each["name"] for each in kept] == [space.name for space in SPACES if space is not SESSIONS]


def test_json_has_the_same_facts() -> None:
    """The JSON object has the masked address, the two properties, and each kind of fact."""
    settings = settings_of(store={"url": "valkey://:pw@h"}, sessions={"retention": "2d"})
    shown = plain_store(settings.store, settings.sessions)

    assert {key: value for key, value in shown.items() if key != "keeps"} == {
        "url": f"redis://{MASK}@h",
        "kind": "redis",
        "is_shared": True,
        "survives_restart": True,
    }
    assert [each["name"] for each in shown["keeps"]] == [space.name for space in SPACES]
    assert shown["keeps"][-1]["lifetime_s"] == 172_800.0
