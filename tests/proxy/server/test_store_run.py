"""Tests that the process runs its store while it serves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from proxy.server.serve import serving
from proxy.state.external.backend import StoreInUse
from proxy.state.spaces import SIGNATURES
from tests.proxy.conftest import LogLines
from tests.support.proxied import settings_of
from tests.support.scripted_upstream import ScriptedUpstream


async def test_values_outlive_the_process(tmp_path: Path) -> None:
    """A second process on the file finds what the first one stored."""
    settings = settings_of(store={"url": f"sqlite:///{tmp_path}/state.db"})
    for step in range(2):
        async with serving(settings, ScriptedUpstream(), host="127.0.0.1", port=0) as server:
            store = server.gateway.store
            if not step:
                await store.put(SIGNATURES, {"a": b"1"}, tenant="t")
            assert await store.get(SIGNATURES, ["a"], tenant="t") == {"a": b"1"}


async def test_file_in_use_ends_the_start(tmp_path: Path) -> None:
    """The process does not listen with a store that another process has."""
    settings = settings_of(store={"url": f"sqlite:///{tmp_path}/state.db"})
    async with serving(settings, ScriptedUpstream(), host="127.0.0.1", port=0):
        with pytest.raises(StoreInUse):
            async with serving(settings, ScriptedUpstream(), host="127.0.0.1", port=0):
                pass


async def test_start_does_not_need_the_store(log_lines: LogLines) -> None:
    """A server that cannot be reached is told in the log, and the process serves."""
    settings = settings_of(store={"url": "redis://127.0.0.1:1/0"})
    async with serving(settings, ScriptedUpstream(), host="127.0.0.1", port=0) as server:
        assert server.gateway.lifecycle.ready
        assert await server.gateway.store.get(SIGNATURES, ["a"], tenant="t") == {}

    assert [line["reason"] for line in log_lines() if line["event"] == "store_down"] == ["connection"]


async def test_store_that_is_not_used_says_what_to_do(log_lines: LogLines, tmp_path: Path) -> None:
    """The log has the words of the fault, such as those for a directory that does not exist."""
    settings = settings_of(store={"url": f"sqlite:///{tmp_path}/none/state.db"})
    async with serving(settings, ScriptedUpstream(), host="127.0.0.1", port=0):
        pass

    assert [line["detail"] for line in log_lines() if line["event"] == "store_down"] == [
        "the directory of the file of `store.url` does not exist. Create the directory."
    ]


async def test_failing_exchange_is_logged_once(log_lines: LogLines, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log has the name of the source and the kind of the error, and not the error's text."""

    async def fail(_: object, now: float) -> None:
        raise ValueError(f"a secret at {now}")

    monkeypatch.setattr("proxy.state.sharing.shared_cooldowns.SharedCooldowns.poll", fail)
    settings = settings_of(store={"url": "redis://127.0.0.1:1/0"})
    async with serving(settings, ScriptedUpstream(), host="127.0.0.1", port=0):
        pass

    [line] = [line for line in log_lines() if line["event"] == "sharing_failed"]
    assert (line["source"], line["error"]) == ("cooldowns", "ValueError")
    assert "secret" not in str(log_lines())


async def test_failing_work_of_the_limits_begins_again(
    log_lines: LogLines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process goes on, and the log has the kind of the error alone."""
    monkeypatch.setattr("proxy.server.store_run._AGAIN_S", 0.001)
    again = asyncio.Event()
    failures = iter([ValueError("a secret")])

    async def exchange(_: object) -> None:
        for error in failures:
            raise error
        again.set()

    monkeypatch.setattr("proxy.state.limits.limiter.Limiter.exchange", exchange)
    async with serving(settings_of(), ScriptedUpstream(), host="127.0.0.1", port=0):
        async with asyncio.timeout(20):
            await again.wait()

    [line] = [line for line in log_lines() if line["event"] == "sharing_failed"]
    assert (line["source"], line["error"]) == ("limits", "ValueError")
    assert "secret" not in str(log_lines())


async def test_spend_is_written_at_the_end_of_the_process(tmp_path: Path) -> None:
    """A second process on the file knows what the first one has counted."""
    settings = settings_of(store={"url": f"sqlite:///{tmp_path}/state.db"})
    for expected in (0, 7):
        async with serving(settings, ScriptedUpstream(), host="127.0.0.1", port=0) as server:
            limiter = server.gateway.limiter
            totals = await limiter.totals()
            assert totals[""].spent_nano == expected
            limiter.count("", nano_usd=7, estimated_nano=0, tokens=1)
