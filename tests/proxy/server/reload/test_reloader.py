"""A configuration is taken up whole or not at all, and no request sees two."""

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
    """A proxy and what its next reloads will read."""

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
        """Reload these settings, and wait until that is over."""
        await self.read(lambda: Loaded(settings, warnings))

    async def refuse(self, error: Exception) -> None:
        """Reload what cannot be loaded, and wait until that is over."""

        def fail() -> Loaded:
            raise error

        await self.read(fail)

    async def read(self, load: Callable[[], Loaded]) -> None:
        """Reload what *load* returns, and wait until that is over."""
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
        """Return how many reloads there were."""
        return await self.proxy.count("config_reloads_total", **labels)

    async def success(self) -> float:
        """Return the gauge."""
        return await self.proxy.count("config_reload_success")


@asynccontextmanager
async def reloading(
    settings: Settings, upstream: ScriptedUpstream, *, host: str = "127.0.0.1"
) -> AsyncIterator[Reloading]:
    """Serve the proxy, ready to reload."""
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


def begin(coroutine: Any) -> asyncio.Task[Any]:
    """Start what goes on meanwhile."""
    return asyncio.get_running_loop().create_task(coroutine)


def to(model: str, **fields: Any) -> dict[str, Any]:
    """Build the body of a chat request to a model."""
    return {**chat(**fields), "model": model}


async def test_models_come_and_go(reloads: Reloading) -> None:
    """From one request to the next; the list of models says so."""
    await reloads.take_up(settings_of(OTHER))

    statuses = [(await reloads.proxy.post(to(name))).status for name in ("other", MODEL)]
    listed = (await reloads.proxy.get("/v1/models")).json["data"]

    assert statuses == [200, 404]
    assert [model["id"] for model in listed] == ["other"]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_what_is_in_flight_ends_on_the_old(
    reloads: Reloading, upstream: ScriptedUpstream, stream: bool
) -> None:
    """Its model is gone, its key is another, and it is answered as if nothing had happened."""
    go_on = asyncio.Event()
    steps: list[Step] = [say("Good "), go_on, say("day."), STOP] if stream else [go_on, answer()]
    upstream.then(*steps)
    asked = begin(reloads.proxy.post(chat(stream=stream)))
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


async def test_later_steps_go_by_the_old_as_well(upstream: ScriptedUpstream) -> None:
    """A fallback that is gone by the time that it is needed is asked: it was there when the request came."""
    models = {MODEL: GEMINI, "spare": GEMINI}
    settings = settings_of(models, router_settings={"fallbacks": [{MODEL: ["spare"]}], "timeout": 30})
    go_on = asyncio.Event()
    upstream.then(go_on, UpstreamFault("gone", upstream_status=404))
    upstream.then(answer("From the spare."))
    async with reloading(settings, upstream) as reloads:
        asked = begin(reloads.proxy.post(chat()))
        await upstream.called()

        await reloads.take_up(settings_of(OTHER))
        go_on.set()
        reply = await asked

    assert (reply.status, reply.json["choices"][0]["message"]["content"]) == (200, "From the spare.")
    assert [call.deployment.name for call in upstream.calls] == [MODEL, "spare"]


async def test_request_whose_body_is_still_coming(reloads: Reloading) -> None:
    """A request begins with its head: what is reloaded before its body is there is not for it."""
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


async def test_bad_configuration_changes_nothing(reloads: Reloading, log_lines: LogLines) -> None:
    """It is logged with every fault, counted, and shown by the gauge, until a good one comes."""
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
    assert (await reloads.proxy.post(to("other"))).status == 200


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
async def test_what_cannot_even_be_read(
    reloads: Reloading, log_text: Any, error: Exception, fault: str
) -> None:
    """No file, or a defect of ours: the old configuration goes on, and the text of an exception is not logged."""
    await reloads.refuse(error)

    assert (await reloads.success(), await reloads.count(result="failed")) == (0, 1)
    assert (await reloads.proxy.post(chat())).status == 200
    assert fault in log_text.getvalue()
    assert SECRET not in log_text.getvalue()
    await reloads.take_up(settings_of(OTHER))
    assert await reloads.success() == 1


async def test_address_must_still_be_allowed(upstream: ScriptedUpstream, log_lines: LogLines) -> None:
    """A configuration without a key is none for an open address, at a reload as at the start."""
    keyed = settings_of(general_settings={"master_key": SECRET})
    async with reloading(keyed, upstream, host="0.0.0.0") as reloads:
        await reloads.take_up(settings_of())

        assert await reloads.success() == 0
        assert (await reloads.proxy.post(chat())).status == 401
    [line] = [line for line in log_lines() if line["event"] == "config_reload_failed"]
    assert line["faults"][0].startswith(
        "general_settings.master_key: is not set, and 0.0.0.0 is not loopback"
    )


async def test_what_is_told(upstream: ScriptedUpstream, log_lines: LogLines) -> None:
    """The keys that changed, the models, what needs a restart and what is doubtful: no value of any of them."""
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


async def test_series_of_models(reloads: Reloading) -> None:
    """A new model has its series at once, at 0; those of one that is gone stay, as their counts are true."""
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
    """Yield a body of about so many bytes, whose length is not announced."""

    async def pieces() -> AsyncIterator[bytes]:
        yield json.dumps({**chat(), "messages": [user("x" * size)]}).encode()

    return pieces()


async def test_size_of_bodies(reloads: Reloading) -> None:
    """The limit on bodies is the new one, up and down, whether their size is announced or not."""

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
    """Let transports take their time to get ready; return what says that one has begun, and what lets it go on."""
    preparing, may_go_on = asyncio.Event(), asyncio.Event()

    async def prepare(settings: Settings) -> None:
        preparing.set()
        await may_go_on.wait()

    monkeypatch.setattr(upstream, "prepare", prepare)
    return preparing, may_go_on


async def test_old_goes_on_until_the_new_is_ready(
    reloads: Reloading, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transport that takes seconds to get ready holds nobody up, and nothing is swapped before it is."""
    preparing, may_go_on = held_back(upstream, monkeypatch)
    taking_up = begin(reloads.take_up(settings_of(OTHER)))
    await asyncio.wait_for(preparing.wait(), 30)

    meanwhile = [(await reloads.proxy.post(to(name))).status for name in (MODEL, "other")]
    may_go_on.set()
    await taking_up
    afterwards = [(await reloads.proxy.post(to(name))).status for name in (MODEL, "other")]

    assert (meanwhile, afterwards) == ([200, 404], [404, 200])


async def test_asked_in_the_middle_of_one(
    reloads: Reloading, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What changes while one is under way is read afterwards, once, however often it was asked for."""
    preparing, may_go_on = held_back(upstream, monkeypatch)
    taking_up = begin(reloads.take_up(settings_of()))
    await asyncio.wait_for(preparing.wait(), 30)

    reloads.next = lambda: Loaded(settings_of(OTHER))
    for _ in range(3):
        reloads.reloader.request_reload("file")
    may_go_on.set()
    await taking_up
    await reloads.reloaded(2)

    assert (await reloads.proxy.post(to("other"))).status == 200
    assert reloads.loads == 2


async def test_the_old_is_let_go(reloads: Reloading, upstream: ScriptedUpstream) -> None:
    """When its last request has ended nothing of it is left: no settings, no task."""
    await reloads.take_up(settings_of())  # the first settings are the fixture's as well
    old = [weakref.ref(reloads.proxy.server.gateway.settings)]
    go_on = asyncio.Event()
    upstream.then(go_on, answer())
    asked = begin(reloads.proxy.post(chat()))
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
        await reloads.proxy.post(to("other"))
        upstream.exchanges.clear()
    await reloads.proxy.idle()  # a request has its settings until it is counted, a moment after its answer
    gc.collect()

    assert during
    assert [each() for each in old] == [None] * len(old)
    assert len(asyncio.all_tasks()) <= tasks


async def test_ended_in_the_middle_of_one(
    settings: Settings, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the process is told to stop, what was not taken up by then never is."""
    preparing = asyncio.Event()

    async def prepare(settings: Settings) -> None:
        preparing.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(upstream, "prepare", prepare)
    async with proxied(settings, upstream) as proxy:
        reloader = Reloader(lambda: Loaded(settings_of(OTHER)), "127.0.0.1")
        running = begin(reloader.run(proxy.server.current, proxy.server.api))
        reloader.request_reload()
        await asyncio.wait_for(preparing.wait(), 30)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        reloader.request_reload()
        await asyncio.sleep(0.05)

        assert (await proxy.post(chat())).status == 200
        assert await proxy.count("config_reloads_total") == 0
