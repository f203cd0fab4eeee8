"""Tests of the store in the output of ``turnright check``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.store_table import duration_text, plain_store, store_lines
from proxy.core.hidden_text import MASK
from proxy.state.spaces import SPACES
from tests.proxy.config.samples import settings_of


def lines(**store: Any) -> list[str]:
    """Return the lines of a store's table."""
    return list(store_lines(settings_of(store=store).store))


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
        assert row.endswith(f"{space.holds}, for at most {duration_text(space.lifetime_s)}")
    assert f"    {'signatures':<16}thought signatures of tool calls, for at most 14 days" in rows


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (14 * 86_400.0, "14 days"),
        (86_400, "1 day"),
        (3_600, "1 hour"),
        (36 * 3_600, "36 hours"),
        (60, "1 minute"),
        (90, "90 s"),
        (30.0, "30 s"),
        (0.5, "0.5 s"),
    ],
)
def test_lifetime_has_the_largest_whole_unit(seconds: float, text: str) -> None:
    """A lifetime is shown in the largest unit that gives a whole number."""
    assert duration_text(seconds) == text


def test_json_has_the_same_facts() -> None:
    """The JSON object has the masked address, the two properties, and each kind of fact."""
    shown = plain_store(settings_of(store={"url": "valkey://:pw@h"}).store)

    assert {key: value for key, value in shown.items() if key != "keeps"} == {
        "url": f"redis://{MASK}@h",
        "kind": "redis",
        "is_shared": True,
        "survives_restart": True,
    }
    assert [each["name"] for each in shown["keeps"]] == [space.name for space in SPACES]
