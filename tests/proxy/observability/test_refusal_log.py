"""Tests that refusals of clients are counted, and logged at most once a minute."""

from __future__ import annotations

from collections import Counter
from typing import Any

from proxy.observability.refusal_log import LINE_S, RefusalLog
from tests.proxy.conftest import LogLines
from tests.support.proxied import chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream


def told(lines: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """Return the number and the reasons of each line about refusals."""
    return [(line["refused"], line["reasons"]) for line in lines if line["event"] == "requests_refused"]


def test_refusals_are_logged_at_once_and_then_each_minute(log_lines: LogLines) -> None:
    """Each line has the number of refusals since the previous line. The rest is logged at the end."""
    log = RefusalLog()
    for second in range(3):
        log.count("invalid_api_key", float(second))
    log.count("forbidden", LINE_S)
    log.count("forbidden", LINE_S + 1)
    log.log_counts()
    log.log_counts()

    assert told(log_lines()) == [
        (1, "invalid_api_key=1"),
        (3, "forbidden=1,invalid_api_key=2"),
        (1, "forbidden=1"),
    ]


async def test_flood_of_refused_requests_leaves_one_line(
    upstream: ScriptedUpstream, log_lines: LogLines
) -> None:
    """The metrics count the refused requests, and the recent requests leave them out."""
    async with proxied(
        settings_of(general_settings={"master_key": "tr-master-0123456789"}), upstream
    ) as proxy:
        known = {"Authorization": "Bearer tr-master-0123456789"}
        for _ in range(20):
            assert (await proxy.post(chat())).status == 401
        assert (await proxy.post(chat(), headers=known)).status == 200
        await proxy.idle()
        assert await proxy.count("requests_total", outcome="invalid_api_key") == 20
        recent = (await proxy.get("/ui/api/recent", headers=known)).json["requests"]

    events = Counter(line["event"] for line in log_lines())
    assert (events["requests_refused"], events["request_finished"], len(recent)) == (1, 1, 1)
