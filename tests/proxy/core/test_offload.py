"""Tests of work on large bodies: its thread, its weight and its limit of steps."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable

import orjson
import pytest

from benchmarks.gateway.bodies import bodies, encode
from proxy.core.errors import InvalidRequest, TooMuchWork
from proxy.core.offload import (
    LARGE,
    MEDIUM,
    parse_weight,
    run_offloaded,
    shorten_switch_interval,
    start_offloaded,
    steps_of,
)
from proxy.ingress.openai_chat.read_request import parse_chat_request
from sanitizers import profile_for, sanitize
from sanitizers.work_limit import WorkLimit, limited_by, spend
from tests.support.builders import assistant, call, tool, user


@pytest.mark.parametrize(("size", "beside"), [(LARGE, False), (LARGE + 1, True)])
async def test_large_work_is_done_in_a_worker_thread(size: int, beside: bool) -> None:
    """Work above ``LARGE`` is done in a worker thread, and other work on the event loop."""
    here = threading.get_ident()
    assert (await run_offloaded(size, threading.get_ident) != here) == beside


@pytest.mark.parametrize("size", [1, LARGE + 1])
async def test_error_of_the_work_is_raised(size: int) -> None:
    """The caller gets the same error from a thread and from the event loop."""

    def fail() -> None:
        raise InvalidRequest("no")

    with pytest.raises(InvalidRequest):
        await run_offloaded(size, fail)


@pytest.mark.parametrize(("size", "turns"), [(MEDIUM, 0), (MEDIUM + 1, 1)])
async def test_event_loop_runs_after_a_step_of_medium_work(size: int, turns: int) -> None:
    """Medium work yields to the event loop once, and small work does not."""
    done: list[int] = []
    asyncio.get_running_loop().call_soon(done.append, 1)

    await run_offloaded(size, lambda: None)

    assert len(done) == turns


async def test_event_loop_runs_while_a_thread_works() -> None:
    """The event loop goes on running while a worker thread works."""
    turns = 0
    done = threading.Event()

    def work() -> bool:
        return done.wait(5)

    async def turn() -> None:
        nonlocal turns
        for _ in range(10):
            await asyncio.sleep(0)
            turns += 1
        done.set()

    waiting: Callable[[], bool] = work
    finished, _ = await asyncio.gather(run_offloaded(LARGE + 1, waiting), turn())
    assert finished
    assert turns == 10


def endless() -> None:
    """Spend steps without end."""
    while True:
        spend()


async def test_too_much_work_is_refused_with_its_limit() -> None:
    """Work beyond its limit raises ``TooMuchWork``, whose message has the number of steps.

    The status is that of a client error.
    """
    with pytest.raises(TooMuchWork, match=f"{steps_of(LARGE + 1):,} steps") as caught:
        await run_offloaded(LARGE + 1, endless)
    assert (caught.value.http_status, caught.value.code) == (400, "too_much_work")


async def test_unawaited_work_beyond_its_limit_is_dropped_silently() -> None:
    """Unawaited work beyond its limit gives no result and no error."""
    done: list[object] = []
    told: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: told.append(context))
    start_offloaded(MEDIUM + 1, endless, done.append)
    start_offloaded(MEDIUM + 1, lambda: "counted", done.append)
    async with asyncio.timeout(30):
        while not done:  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.01)
    assert (done, told) == (["counted"], [])


@pytest.mark.parametrize(
    ("element", "more"),
    [
        (b"{}", True),
        (b"[1]", True),
        (b'{"a":1}', True),
        (b'"a text of forty characters, or a few more"', False),
    ],
    ids=["objects", "arrays", "fields", "texts"],
)
def test_dense_bodies_weigh_more(element: bytes, more: bool) -> None:
    """Large bodies with many objects or arrays weigh more than their bytes. Small bodies weigh their bytes."""
    body = b"[" + b",".join([element] * (2 * LARGE // (len(element) + 1))) + b"]"
    short = body[: LARGE * 3 // 4]

    assert (parse_weight(body) > len(body)) == more
    assert parse_weight(short) == len(short)


def test_usual_body_weighs_its_bytes() -> None:
    """A usual body weighs its number of bytes."""
    for body in bodies().values():
        written = encode(body, model="m")
        assert parse_weight(written) == len(written)


def damaged(rounds: int, calls: int) -> bytes:
    """Return a request body with *rounds* rounds of *calls* calls each. Each round lacks one tool result."""
    history = [user("go")]
    for number in range(rounds):
        ids = [f"call_{number}_{at}" for at in range(calls)]
        history += [assistant(calls=[call(one) for one in ids]), *(tool(one, "done") for one in ids[1:])]
    return orjson.dumps({"model": "m", "messages": history})


@pytest.mark.long
@pytest.mark.parametrize("model", ["openai/gpt-4.1", "gemini/gemini-3.6-flash"])
@pytest.mark.parametrize(("rounds", "calls"), [(3_000, 1), (1_000, 5), (1, 5_000)])
def test_honest_work_takes_a_small_part_of_its_steps(rounds: int, calls: int, model: str) -> None:
    """Work on a damaged history takes at most a tenth of its limit of steps."""
    body = damaged(rounds, calls)
    limit = WorkLimit(10**9)
    with limited_by(limit):
        weight = parse_weight(body)
        chat = parse_chat_request(body, max_nesting=64, weight=weight)
        sanitize(chat.messages, profile_for(model), chat.outline)
    assert (10**9 - limit.left) * 10 < steps_of(chat.weight)


@pytest.mark.parametrize(
    "message",
    [
        assistant(calls=[call(f"c{number}") for number in range(5_000)]),
        assistant(calls=[call("same") for _ in range(5_000)]),
        user([{"type": "text", "text": "a"}] * 5_000),
    ],
    ids=["calls", "calls of one id", "parts"],
)
def test_many_calls_and_parts_are_large(message: dict[str, object]) -> None:
    """One message with 5,000 calls or parts counts as large work."""
    body = orjson.dumps({"model": "m", "messages": [user("go"), message]})
    assert parse_chat_request(body, max_nesting=64).weight > LARGE


def test_switch_interval_is_shortened() -> None:
    """The interpreter's switch interval is shortened, so the event loop waits less for worker threads."""
    before = sys.getswitchinterval()
    try:
        shorten_switch_interval()
        assert sys.getswitchinterval() == pytest.approx(0.0005)
    finally:
        sys.setswitchinterval(before)
