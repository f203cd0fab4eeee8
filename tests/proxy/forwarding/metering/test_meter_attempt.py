"""Tests that each attempt is charged with what it used, whatever became of its answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from proxy.config.pools import resolve
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.offload import LARGE
from proxy.forwarding.limits.plan_size import PlanSize
from proxy.forwarding.metering.meter_attempt import EndedAttempt, meter_attempt
from proxy.forwarding.metering.request_meter import RequestMeter
from proxy.forwarding.metering.used_by_attempt import AttemptUse
from proxy.observability.request_record import RequestRecord
from proxy.state.lessons import DeploymentLessons, no_lessons
from proxy.upstream.select_transport import SelectingUpstream
from sanitizers.budget.estimate import count_text
from sanitizers.budget.find_family import family_of
from tests.proxy.forwarding.attempting import BOTH, refused
from tests.proxy.forwarding.limits.keyed import (
    ANSWERED,
    INPUT,
    KEY,
    OTHER,
    OUTPUT,
    PRICED,
    ask,
    keyed,
    keyed_settings,
    sent_by,
    spent,
)
from tests.proxy.forwarding.metering.pausing_provider import PausingProvider, Then, answering, pausing
from tests.support.builders import user
from tests.support.proxied import CHAT, Proxied, chat, proxied
from tests.support.scripted_upstream import HANG, STOP, ScriptedUpstream, answer, chunk, say

WORDS = "The tide turns at nine, and the boats come home. " * 20
BUDGET = {"max_budget": 5.0}
PROMPT = chat(model="m")["messages"]


def written(text: str, model: str = PRICED) -> int:
    """Return the tokens of *text*, rounded up."""
    return -int(-count_text(text, family_of(model)) // 1)


async def leave(proxy: Proxied, path: str = CHAT, events: int = 1, **fields: Any) -> None:
    """Ask for a stream, leave after some *events*, and wait for the end of the request."""
    body = {**chat(model="m", stream=True), **fields}
    async with proxy.session.post(f"{proxy.origin}{path}", json=body, headers=sent_by()) as response:
        assert response.status == 200
        for _ in range(2 * events - 1):  # an empty line follows each event
            await response.content.readline()
    await proxy.idle()


LEFT: dict[str, Sequence[dict[str, Any]]] = {
    "text": [say(WORDS)],
    "reasoning": [chunk({"reasoning_content": WORDS}), say("")],
    "pieces": [say(word + " ") for word in WORDS.split()],
    "calls": [
        chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": WORDS}}]}),
    ],
}


@pytest.mark.parametrize("steps", LEFT.values(), ids=LEFT)
async def test_text_that_came_before_the_client_left_is_estimated(
    upstream: ScriptedUpstream, steps: Sequence[dict[str, Any]]
) -> None:
    upstream.then(say("!"), *steps, HANG)
    async with keyed(BUDGET, upstream) as proxy:
        await leave(proxy, events=len(steps))
        totals = spent(proxy)

        assert totals.spent_nano == totals.estimated_nano
        prompt = totals.tokens - (totals.spent_nano - totals.tokens * INPUT) // (OUTPUT - INPUT)
        assert 1 < prompt < 20
        assert abs(totals.tokens - prompt - written(WORDS)) <= 12
        assert await proxy.count("spend_usd_total", exactness="estimated") == totals.spent_nano / 10**9
        assert await proxy.count("spend_usd_total", exactness="exact") == 0


async def test_report_in_mid_stream_counts_and_later_text_is_added(upstream: ScriptedUpstream) -> None:
    """Some servers report usage in each chunk. Only the text after the last report is estimated."""
    usage = {"prompt_tokens": 40, "completion_tokens": 5, "total_tokens": 45}
    upstream.then(say("Before. " * 30), chunk({"content": "So far."}, usage=usage), say(WORDS), HANG)
    async with keyed(BUDGET, upstream) as proxy:
        await leave(proxy)
        totals = spent(proxy)

    assert totals.estimated_nano == totals.spent_nano == 40 * INPUT + (5 + written(WORDS)) * OUTPUT


async def test_zeros_before_the_end_are_no_report(upstream: ScriptedUpstream) -> None:
    zeros = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    upstream.then(chunk({"content": WORDS}, usage=zeros), HANG)
    async with keyed(BUDGET, upstream) as proxy:
        await leave(proxy)

    assert spent(proxy).spent_nano > written(WORDS) * OUTPUT


async def test_client_that_leaves_after_the_report_is_charged_exactly(upstream: ScriptedUpstream) -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 5, "total_tokens": 45}
    upstream.then(say("All of it."), {**STOP, "usage": usage}, HANG)
    async with keyed(BUDGET, upstream) as proxy:
        await leave(proxy)
        totals = spent(proxy)

    assert (totals.spent_nano, totals.estimated_nano) == (40 * INPUT + 5 * OUTPUT, 0)


@BOTH
async def test_an_explicit_zero_is_a_report(upstream: ScriptedUpstream, stream: bool) -> None:
    zeros = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    upstream.then(
        *([say(WORDS), {**STOP, "usage": zeros}] if stream else [{**answer(WORDS), "usage": zeros}])
    )
    async with keyed(BUDGET, upstream) as proxy:
        reply = await ask(proxy, stream=stream)

    assert reply.status == 200
    assert (spent(proxy).spent_nano, spent(proxy).tokens) == (0, 0)


@BOTH
async def test_good_answer_without_a_report_is_estimated(upstream: ScriptedUpstream, stream: bool) -> None:
    whole = answer(WORDS)
    del whole["usage"]
    upstream.then(*([say(WORDS), STOP] if stream else [whole]))
    async with keyed(BUDGET, upstream) as proxy:
        assert (await ask(proxy, stream=stream)).status == 200
        totals = spent(proxy)

    assert totals.estimated_nano == totals.spent_nano > written(WORDS) * OUTPUT


BILLED: dict[str, dict[str, Any]] = {
    "empty": {**answer(), "choices": []},
    "reasoning alone": answer(None, reasoning_content="So."),
    "call that cannot be read": answer(
        None, tool_calls=[{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{"}}]
    ),
}


@pytest.mark.parametrize("useless", BILLED.values(), ids=BILLED)
async def test_answer_that_is_no_use_is_charged(upstream: ScriptedUpstream, useless: dict[str, Any]) -> None:
    """Two attempts were made and billed. The header of the answer has the cost of both."""
    upstream.then(useless)
    async with keyed(BUDGET, upstream, router_settings={"num_retries": 1}) as proxy:
        reply = await ask(proxy, tools=[{"type": "function", "function": {"name": "f"}}])

        assert reply.headers["x-turnright-attempts"] == "2"
        assert reply.headers["x-turnright-cost"] == f"{2 * ANSWERED / 10**9:.9f}".rstrip("0")
        assert spent(proxy).spent_nano == 2 * ANSWERED


@BOTH
async def test_refused_call_costs_nothing(upstream: ScriptedUpstream, stream: bool) -> None:
    upstream.then(refused(429))
    async with keyed(BUDGET, upstream) as proxy:
        assert (await ask(proxy, stream=stream)).status == 429

    assert (spent(proxy).spent_nano, spent(proxy).tokens) == (0, 0)


@BOTH
async def test_timed_out_attempt_is_charged_with_its_prompt(upstream: ScriptedUpstream, stream: bool) -> None:
    """The provider was at work, and nobody says for how long."""
    upstream.then(HANG)
    async with keyed(BUDGET, upstream, router_settings={"timeout": 0.2}) as proxy:
        assert (await ask(proxy, stream=stream)).status in (200, 504)
        totals = spent(proxy)

    assert 0 < totals.estimated_nano == totals.spent_nano < 20 * INPUT


async def test_prompt_of_a_key_without_limits_is_estimated_only_for_a_price(
    upstream: ScriptedUpstream,
) -> None:
    """No number is needed of a model without a price, so nobody counts its prompt."""
    for _ in range(2):
        upstream.then(say(WORDS), HANG)
    models = {"m": PRICED, "free": "openai/nobody-sells-this"}
    async with proxied(keyed_settings(BUDGET, models), upstream) as proxy:
        for model in models:
            body = chat(model=model, stream=True)
            headers = sent_by(OTHER)
            async with proxy.session.post(f"{proxy.origin}{CHAT}", json=body, headers=headers) as response:
                await response.content.readline()
            await proxy.idle()
        totals = spent(proxy, OTHER)

        assert totals.spent_nano == totals.estimated_nano > written(WORDS) * OUTPUT
        assert totals.tokens == pytest.approx(written(WORDS), abs=20), "the free one was not counted"


async def test_every_part_of_a_failed_request_for_embeddings_is_charged(upstream: ScriptedUpstream) -> None:
    """Gemini takes 100 texts in a call. The second call fails, and the first was billed."""
    vectors = {"data": [{"index": at, "embedding": [0.5]} for at in range(100)]}
    upstream.then({**vectors, "usage": {"prompt_tokens": 960, "total_tokens": 960}})
    upstream.then({"data": [], "usage": {"prompt_tokens": 4, "total_tokens": 4}})
    models = {"m": {"model": "gemini/gemini-embedding-001", "api_key": "x"}}
    body = {"model": "m", "input": ["word"] * 120}
    async with proxied(keyed_settings(BUDGET, models), upstream) as proxy:
        reply = await proxy.post(body, "/v1/embeddings", sent_by())
        totals = spent(proxy)

    assert reply.status != 200
    assert (totals.spent_nano, totals.estimated_nano, totals.tokens) == (964 * 150, 0, 964)


async def test_text_completion_is_asked_for_usage_and_charged(upstream: ScriptedUpstream) -> None:
    """A client that asks for no usage gets none."""
    text = {"choices": [{"index": 0, "text": "x" * 40, "finish_reason": "stop"}]}
    upstream.then({**text, "usage": {"prompt_tokens": 3, "completion_tokens": 9, "total_tokens": 12}})
    async with keyed(BUDGET, upstream) as proxy:
        body = {"model": "m", "prompt": "Once", "stream": True}
        reply = await proxy.post(body, "/v1/completions", sent_by())

    assert upstream.plain_calls[0].ask_usage
    assert all("usage" not in event for event in reply.events if event != "[DONE]")
    assert spent(proxy).spent_nano == 3 * INPUT + 9 * OUTPUT


async def test_text_completion_that_the_client_left_is_estimated(upstream: ScriptedUpstream) -> None:
    text = {"choices": [{"index": 0, "text": WORDS, "finish_reason": None}]}
    upstream.then(text, HANG)
    async with keyed(BUDGET, upstream) as proxy:
        await leave(proxy, "/v1/completions", prompt="Once", messages=None)
        totals = spent(proxy)

    assert totals.estimated_nano == totals.spent_nano > written(WORDS) * OUTPUT


CLAUDE, FLASH = "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-flash"
START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [],
        "usage": {"input_tokens": 1_000, "cache_read_input_tokens": 500, "output_tokens": 1},
    },
}
BLOCK = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
PIECE = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": WORDS}}
EVENT = {
    "candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": WORDS}]}}],
    "usageMetadata": {"promptTokenCount": 80, "candidatesTokenCount": 33, "totalTokenCount": 113},
}
MESSAGE = {"max_tokens": 9_000, "messages": [user("Once")], "model": "m", "stream": True}
CONTENTS = {"contents": [{"role": "user", "parts": [{"text": "Once"}]}]}
SONNET, SONNET_CACHED, SONNET_OUTPUT = 3_000, 300, 15_000
FLASH_INPUT, FLASH_OUTPUT = 300, 2_500
AS_MESSAGES = ("/v1/messages", MESSAGE)
AS_CONTENTS = ("/v1beta/models/m:streamGenerateContent?alt=sse", CONTENTS)
AS_CHAT = (CHAT, chat(model="m", stream=True))

SAID_BEFORE = 1_000 * SONNET + 500 * SONNET_CACHED
BROKEN: dict[str, tuple[str, Sequence[Mapping[str, Any]], tuple[str, dict[str, Any]], int]] = {
    "the first event": (
        CLAUDE,
        (START, BLOCK, PIECE),
        AS_CHAT,
        SAID_BEFORE + written(WORDS, CLAUDE) * SONNET_OUTPUT,
    ),
    "the first event, as it came": (
        CLAUDE,
        (START, BLOCK, PIECE),
        AS_MESSAGES,
        SAID_BEFORE + written(WORDS, CLAUDE) * SONNET_OUTPUT,
    ),
    "each event": (FLASH, (EVENT,), AS_CHAT, 80 * FLASH_INPUT + 33 * FLASH_OUTPUT),
    "each event, as it came": (FLASH, (EVENT,), AS_CONTENTS, 80 * FLASH_INPUT + 33 * FLASH_OUTPUT),
}


@pytest.mark.parametrize("then", ["wait", "break"])
@pytest.mark.parametrize(("model", "events", "asked", "cost"), BROKEN.values(), ids=BROKEN)
async def test_what_the_provider_said_before_its_answer_broke_off_is_charged(
    model: str,
    events: Sequence[Mapping[str, Any]],
    asked: tuple[str, dict[str, Any]],
    cost: int,
    then: Then,
) -> None:
    """Anthropic counts the prompt in its first event. Gemini counts prompt and answer in each event."""
    async with pausing(*events, then=then) as provider, _serving(model, provider) as proxy:
        path, body = asked
        async with proxy.session.post(proxy.origin + path, json=body, headers=sent_by()) as response:
            assert response.status == 200
            await response.content.readline()
        await proxy.idle()
        totals = spent(proxy)

    assert (totals.spent_nano, totals.estimated_nano) == (cost, cost)


async def test_answer_that_gemini_spoiled_is_charged_by_its_usage() -> None:
    """The answer of status 200 holds a call that cannot be read. Google bills for it."""
    spoiled = {
        "candidates": [{"index": 0, "content": {}, "finishReason": "MALFORMED_FUNCTION_CALL"}],
        "usageMetadata": {"promptTokenCount": 80, "candidatesTokenCount": 33, "totalTokenCount": 113},
    }
    async with answering(spoiled) as provider, _serving(FLASH, provider) as proxy:
        reply = await ask(proxy)
        totals = spent(proxy)

    assert reply.status == 502
    assert (totals.spent_nano, totals.estimated_nano) == (80 * FLASH_INPUT + 33 * FLASH_OUTPUT, 0)


@pytest.mark.parametrize("error", [asyncio.CancelledError(), UpstreamFault("Broken.", cause=Cause.TRUNCATED)])
async def test_charge_is_not_lost_where_the_request_is_cancelled_while_it_is_counted(
    error: BaseException,
) -> None:
    """A large prompt is counted in a worker thread. The cancellation goes on, so that nobody retries for it."""
    may_end, began = threading.Event(), threading.Event()

    def count(_: DeploymentLessons) -> int:
        began.set()
        may_end.wait(30)
        return 7

    record = RequestRecord("req", CHAT, 0.0)
    meter, [deployment] = RequestMeter(record), resolve(keyed_settings({}), "m")
    size, lessons = PlanSize(2 * LARGE, count, None), no_lessons(deployment)
    ended = EndedAttempt(deployment, AttemptUse(), error, lambda: size, lambda: lessons)
    task = asyncio.ensure_future(meter_attempt(ended, meter))
    await asyncio.to_thread(began.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    may_end.set()

    [charge] = meter.charges
    assert (charge.tokens_in, charge.tokens_out, charge.exactness) == (2 * LARGE // 4, 0, "estimated")
    assert record.cost_nano == 2 * LARGE // 4 * INPUT


def _serving(model: str, provider: PausingProvider) -> Any:
    """Serve *model* of *provider* on the direct transport, to the key with a budget."""
    models = {"m": {"model": model, "api_base": provider.url, "api_key": "x"}}
    settings = keyed_settings(BUDGET, models)
    return proxied(settings, SelectingUpstream.for_settings(settings))


def test_key_of_the_tests_has_a_budget() -> None:
    """The limited key is the one that all tests send."""
    assert sent_by() == sent_by(KEY)
