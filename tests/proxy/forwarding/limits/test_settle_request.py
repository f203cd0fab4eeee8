"""Tests that the end of a request charges what was used, once, however the request ends."""

from __future__ import annotations

import asyncio
import pkgutil
from typing import Any

import pytest

from proxy.core.charge import Charge
from proxy.forwarding.limits.settle_request import settle_request
from proxy.observability.request_record import RequestRecord
from proxy.server.app import create_gateway
from proxy.server.serve import drain
from proxy.state.limits.claims import Standing
from proxy.state.output_lengths import FIRST_OUTPUT
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
    left,
    sent_by,
    spent,
)
from tests.support.proxied import CHAT, chat
from tests.support.scripted_upstream import HANG, STOP, ScriptedUpstream, answer, say

LIMITS = {"rpm_limit": 100, "tpm_limit": 10_000, "max_parallel_requests": 1, "max_budget": 1.0}
SLOW = {**LIMITS, "rpm_limit": 4, "tpm_limit": 600}
"""Limits whose buckets refill slowly: a request in 15 seconds, and 150 tokens."""

USED = {"usage": {"prompt_tokens": 200, "completion_tokens": 100, "total_tokens": 300}}
REPORTED = {**STOP, **USED}


@BOTH
async def test_answer_is_charged_with_its_usage(upstream: ScriptedUpstream, stream: bool) -> None:
    """The bucket of tokens gets back what was claimed beyond the usage: it was claimed whole."""
    upstream.then(*([say("Good day."), REPORTED] if stream else [{**answer(), **USED}]))
    async with keyed(SLOW, upstream) as proxy:
        assert (await ask(proxy, stream=stream)).status == 200
        standing, totals = await left(proxy), spent(proxy)

    assert standing.remaining_requests == 3
    assert standing.remaining_tokens is not None
    assert 300 <= standing.remaining_tokens < 450
    cost = 200 * INPUT + 100 * OUTPUT
    assert (totals.spent_nano, totals.estimated_nano, totals.reserved_nano) == (cost, 0, 0)
    assert (totals.tokens, totals.requests) == (300, 1)


async def test_failed_request_frees_its_place_and_its_money(upstream: ScriptedUpstream) -> None:
    upstream.then(refused(503))
    async with keyed(SLOW, upstream) as proxy:
        assert (await ask(proxy)).status == 503
        standing, totals = await left(proxy), spent(proxy)

        assert (standing.remaining_requests, standing.remaining_tokens) == (3, 600)
        assert (totals.spent_nano, totals.reserved_nano, totals.requests) == (0, 0, 1)
        assert (await ask(proxy)).status == 200


async def test_every_attempt_is_charged(upstream: ScriptedUpstream) -> None:
    """An answer that was no use is billed like a good one."""
    empty = {**answer(), "choices": []}
    upstream.then(empty)
    async with keyed(LIMITS, upstream, router_settings={"num_retries": 1}) as proxy:
        assert (await ask(proxy)).status == 200

        assert (spent(proxy).spent_nano, spent(proxy).requests) == (2 * ANSWERED, 1)


async def test_client_that_leaves_is_charged_by_an_estimate(upstream: ScriptedUpstream) -> None:
    """The provider has read the prompt and has written a part of the answer. Nobody says how many tokens."""
    upstream.then(say("The tide turns at nine. " * 50), HANG)
    async with keyed(LIMITS, upstream) as proxy:
        body = chat(model="m", stream=True)
        async with proxy.session.post(f"{proxy.origin}{CHAT}", json=body, headers=sent_by()) as response:
            await response.content.readline()
        await proxy.idle()
        totals = spent(proxy)

        assert totals.reserved_nano == 0
        assert totals.spent_nano == totals.estimated_nano > 100 * OUTPUT
        assert (await ask(proxy)).status == 200


async def test_request_at_its_deadline_is_settled(upstream: ScriptedUpstream) -> None:
    upstream.then(HANG)
    async with keyed(LIMITS, upstream, router_settings={"timeout": 0.2}) as proxy:
        assert (await ask(proxy)).status == 504
        assert spent(proxy).reserved_nano == 0
        assert (await ask(proxy)).status == 200


async def test_request_that_a_shutdown_cuts_off_is_settled(upstream: ScriptedUpstream) -> None:
    upstream.then(say("Half"), HANG)
    general = {"drain_delay": 0, "drain_grace": 0}
    async with keyed(LIMITS, upstream, general_settings=general) as proxy:
        asked = asyncio.ensure_future(ask(proxy, stream=True))
        await upstream.called()
        await drain(proxy.server, proxy.server.gateway.settings)
        await asked

        assert spent(proxy).reserved_nano == 0
        assert spent(proxy).estimated_nano > 0


async def test_request_without_a_call_gives_back_all(upstream: ScriptedUpstream) -> None:
    """The only deployment is at the operator's limit, so nothing was sent and nothing is used."""
    entries = [{"model_name": "m", "litellm_params": {"model": PRICED, "rpm": 1}}]
    async with keyed(SLOW, upstream, model_list=entries) as proxy:
        assert (await ask(proxy, OTHER)).status == 200
        assert (await ask(proxy)).status == 429
        standing, totals = await left(proxy), spent(proxy)

    assert (standing.remaining_requests, standing.remaining_tokens) == (4, 600)
    assert (totals.spent_nano, totals.reserved_nano, totals.requests) == (0, 0, 0)


@pytest.mark.parametrize("key", [OTHER, ""])
async def test_spend_of_an_unlimited_key_is_counted(upstream: ScriptedUpstream, key: str) -> None:
    """The master key has an empty name."""
    headers = sent_by(OTHER) if key else {"Authorization": "Bearer sk-master-51b7"}
    async with keyed(LIMITS, upstream) as proxy:
        assert (await proxy.post(chat(model="m"), headers=headers)).status == 200

        assert (spent(proxy, key).spent_nano, spent(proxy, key).requests) == (ANSWERED, 1)
        assert spent(proxy).requests == 0


WRITTEN = {
    "stream": (CHAT, {"stream": True}, "proxy.forwarding.event_stream.EventStream.end"),
    "chat": (CHAT, {}, "proxy.forwarding.whole_answer.WholeAnswer.__init__"),
    "text": ("/v1/completions", {"prompt": "Once"}, "proxy.forwarding.whole_answer.WholeAnswer.__init__"),
}


@pytest.mark.parametrize(("path", "fields", "writes"), WRITTEN.values(), ids=WRITTEN)
async def test_place_is_free_before_the_answer_ends(
    upstream: ScriptedUpstream,
    path: str,
    fields: dict[str, Any],
    writes: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A client may send its next request as soon as it has the last bytes."""
    if "prompt" not in fields:
        upstream.then(*([say("Good"), REPORTED] if "stream" in fields else [answer()]))
    else:
        upstream.then({"choices": [{"index": 0, "text": "Good", "finish_reason": "stop"}], **USED})
    reserved: list[int] = []
    async with keyed(LIMITS, upstream) as proxy:
        owner, _, name = writes.rpartition(".")
        write = getattr(pkgutil.resolve_name(owner), name)

        def note(*arguments: Any) -> Any:
            reserved.append(spent(proxy).reserved_nano)
            return write(*arguments)

        monkeypatch.setattr(writes, note)
        assert (await ask(proxy, path=path, **fields)).status == 200

    assert reserved == [0]


async def test_lengths_of_answers_are_learned_for_limited_keys_alone(upstream: ScriptedUpstream) -> None:
    async with keyed(LIMITS, upstream) as proxy:
        for _ in range(10):
            await ask(proxy)
            await ask(proxy, OTHER)
        lengths = proxy.server.gateway.output_lengths

    assert lengths.find_usual(KEY, PRICED) == 3
    assert lengths.find_usual(OTHER, PRICED) == FIRST_OUTPUT


class _Admission:
    """An admission that records how it ended."""

    standing = Standing()

    def __init__(self) -> None:
        self.ended: list[Any] = []

    def settle(self, *, nano_usd: int, estimated_nano: int, tokens: int) -> None:
        self.ended.append((nano_usd, estimated_nano, tokens))

    def release(self) -> None:
        self.ended.append("released")

    async def free_place(self) -> None: ...


class _Meter:
    """A meter with one exact and one estimated charge, and one of a model without a price."""

    def __init__(self) -> None:
        deployment = keyed_settings({}).routes.exact["m"][0]
        self.charges = [
            Charge(deployment, 100, 5, 2, "exact"),
            Charge(deployment, 10, 1, 1, "estimated"),
            Charge(deployment, None, 2, 2, "exact"),
        ]


@pytest.mark.parametrize("attempts", [0, 3])
async def test_request_is_settled_once(attempts: int) -> None:
    """The end of a stream settles the request, and so does the end of the request."""
    gateway = create_gateway(keyed_settings(LIMITS), ScriptedUpstream())
    admission = _Admission()
    record = RequestRecord("r", CHAT, 0.0, key=KEY, attempts=attempts)
    record.admission, record.meter = admission, _Meter() if attempts else None
    settle_request(record, gateway)
    settle_request(record, gateway)

    assert admission.ended == [(110, 10, 13) if attempts else "released"]
