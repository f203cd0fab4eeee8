"""What a look may cost: its size, its time, how many are held at once, and what a shutdown waits for."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from proxy.core.errors import Overloaded
from proxy.inspector import routes
from proxy.inspector import worker_thread as run_in_worker
from proxy.inspector.worker_thread import LARGEST_MIB, MAX_MESSAGES, InspectionPlaces
from tests.support.builders import user
from tests.support.proxied import Reply, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

PATHS = ("/ui/api/look", "/ui/api/verdicts")
CLIENT = "key:one"
ASKED = {"request": [user("Hello.")]}


@pytest.mark.parametrize("path", PATHS)
async def test_body_over_the_inspectors_limit_is_refused(upstream: ScriptedUpstream, path: str) -> None:
    """More than is looked at is refused, whether the body says so before it comes or not."""
    large = b'{"request":[{"role":"user","content":"' + b"x" * LARGEST_MIB * 2**20 + b'"}]}'

    async def in_pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(large), 2**16):
            yield large[at : at + 2**16]

    async with proxied(settings_of(), upstream) as proxy:
        said = await proxy.request("POST", path, data=io.BytesIO(large))
        unsaid = await proxy.request("POST", path, data=in_pieces())
        fits = await proxy.request("POST", path, data=io.BytesIO(large.replace(b"x" * 2**10, b"", 1)))

    for reply in (said, unsaid):
        assert (reply.status, reply.error["code"]) == (413, "body_too_large")
        assert reply.error["message"] == "The inspector looks at 2 MiB at most."
    assert fits.status == 200


@pytest.mark.parametrize("path", PATHS)
async def test_history_with_too_many_messages_is_refused(upstream: ScriptedUpstream, path: str) -> None:
    """A message costs what it costs however short it is, so they are counted."""
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post({"request": [user("")] * (MAX_MESSAGES + 1)}, path)

    assert (reply.status, reply.error["code"], reply.error["param"]) == (
        413,
        "body_too_large",
        "request.messages",
    )
    assert "12,000 messages at most; this history has 12,001" in reply.error["message"]


async def test_two_inspections_run_and_too_many_waiting_are_refused() -> None:
    """Two are held, whoever comes then waits for one of them to end, and too many do not even wait."""
    seats, leave, sitting = InspectionPlaces(), asyncio.Event(), 0

    async def sit() -> None:
        nonlocal sitting
        async with seats.hold(CLIENT):
            sitting += 1
            await leave.wait()

    tasks = [asyncio.ensure_future(sit()) for _ in range(18)]
    await asyncio.sleep(0.01)
    assert sitting == 2
    with pytest.raises(Overloaded, match="Too many wait"):
        await sit()

    leave.set()
    await asyncio.gather(*tasks)
    await sit()
    assert sitting == 19


async def test_seats_are_shared() -> None:
    """One client may have both while nobody else waits; then the next one is the other's, however late."""
    seats, order = InspectionPlaces(), []
    leave = {name: asyncio.Event() for name in ("first", "second", "own", "other")}

    async def sit(client: str, name: str) -> None:
        async with seats.hold(client):
            order.append(name)
            await leave[name].wait()

    async def turn() -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for client, name in (("a", "first"), ("a", "second"), ("a", "own"), ("b", "other")):
            group.create_task(sit(client, name))
        await turn()
        assert order == ["first", "second"]
        leave["first"].set()
        await turn()
        assert order == ["first", "second", "other"]
        for event in leave.values():
            event.set()

    assert order == ["first", "second", "other", "own"]


async def test_room_to_wait_is_shared() -> None:
    """A client that fills it gives way to another: the newest that waits is refused, and not the newcomer."""
    seats, leave, refused, sat = InspectionPlaces(), asyncio.Event(), [], []

    async def sit(client: str, number: int) -> None:
        try:
            async with seats.hold(client):
                sat.append((client, number))
                await leave.wait()
        except Overloaded as error:
            refused.append((client, number, error.message))

    async with asyncio.TaskGroup() as group:
        for number in range(18):
            group.create_task(sit("a", number))
        for number in range(2):
            group.create_task(sit("b", number))
        await asyncio.sleep(0.01)
        assert [one[:2] for one in refused] == [("a", 17), ("a", 16)]
        assert {words for *_, words in refused} == {"Too many wait for the inspector; try again."}
        leave.set()

    assert len(sat) == 18
    assert {one for one in sat if one[0] == "b"} == {("b", 0), ("b", 1)}


async def test_inspection_frees_its_place_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it waits or is worked on, it ends, and its seat is free again."""
    monkeypatch.setattr(run_in_worker, "LONGEST_S", 0.02)
    seats, ended = InspectionPlaces(), []

    async def sit() -> None:
        try:
            async with seats.hold(CLIENT):
                await asyncio.sleep(10)
        except Overloaded as error:
            ended.append(error)

    await asyncio.gather(*(sit() for _ in range(3)))
    async with seats.hold(CLIENT):
        pass

    assert [error.headers for error in ended] == [{"Retry-After": "5"}] * 3
    assert "not done within" in ended[0].message


async def test_work_of_who_has_gone() -> None:
    """What waits for the thread when nobody waits for it any more is not begun."""
    busy, done = threading.Event(), []
    first = asyncio.ensure_future(run_in_worker.run_in_worker(busy.wait))
    second = asyncio.ensure_future(run_in_worker.run_in_worker(lambda: done.append(1)))
    await asyncio.sleep(0.01)
    second.cancel()
    await asyncio.sleep(0)
    busy.set()
    await first
    await run_in_worker.run_in_worker(lambda: done.append(2))

    assert done == [2]


@pytest.mark.parametrize(("path", "work"), [(PATHS[0], "inspect_request"), (PATHS[1], "verdict_row")])
async def test_shutdown_waits_for_the_running_inspection_alone(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, path: str, work: str
) -> None:
    """It waits for a look; for the verdict that is being worked on, and not for those behind it."""
    real, begun, go, count = getattr(routes, work), threading.Event(), threading.Event(), 0

    def slow(*given: Any, **named: Any) -> Any:
        nonlocal count
        count += 1
        begun.set()
        go.wait(10)
        return real(*given, **named)

    monkeypatch.setattr(routes, work, slow)
    async with proxied(settings_of(), upstream) as proxy:
        lifecycle = proxy.server.gateway.lifecycle
        asked: asyncio.Task[Reply] = asyncio.ensure_future(proxy.post(ASKED, path))
        await asyncio.to_thread(begun.wait, 10)
        working = len(lifecycle.in_flight)
        lifecycle.draining = True
        go.set()
        reply = await asked
        after = len(lifecycle.in_flight)

    assert (working, after, count) == (1, 0, 1)
    assert reply.status == (200 if work == "inspect_request" else 503)
