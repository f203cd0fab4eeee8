"""Tests that a reload applies a configuration whole or not at all, and that a request has only one."""

from __future__ import annotations

import asyncio
import gc
import json
import time
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

from proxy.config import ConfigurationError, Fault, Loaded, Settings
from proxy.core.errors import UpstreamFault
from proxy.server.reload.reloader import Reloader
from tests.proxy.conftest import LogLines
from tests.support.builders import user
from tests.support.proxied import GEMINI, MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import STOP, ScriptedUpstream, Step, answer, say

OTHER = {"other": GEMINI}
SECRET = "sk-secret-4d2b"
MIB = 2**20


def scrape_of(metric: Collector) -> list[Sample]:
    """Return the samples of one metric."""
    return [sample for family in metric.collect() for sample in family.samples]


class Reloading:
    """A proxy with its reloader, and the configuration that the next reload reads."""

    def __init__(self, proxy: Proxied, host: str) -> None:
        self.proxy = proxy
        self.next: Callable[[], Loaded] = self._nothing
        self.loads = 0
        self.reloader = Reloader(self._load, host)

    def _load(self) -> Loaded:
        self.loads += 1
        return self.next()

    @staticmethod
    def _nothing() -> Loaded:
        raise AssertionError("nothing was to be read")

    async def take_up(self, settings: Settings, *warnings: str) -> None:
        """Reload these settings, and wait for the end of the reload."""
        await self.read(lambda: Loaded(settings, warnings))

    async def refuse(self, error: Exception) -> None:
        """Reload with a loader that raises *error*, and wait for the end of the reload."""

        def fail() -> Loaded:
            raise error

        await self.read(fail)

    async def read(self, load: Callable[[], Loaded]) -> None:
        """Reload with *load*, and wait for the end of the reload."""
        self.next = load
        before = self.done()
        self.reloader.request_reload()
        await self.reloaded(before + 1)

    def done(self) -> float:
        """Return the number of reloads that have ended."""
        samples = scrape_of(self.proxy.server.gateway.metrics.config_reloads)
        return sum(sample.value for sample in samples)

    async def reloaded(self, times: float) -> None:
        """Wait until *times* reloads have ended."""
        async with asyncio.timeout(30):
            while self.done() < times:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.001)

    async def count(self, **labels: str) -> float:
        """Return the number of ended reloads with these labels, as the metrics show it."""
        return await self.proxy.count("config_reloads_total", **labels)

    async def success(self) -> float:
        """Return the gauge of the last reload's success."""
        return await self.proxy.count("config_reload_success")


@asynccontextmanager
async def reloading(
    settings: Settings, upstream: ScriptedUpstream, *, host: str = "127.0.0.1"
) -> AsyncIterator[Reloading]:
    """Serve the proxy with a running reloader."""
    async with proxied(settings, upstream) as proxy:
        found = Reloading(proxy, host)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(found.reloader.run(proxy.server.current, proxy.server.api))
            yield found
            task.cancel()


@pytest.fixture
async def reloads(settings: Settings, upstream: ScriptedUpstream) -> AsyncIterator[Reloading]:
    """Serve the proxy with `MODEL`."""
    async with reloading(settings, upstream) as found:
        yield found


async def test_reload_adds_and_removes_models(reloads: Reloading) -> None:
    """After a reload, removed models are unknown, and the list has the new models."""
    await reloads.take_up(settings_of(OTHER))

    statuses = [(await reloads.proxy.post(chat(model=name))).status for name in ("other", MODEL)]
    listed = (await reloads.proxy.get("/v1/models")).json["data"]

    assert statuses == [200, 404]
    assert [model["id"] for model in listed] == ["other"]


def with_keys(*keys: dict[str, Any], **general: Any) -> Settings:
    """Return settings with two models and these client keys."""
    general["keys"] = [{"key": f"tr-{key['name']}", **key} for key in keys]
    return settings_of({MODEL: GEMINI, **OTHER}, general_settings=general)


async def test_renewed_keys_hold_for_the_next_request(upstream: ScriptedUpstream) -> None:
    """A reload adds and removes keys, changes the models of a key and of its team, and ends a key."""
    models = ("other", MODEL)

    async with reloading(with_keys({"name": "a"}, {"name": "b"}), upstream) as reloads:

        async def statuses(key: str) -> list[int]:
            headers = {"Authorization": f"Bearer tr-{key}"}
            return [(await reloads.proxy.post(chat(model=name), headers=headers)).status for name in models]

        assert (await statuses("a"), await statuses("b"), await statuses("c")) == (
            [200] * 2,
            [200] * 2,
            [401] * 2,
        )
        await reloads.take_up(
            with_keys({"name": "a", "models": [MODEL]}, {"name": "c", "team": "t"}, teams=[{"name": "t"}])
        )
        assert (await statuses("a"), await statuses("b"), await statuses("c")) == (
            [403, 200],
            [401] * 2,
            [200] * 2,
        )
        await reloads.take_up(
            with_keys(
                {"name": "a", "expires": "2020-01-01"},
                {"name": "c", "team": "t"},
                teams=[{"name": "t", "models": ["oth*"]}],
            )
        )
        assert (await statuses("a"), await statuses("c")) == ([401] * 2, [200, 403])


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_request_in_flight_ends_with_the_old_configuration(
    reloads: Reloading, upstream: ScriptedUpstream, stream: bool
) -> None:
    """The reload removes the request's model and requires a key. The request still gets its answer."""
    go_on = asyncio.Event()
    steps: list[Step] = [say("Good "), go_on, say("day."), STOP] if stream else [go_on, answer()]
    upstream.then(*steps)
    asked = asyncio.ensure_future(reloads.proxy.post(chat(stream=stream)))
    await upstream.called()

    await reloads.take_up(settings_of(OTHER, general_settings={"master_key": SECRET}))
    refused = await reloads.proxy.post(chat())
    was_running = not asked.done()
    go_on.set()
    reply = await asked

    assert (was_running, refused.status, reply.status) == (True, 401, 200)
    if stream:
        assert reply.events[-1] == "[DONE]"
        assert (
            "".join(event["choices"][0]["delta"].get("content") or "" for event in reply.events[:-1])
            == "Good day."
        )
    else:
        assert reply.json["choices"][0]["message"]["content"] == "Good day."


async def test_request_in_flight_falls_back_by_the_old_configuration(upstream: ScriptedUpstream) -> None:
    """A reload during the first attempt removes the fallback, and the request still falls back."""
    models = {MODEL: GEMINI, "spare": GEMINI}
    settings = settings_of(models, router_settings={"fallbacks": [{MODEL: ["spare"]}], "timeout": 30})
    go_on = asyncio.Event()
    upstream.then(go_on, UpstreamFault("gone", upstream_status=404))
    upstream.then(answer("From the spare."))
    async with reloading(settings, upstream) as reloads:
        asked = asyncio.ensure_future(reloads.proxy.post(chat()))
        await upstream.called()

        await reloads.take_up(settings_of(OTHER))
        go_on.set()
        reply = await asked

    assert (reply.status, reply.json["choices"][0]["message"]["content"]) == (200, "From the spare.")
    assert [call.deployment.name for call in upstream.calls] == [MODEL, "spare"]


async def test_request_keeps_the_configuration_of_its_head(reloads: Reloading) -> None:
    """The request's head fixes its configuration, although the reload comes before the rest of its body."""
    body = json.dumps(chat()).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    head += "Connection: close\r\n\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", reloads.proxy.server.port)
    writer.write(head.encode() + body[:10])
    async with asyncio.timeout(30):
        while not reloads.proxy.server.gateway.lifecycle.in_flight:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.01)

    await reloads.take_up(settings_of(OTHER, general_settings={"master_key": SECRET}))
    writer.write(body[10:])
    received = await asyncio.wait_for(reader.read(), 30)
    writer.close()

    assert received.startswith(b"HTTP/1.1 200 ")


FAULTS = [Fault("router_settings.timeout", "must be above 0"), Fault("model_list[1]", "is missing")]


async def test_faulty_configuration_is_reported_and_not_applied(
    reloads: Reloading, log_lines: LogLines
) -> None:
    """The log has every fault. The gauge stays 0 until a good configuration comes."""
    before = reloads.proxy.server.gateway

    await reloads.refuse(ConfigurationError(FAULTS))

    assert reloads.proxy.server.gateway is before
    assert (await reloads.proxy.post(chat())).status == 200
    assert (await reloads.success(), await reloads.count(result="failed")) == (0, 1)
    [line] = [line for line in log_lines() if line["event"].startswith("config_reload")]
    assert line["event"] == "config_reload_failed"
    assert line["faults"] == ["router_settings.timeout: must be above 0", "model_list[1]: is missing"]
    assert (line["level"], line["trigger"]) == ("error", "signal")

    await reloads.take_up(settings_of(OTHER))

    assert (await reloads.success(), await reloads.count(result="ok")) == (1, 1)
    assert (await reloads.proxy.post(chat(model="other"))).status == 200


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (
            FileNotFoundError(2, "No such file or directory", SECRET),
            "cannot be read: No such file or directory",
        ),
        (RuntimeError(SECRET), "failed with RuntimeError at fail:"),
    ],
    ids=["gone", "defect"],
)
async def test_unreadable_configuration_is_reported_without_the_exceptions_text(
    reloads: Reloading, log_text: Any, error: Exception, fault: str
) -> None:
    """The file is missing, or the loader has a defect."""
    await reloads.refuse(error)

    assert (await reloads.success(), await reloads.count(result="failed")) == (0, 1)
    assert (await reloads.proxy.post(chat())).status == 200
    assert fault in log_text.getvalue()
    assert SECRET not in log_text.getvalue()
    await reloads.take_up(settings_of(OTHER))
    assert await reloads.success() == 1


async def test_configuration_without_a_key_is_refused_on_an_open_address(
    upstream: ScriptedUpstream, log_lines: LogLines
) -> None:
    """A reload refuses a configuration that the start would refuse."""
    keyed = settings_of(general_settings={"master_key": SECRET})
    async with reloading(keyed, upstream, host="0.0.0.0") as reloads:
        await reloads.take_up(settings_of())

        assert await reloads.success() == 0
        assert (await reloads.proxy.post(chat())).status == 401
    [line] = [line for line in log_lines() if line["event"] == "config_reload_failed"]
    assert line["faults"][0].startswith(
        "general_settings.master_key: is not set, and 0.0.0.0 is not loopback"
    )


async def test_log_line_of_a_reload_names_changes_and_no_value(
    upstream: ScriptedUpstream, log_lines: LogLines
) -> None:
    """The log line names keys, models, needed restarts and warnings."""
    settings = settings_of(general_settings={"admin": {"host": "127.0.0.1", "port": 0}})
    without = settings_of(
        router_settings={"num_retries": 1}, general_settings={"admin": {"host": "127.0.0.1", "port": 0}}
    )
    began = time.time()  # noqa: TID251 - the metric is wall-clock time
    async with reloading(settings, upstream) as reloads:
        at_start = await reloads.proxy.count("config_reload_timestamp_seconds")
        success_at_start = await reloads.success()
        await reloads.take_up(
            settings_of({MODEL: {"model": GEMINI, "api_key": SECRET}, **OTHER}), "turns.mode: is odd"
        )
        afterwards = await reloads.proxy.count("config_reload_timestamp_seconds")
        await reloads.take_up(without)
        assert reloads.proxy.server.gateway.settings.general_settings.admin is not None

    assert (success_at_start, began <= at_start < afterwards) == (1, True)
    line, last = [line for line in log_lines() if line["event"] == "config_reloaded"]
    assert last["level"] == "info"
    del line["timestamp"]
    assert line == {
        "event": "config_reloaded",
        "level": "warning",
        "trigger": "signal",
        "changed": ["model_list"],
        "models_added": ["other"],
        "models_removed": [],
        "models_changed": [MODEL],
        "needs_restart": ["general_settings.admin"],
        "warnings": ["turns.mode: is odd"],
    }


async def test_new_model_has_its_series_and_old_counts_stay(reloads: Reloading) -> None:
    """The new series begin at 0."""
    await reloads.proxy.post(chat())

    await reloads.take_up(settings_of(OTHER))

    count = reloads.proxy.count
    assert await count("requests_total", model=MODEL, outcome="ok") == 1
    found = await reloads.proxy.metrics()
    assert (
        found[
            "turnright_requests_total",
            (("model", "other"), ("outcome", "ok"), ("route", "/v1/chat/completions")),
        ]
        == 0
    )


def chunked(size: int) -> AsyncIterator[bytes]:
    """Return a body of about *size* bytes that is sent without a content length."""

    async def pieces() -> AsyncIterator[bytes]:
        yield json.dumps({**chat(), "messages": [user("x" * size)]}).encode()

    return pieces()


async def test_reload_changes_the_limit_on_bodies(reloads: Reloading) -> None:
    """The limit rises and falls, also for bodies without a content length."""

    async def statuses() -> list[int]:
        large = {**chat(), "messages": [user("x" * (3 * MIB // 2))]}
        return [(await reloads.proxy.post(body)).status for body in (large, chunked(3 * MIB // 2))]

    limits = [settings_of(general_settings={"max_body_mib": mib}) for mib in (1, 2, 1)]
    found = [await statuses()]
    for settings in limits:
        await reloads.take_up(settings)
        found.append(await statuses())

    assert found == [[200, 200], [413, 413], [200, 200], [413, 413]]


def held_back(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> tuple[asyncio.Event, asyncio.Event]:
    """Let the upstream's preparation wait. Return an event that marks its start, and an event that releases it."""
    preparing, may_go_on = asyncio.Event(), asyncio.Event()

    async def prepare(settings: Settings) -> None:
        preparing.set()
        await may_go_on.wait()

    monkeypatch.setattr(upstream, "prepare", prepare)
    return preparing, may_go_on


async def test_old_configuration_serves_until_the_new_one_is_prepared(
    reloads: Reloading, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests use the old configuration while a transport prepares, which may take seconds."""
    preparing, may_go_on = held_back(upstream, monkeypatch)
    taking_up = asyncio.ensure_future(reloads.take_up(settings_of(OTHER)))
    await asyncio.wait_for(preparing.wait(), 30)

    meanwhile = [(await reloads.proxy.post(chat(model=name))).status for name in (MODEL, "other")]
    may_go_on.set()
    await taking_up
    afterwards = [(await reloads.proxy.post(chat(model=name))).status for name in (MODEL, "other")]

    assert (meanwhile, afterwards) == ([200, 404], [404, 200])


async def test_requests_during_a_reload_cause_one_more_reload(
    reloads: Reloading, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three requests during a reload cause one later reload, which reads the file again."""
    preparing, may_go_on = held_back(upstream, monkeypatch)
    taking_up = asyncio.ensure_future(reloads.take_up(settings_of()))
    await asyncio.wait_for(preparing.wait(), 30)

    reloads.next = lambda: Loaded(settings_of(OTHER))
    for _ in range(3):
        reloads.reloader.request_reload("file")
    may_go_on.set()
    await taking_up
    await reloads.reloaded(2)

    assert (await reloads.proxy.post(chat(model="other"))).status == 200
    assert reloads.loads == 2


@pytest.mark.long
async def test_old_settings_are_freed_after_their_last_request(
    reloads: Reloading, upstream: ScriptedUpstream
) -> None:
    """A reload leaves no reference to the old settings, and no task."""
    await reloads.take_up(settings_of())  # the fixture holds the first settings
    old = [weakref.ref(reloads.proxy.server.gateway.settings)]
    go_on = asyncio.Event()
    upstream.then(go_on, answer())
    asked = asyncio.ensure_future(reloads.proxy.post(chat()))
    await upstream.called()
    await reloads.take_up(settings_of())
    tasks = len(asyncio.all_tasks())

    gc.collect()
    during = old[0]() is not None
    go_on.set()
    await asked
    del asked
    upstream.exchanges.clear()
    for _ in range(3):
        old.append(weakref.ref(reloads.proxy.server.gateway.settings))
        await reloads.take_up(settings_of(OTHER))
        await reloads.proxy.post(chat(model="other"))
        upstream.exchanges.clear()
    await reloads.proxy.idle()  # a request holds its settings until it is counted
    gc.collect()

    assert during
    assert [each() for each in old] == [None] * len(old)
    assert len(asyncio.all_tasks()) <= tasks


async def test_reload_cancelled_during_its_preparation_is_not_applied(
    settings: Settings, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reload is cancelled when the process ends, and the old configuration stays."""
    preparing, _ = held_back(upstream, monkeypatch)
    async with proxied(settings, upstream) as proxy:
        reloader = Reloader(lambda: Loaded(settings_of(OTHER)), "127.0.0.1")
        running = asyncio.ensure_future(reloader.run(proxy.server.current, proxy.server.api))
        reloader.request_reload()
        await asyncio.wait_for(preparing.wait(), 30)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        reloader.request_reload()
        await asyncio.sleep(0.05)

        assert (await proxy.post(chat())).status == 200
        assert await proxy.count("config_reloads_total") == 0
