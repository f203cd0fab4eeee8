"""Tests that a gateway gets case after case, and that the measurement stops if the gateway cannot be asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from proxy.cli.measure_gateway import MAX_SILENT, CannotAsk, Gateway, measure, wait_for_gateway
from proxy.conformance.case import Case
from proxy.conformance.judge import Verdict
from proxy.emulator.journal import Entry
from tests.proxy.conformance.builders import case_of
from tests.support.builders import user

KEY = "sk-never-shown-0123456789"
CASES: tuple[Case, ...] = tuple(
    replace(case_of(user(f"Question {number}."), texts=(f"Question {number}.",)), id=f"x{number}")
    for number in range(6)
)

Answering = Callable[[dict[str, Any], list[Entry]], Awaitable[web.Response]]


@asynccontextmanager
async def gateway_that(answers: Answering, *, seconds: float = 5.0) -> AsyncIterator[tuple[Gateway, Any]]:
    """Serve a gateway that answers by *answers*.

    Yield it with its state: arrivals (``journal``), bodies (``asked``) and ``keys``.
    """
    state: dict[str, list[Any]] = {"journal": [], "asked": [], "keys": []}

    async def chat(request: web.Request) -> web.Response:
        body = await request.json()
        state["asked"].append(body)
        state["keys"].append(request.headers.get("Authorization"))
        return await answers(body, state["journal"])

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        address = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield Gateway(address, "m", KEY, seconds), state
    finally:
        await runner.cleanup()


def entry(texts: list[str], status: int = 200) -> Entry:
    """Return the journal entry of a request that arrived at the emulator with these texts."""
    parts = ", ".join(f'{{"text": "{text}"}}' for text in texts)
    body = f'{{"contents": [{{"parts": [{parts}]}}]}}'.encode()
    return Entry("POST", "/v1beta", "gemini-3.6-flash", False, body, status)


async def passes_on(body: dict[str, Any], journal: list[Entry]) -> web.Response:
    """Answer as a gateway that lets the history arrive at the emulator unchanged."""
    journal.append(entry([message["content"] for message in body["messages"]]))
    return web.json_response({"choices": []})


async def measured(answers: Answering, **options: Any) -> tuple[list[Verdict], Any]:
    """Return the verdicts on the cases, and the gateway's state."""
    async with gateway_that(answers, **options) as (gateway, state):
        outcomes = await measure(gateway, CASES, lambda: state["journal"], "r1")
    assert [outcome.id for outcome in outcomes] == [case.id for case in CASES]
    return [outcome.verdict for outcome in outcomes], state


async def refused(answers: Answering, **options: Any) -> tuple[str, Any]:
    """Return the reason why the gateway cannot be asked, and its state."""
    async with gateway_that(answers, **options) as (gateway, state):
        with pytest.raises(CannotAsk) as fault:
            await measure(gateway, CASES, lambda: state["journal"], "r1")
    assert KEY not in str(fault.value)
    return str(fault.value), state


async def test_each_case_is_asked_once_with_the_model_and_the_key() -> None:
    verdicts, state = await measured(passes_on)

    assert verdicts == [Verdict.HOLDS] * len(CASES)
    assert [body["model"] for body in state["asked"]] == ["m"] * len(CASES)
    assert state["keys"] == [f"Bearer {KEY}"] * len(CASES)


async def test_request_that_arrives_after_its_answer_belongs_to_its_case() -> None:
    """A request is assigned to its case by the marker and not by the order.

    A gateway may send it on after its answer.
    """
    kept: list[list[Entry]] = []

    async def late(body: dict[str, Any], journal: list[Entry]) -> web.Response:
        if "Question 0." in str(body):
            return await passes_on(body, journal)
        kept.append([])
        await passes_on(body, kept[-1])
        if len(kept) == len(CASES) - 1:
            journal += [one for held in reversed(kept) for one in held]
        return web.json_response({})

    verdicts, _ = await measured(late)

    assert verdicts == [Verdict.HOLDS] * len(CASES)


async def test_gateway_that_refuses_one_case_is_asked_for_the_others() -> None:
    async def picky(body: dict[str, Any], journal: list[Entry]) -> web.Response:
        if "Question 2." in str(body):
            return web.json_response({"error": {"message": "I do not like it"}}, status=400)
        return await passes_on(body, journal)

    verdicts, _ = await measured(picky)

    assert verdicts == [
        Verdict.HOLDS,
        Verdict.HOLDS,
        Verdict.GATEWAY_REFUSED,
        *[Verdict.HOLDS] * (len(CASES) - 3),
    ]


async def test_gateway_with_another_provider_is_asked_once() -> None:
    """A gateway whose first request does not arrive at the emulator gets no second request."""

    async def elsewhere(body: dict[str, Any], journal: list[Entry]) -> web.Response:
        return web.json_response({"choices": []})

    why, state = await refused(elsewhere)

    assert "nothing arrived at the emulator" in why
    assert "answered 200" in why
    assert len(state["asked"]) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500])
async def test_first_request_that_the_gateway_refuses_ends_the_command(status: int) -> None:
    """A refused first request ends the measurement. The reason has the gateway's status and words, without the key."""

    async def refuses(body: dict[str, Any], journal: list[Entry]) -> web.Response:
        return web.json_response({"error": {"message": f"no {KEY}"}}, status=status)

    why, state = await refused(refuses)

    assert why.endswith(f"answered {status}: no ***")
    assert len(state["asked"]) == 1


@pytest.mark.parametrize("status", [401, 403, 429])
async def test_gateway_that_takes_no_more_requests_ends_the_command(status: int) -> None:
    """A gateway that refuses the key or the rate of a later request ends the measurement."""

    async def limited(body: dict[str, Any], journal: list[Entry]) -> web.Response:
        if "Question 2." in str(body):
            return web.json_response({"error": "enough"}, status=status)
        return await passes_on(body, journal)

    why, state = await refused(limited)

    assert why.endswith(f"answered {status}: enough")
    assert len(state["asked"]) == 3


async def test_gateway_that_falls_silent_ends_the_command() -> None:
    """After ``MAX_SILENT`` consecutive requests without an answer, the measurement ends."""

    async def silent(body: dict[str, Any], journal: list[Entry]) -> web.Response:
        response = await passes_on(body, journal)
        if "Question 0." not in str(body):
            await asyncio.sleep(60)
        return response

    why, state = await refused(silent, seconds=0.2)

    assert why == f"{MAX_SILENT} requests in a row were not answered: no answer in time"
    assert len(state["asked"]) == 1 + MAX_SILENT


async def test_gateway_that_is_not_there_does_not_answer() -> None:
    async with gateway_that(passes_on) as (gateway, _):
        pass

    with pytest.raises(CannotAsk, match="does not answer"):
        await measure(gateway, CASES, list, "r1")
    with pytest.raises(CannotAsk, match="does not answer"):
        await wait_for_gateway(gateway, 0.1)


async def test_gateway_is_up_as_soon_as_it_answers_with_any_status() -> None:
    """A gateway counts as started once it answers, even with status 404 to ``GET /v1/models``.

    No chat request is sent.
    """
    async with gateway_that(passes_on) as (gateway, state):
        await wait_for_gateway(gateway, 5)

    assert state["asked"] == []


async def test_without_a_key_no_authorization_is_sent() -> None:
    async with gateway_that(passes_on) as (gateway, state):
        await measure(replace(gateway, key=""), CASES[:1], lambda: state["journal"], "r1")

    assert state["keys"] == [None]
