"""Tests of the demo's histories and of the outcome that each should have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import aiohttp

from proxy.cli.comparison.naive_wire import naive_body
from proxy.cli.comparison.run import Comparison, comparing, load_histories
from proxy.emulator import judge
from sanitizers import Change

CHANGES = (Change("pairing", "inserted", 1, "missing_result", "c1"),)
GOOD = Comparison(
    "g00", "gemini-2.5-pro", "what", "where", 400, "refused", 200, "answered", "pairing=1", CHANGES
)


def test_every_history_is_broken_and_has_its_source() -> None:
    """Gemini's emulator refuses every history of the demo unrepaired, and each history has a link to its source."""
    for history in load_histories():
        tools = [{"function": {"name": name, "description": name}} for name in history.get("tools", ())]

        assert judge(history["model"], naive_body(history["messages"], tools)) is not None
        assert history["source"].startswith("https://github.com/")


def test_expected_outcome_is_refused_directly_and_answered_with_changes() -> None:
    """A history is as expected only if it is refused directly and answered with changes through the proxy."""
    others: list[dict[str, Any]] = [
        {"straight_status": 200},
        {"proxied_status": 400},
        {"proxied_status": 502},
        {"changes": ""},
        {"change_list": ()},
    ]

    assert GOOD.is_as_expected
    assert not any(replace(GOOD, **other).is_as_expected for other in others)


async def test_page_has_every_history_with_its_body_and_nothing_else() -> None:
    """The inspector's page lists the demo's histories with their bodies and nothing else."""
    async with comparing() as compared, aiohttp.ClientSession() as session:
        url = compared.base_url.removesuffix("/v1") + "/ui/api/recent"
        async with session.get(url) as answer:
            shown = (await answer.json())["requests"]
        kept = []
        for one in shown:
            async with session.get(f"{url}/{one['id']}") as answer:
                kept.append((await answer.json())["request"]["messages"])

    histories = load_histories()
    assert all(comparison.is_as_expected for comparison in compared.comparisons)
    assert [one["changes"] for one in reversed(shown)] == [one.changes for one in compared.comparisons]
    assert kept[::-1] == [history["messages"] for history in histories]
