"""Tests that ``router_settings.timeout`` ends a request in any phase before its answer, with a 504."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from proxy.config import Settings
from proxy.core import offload
from proxy.core.worker_threads import THREADS
from proxy.forwarding import event_stream
from proxy.forwarding.chat import plan_attempts as chat_planning
from proxy.ingress.openai_chat.format import OPENAI_CHAT
from proxy.ingress.openai_text import format as openai_text
from proxy.planning.plan import plan_request
from sanitizers.work_limit import spend
from tests.support.builders import user
from tests.support.proxied import MODEL, Proxied, Reply, chat, events_of, proxied, settings_of
from tests.support.scripted_upstream import HANG, ScriptedUpstream, say

TIMEOUT = 0.4
WORDS = "The request was not done within 0.4 seconds (router_settings.timeout)."
STUCK = "stuck"
KEYS = [{"name": name, "key": f"sk-{name}-0123456789abcdef"} for name in ("ann", "bob", "cid")]


class Work:
    """Planning that takes steps until the test is over, for requests whose text begins with :data:`STUCK`."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0
        self._over = threading.Event()

    def plan(self, request: Any, *arguments: Any, **named: Any) -> Any:
        """Plan *request*, or take steps until :meth:`finish` where its text begins with :data:`STUCK`."""
        if request.messages[0]["content"].startswith(STUCK):
            self.begun += 1
            try:
                while not self._over.wait(0.001):
                    spend()
            finally:
                self.ended += 1
        return plan_request(request, *arguments, **named)

    def finish(self) -> None:
        """End the planning of the stuck requests."""
        self._over.set()


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    """Plan every request in a worker thread, by a :class:`Work`."""
    stuck = Work()
    monkeypatch.setattr(offload, "LARGE", 10)
    monkeypatch.setattr(chat_planning, "plan_request", stuck.plan)
    yield stuck
    stuck.finish()


def settings(timeout: float = TIMEOUT, **general: Any) -> Settings:
    """Return settings with a short deadline."""
    return settings_of(router_settings={"timeout": timeout}, general_settings=general)


def post(proxy: Proxied, content: str, key: str = "", **fields: Any) -> asyncio.Task[Reply]:
    """Start a chat request in a task, under the client key *key*."""
    headers = {"Authorization": f"Bearer sk-{key}-0123456789abcdef"} if key else None
    return asyncio.get_running_loop().create_task(proxy.post(chat(content, **fields), headers=headers))


async def until(condition: Callable[[], bool]) -> None:
    """Wait until *condition* holds."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - threads tell nobody
            await asyncio.sleep(0.01)


async def check_late(proxy: Proxied, reply: Reply, outcomes: int = 1) -> None:
    """Check that *reply* is a 504 and is counted, and that no request is in flight or waits for a thread."""
    assert (reply.status, reply.error["code"]) == (504, "deadline_exceeded")
    assert reply.error["message"] == WORDS
    await proxy.idle()
    assert await proxy.count("requests_total", outcome="deadline_exceeded") == outcomes
    assert await proxy.count("in_flight") == 0
    assert await proxy.count("offload_waiting") == 0


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_a_request_that_is_worked_on_in_a_thread(
    upstream: ScriptedUpstream, work: Work, stream: bool
) -> None:
    """The timed-out request's work ends at its next step, and the thread takes the client's next request."""
    async with proxied(settings(), upstream) as proxy:
        await check_late(proxy, await post(proxy, STUCK, stream=stream))
        await until(lambda: work.ended == 1)
        assert (await post(proxy, "Hello.")).status == 200

    assert work.begun == 1
    assert len(upstream.calls) == 1


async def test_a_request_that_waits_for_a_thread(upstream: ScriptedUpstream, work: Work) -> None:
    """A request whose deadline ends while it waits for a thread leaves the queue, and reaches no provider."""
    async with proxied(settings(), upstream) as proxy:
        first, second = post(proxy, STUCK), post(proxy, STUCK)
        await until(lambda: THREADS.waiting == 1)
        await first
        await check_late(proxy, await second, outcomes=2)
        await until(lambda: work.ended == work.begun)

    assert upstream.calls == []


async def test_a_client_that_leaves_frees_the_queue(upstream: ScriptedUpstream, work: Work) -> None:
    """When clients leave, both their waiting requests and the one in the thread end."""
    async with proxied(settings(timeout=600), upstream) as proxy:
        tasks = [post(proxy, STUCK) for _ in range(3)]
        await until(lambda: THREADS.waiting == 2)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await proxy.idle()
        await until(lambda: work.ended == work.begun)
        assert await proxy.count("offload_waiting") == 0
        assert (await post(proxy, "Hello.")).status == 200

    assert work.begun < 3  # the thread may take the second before its connection is seen to close


async def test_the_work_of_another_client_goes_first(upstream: ScriptedUpstream, work: Work) -> None:
    """A client with many stuck requests holds only one thread, and other clients are served meanwhile."""
    async with proxied(settings(timeout=600, keys=KEYS), upstream) as proxy:
        stuck = [post(proxy, STUCK, "ann") for _ in range(4)]
        await until(lambda: THREADS.waiting == 3)
        for key in ("bob", "cid", "bob"):
            assert (await post(proxy, "Hello.", key)).status == 200
        assert (work.begun, THREADS.waiting) == (1, 3)
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)
        await proxy.idle()


async def test_work_in_a_thread_is_told_to_stop_at_the_cut(upstream: ScriptedUpstream, work: Work) -> None:
    """At the end of a shutdown's grace period the client gets a 503, and the work in the thread ends."""
    async with proxied(settings(timeout=600), upstream) as proxy:
        task = post(proxy, STUCK)
        await until(lambda: work.begun == 1)
        proxy.server.gateway.lifecycle.cut_off()
        reply = await task
        await until(lambda: work.ended == 1)

    assert (reply.status, reply.error["code"]) == (503, "overloaded")


async def test_a_body_that_does_not_come(upstream: ScriptedUpstream) -> None:
    """The deadline ends the wait for a body before the body's own limit of two minutes."""

    async def slowly() -> AsyncIterator[bytes]:
        yield b'{"model":'
        await asyncio.sleep(60)

    async with proxied(settings(), upstream) as proxy:
        await check_late(proxy, await proxy.post(slowly()))


@pytest.mark.parametrize("path", ["/ui/api/look", "/ui/api/verdicts"])
async def test_a_body_for_the_inspector_that_does_not_come(upstream: ScriptedUpstream, path: str) -> None:
    """The inspector's paths have the same deadline, and a shutdown ends their requests with a 503."""

    async def slowly() -> AsyncIterator[bytes]:
        yield b'{"request":'
        await asyncio.sleep(60)

    async with proxied(settings(), upstream) as proxy:
        late = await proxy.post(slowly(), path)
        assert (late.status, late.error["code"], late.error["message"]) == (504, "deadline_exceeded", WORDS)
        await proxy.idle()

    async with proxied(settings(timeout=600), upstream) as proxy:
        task = asyncio.get_running_loop().create_task(proxy.post(slowly(), path))
        await until(lambda: bool(proxy.server.gateway.lifecycle.in_flight))
        proxy.server.gateway.lifecycle.cut_off()
        assert (await task).status == 503


async def test_an_upstream_that_does_not_start(upstream: ScriptedUpstream) -> None:
    """A request that waits for the upstream's start ends at the deadline."""
    async with proxied(settings(), upstream) as proxy:
        upstream.may_start.clear()
        reply = await post(proxy, "Hello.")
        upstream.may_start.set()
        await check_late(proxy, reply)


async def test_an_attempt_says_more_than_the_deadline(upstream: ScriptedUpstream) -> None:
    """A wait for a provider ends with ``upstream_timeout``, not with the deadline's error."""
    upstream.then(HANG)
    async with proxied(settings(), upstream) as proxy:
        reply = await post(proxy, "Hello.")
    assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")


async def test_a_stream_that_has_begun_ends_as_before(upstream: ScriptedUpstream) -> None:
    """A stream that has begun ends with the attempt's error, since its answer began in time."""
    upstream.then(say("Good "), HANG)
    async with proxied(settings(), upstream) as proxy:
        reply = await post(proxy, "Hello.", stream=True)
    assert reply.status == 200
    assert [event["error"]["code"] for event in reply.events if "error" in event] == ["upstream_timeout"]


async def test_a_stream_that_holds_comments_alone(
    upstream: ScriptedUpstream, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream that has sent only keep-alive comments gets the deadline's error as its only event."""
    monkeypatch.setattr(event_stream, "HOLD_S", 0.05)
    monkeypatch.setattr(event_stream, "KEEP_ALIVE_S", 0.05)
    async with proxied(settings(), upstream) as proxy:
        reply = await post(proxy, STUCK, stream=True)
        await proxy.idle()
        counted = await proxy.count("requests_total", outcome="deadline_exceeded")

    assert reply.status == 200
    assert reply.raw.startswith(OPENAI_CHAT.keep_alive)
    said = events_of(reply.raw.replace(OPENAI_CHAT.keep_alive, b""))
    assert [event["error"]["message"] for event in said] == [WORDS]
    assert counted == 1


async def test_the_end_of_a_stream_has_a_limit_of_its_own(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a stream reaches the client whole, even after the request's deadline."""
    end = event_stream.EventStream.end

    async def slowly(self: event_stream.EventStream, last: bytes, until: float) -> None:
        await asyncio.sleep(TIMEOUT + 1)
        await end(self, last, until)

    monkeypatch.setattr(event_stream.EventStream, "end", slowly)
    async with proxied(settings(), upstream) as proxy:
        reply = await post(proxy, "Hello.", stream=True)
    assert (reply.status, reply.events[-1]) == (200, "[DONE]")


@pytest.mark.parametrize(
    ("path", "client_format", "body"),
    [
        ("embeddings", openai_text.OpenAIEmbeddings, {"input": [[1]] * 5}),
        ("completions", openai_text.OpenAICompletions, {"prompt": "Once"}),
    ],
)
async def test_other_paths_end_in_time_as_well(
    upstream: ScriptedUpstream,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    client_format: type[object],
    body: dict[str, Any],
) -> None:
    """Embeddings and completions are parsed in a worker thread, and the deadline ends that work."""
    ended = threading.Event()

    def never(*_: object, **__: object) -> None:
        try:
            while True:
                spend()
        finally:
            ended.set()

    monkeypatch.setattr(offload, "LARGE", 10)
    monkeypatch.setattr(client_format, "read_request", staticmethod(never))
    monkeypatch.setattr(offload, "_MIN_STEPS", 10**12)
    async with proxied(settings(), upstream) as proxy:
        await check_late(proxy, await proxy.post({"model": MODEL, **body}, f"/v1/{path}"))
        await until(ended.is_set)


async def test_too_much_work_is_told_and_not_tried_elsewhere(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request with too much work is a 400, and no other deployment is tried.

    Another deployment would need as many steps of work.
    """
    planned = 0

    def endless(*_: object, **__: object) -> None:
        nonlocal planned
        planned += 1
        while True:
            spend()

    monkeypatch.setattr(offload, "LARGE", 10)
    monkeypatch.setattr(chat_planning, "plan_request", endless)
    models = {MODEL: "gemini/gemini-3.6-flash", "other": "openai/gpt-4.1"}
    fallbacks = settings_of(models, router_settings={"fallbacks": [{MODEL: ["other"]}], "num_retries": 2})
    async with proxied(fallbacks, upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": [user("Hello.")]})
        counted = await proxy.count("requests_total", outcome="too_much_work")

    assert (reply.status, reply.error["code"], reply.error["type"]) == (
        400,
        "too_much_work",
        "invalid_request_error",
    )
    assert (planned, counted) == (1, 1)
    assert reply.headers["x-should-retry"] == "false"
