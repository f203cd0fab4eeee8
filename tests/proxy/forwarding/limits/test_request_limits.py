"""Tests that a request is held to the limits of its key, once for all its attempts, on every path."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.forwarding.attempting import BOTH, good, refused
from tests.proxy.forwarding.limits.keyed import (
    ANSWERED,
    INPUT,
    KEY,
    MASTER,
    OTHER,
    OUTPUT,
    PRICED,
    ask,
    keyed,
    sent_by,
    spent,
)
from tests.support.builders import user
from tests.support.proxied import CHAT, chat
from tests.support.scripted_upstream import HANG, ScriptedUpstream, say

ANSWERS: dict[str, dict[str, Any]] = {
    "/v1/completions": {"choices": [{"index": 0, "text": "a", "finish_reason": "stop"}]},
    "/v1/embeddings": {"data": [{"index": 0, "embedding": [0.5]}], "usage": {"prompt_tokens": 2}},
}
"""The provider's answers that are no chat's."""

PATHS: dict[str, tuple[str, dict[str, Any]]] = {
    "chat": (CHAT, chat(model="m")),
    "stream": (CHAT, chat(model="m", stream=True)),
    "completion": ("/v1/completions", {"model": "m", "prompt": "Once"}),
    "embeddings": ("/v1/embeddings", {"model": "m", "input": "Once"}),
    "messages": ("/v1/messages", {"model": "m", "max_tokens": 9, "messages": [user("Once")]}),
    "responses": ("/v1/responses", {"model": "m", "input": "Once"}),
    "gemini": ("/v1beta/models/m:generateContent", {"contents": [{"parts": [{"text": "Once"}]}]}),
}


@pytest.mark.parametrize(("path", "body"), PATHS.values(), ids=PATHS)
async def test_every_path_counts_as_a_request_of_its_key(
    upstream: ScriptedUpstream, path: str, body: dict[str, Any]
) -> None:
    """The second request is refused, and no provider hears of it. Other keys are served."""
    if path in ANSWERS:
        for _ in range(3):
            upstream.then(ANSWERS[path])
    async with keyed({"rpm_limit": 1}, upstream) as proxy:
        first = await proxy.post(body, path, sent_by())
        second = await proxy.post(body, path, sent_by())

        assert (first.status, second.status) == (200, 429)
        assert 0 < int(second.headers["retry-after"]) <= 60
        assert len(upstream.exchanges) + len(upstream.plain_calls) == 1
        assert (await proxy.post(body, path, sent_by(OTHER))).status == 200
        assert (await proxy.post(body, path, {"Authorization": f"Bearer {MASTER}"})).status == 200


@BOTH
async def test_request_claims_once_for_all_its_attempts(upstream: ScriptedUpstream, stream: bool) -> None:
    """A retry is the same request, so a key of one request a minute gets its answer."""
    upstream.then(refused(503))
    upstream.then(*good(stream))
    async with keyed({"rpm_limit": 1}, upstream, router_settings={"num_retries": 1}) as proxy:
        reply = await ask(proxy, stream=stream)

    assert (reply.status, reply.headers["x-turnright-attempts"]) == (200, "2")
    assert reply.headers["x-ratelimit-remaining-requests"] == "0"


REFUSALS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "requests": ({"rpm_limit": 1}, {}, "rate_limit_exceeded", "requests"),
    "tokens": ({"tpm_limit": 60}, {}, "rate_limit_exceeded", "tokens"),
    "budget": ({"max_budget": (ANSWERED + 1) / 10**9}, {"max_tokens": 1}, "insufficient_quota", "budget"),
}


@pytest.mark.parametrize(("limits", "fields", "code", "kind"), REFUSALS.values(), ids=REFUSALS)
async def test_used_up_limit_is_refused_and_counted(
    upstream: ScriptedUpstream, limits: dict[str, Any], fields: dict[str, Any], code: str, kind: str
) -> None:
    async with keyed(limits, upstream) as proxy:
        replies = [await ask(proxy, **fields) for _ in range(8)]
        refusals = [reply for reply in replies if reply.status == 429]

        assert replies[0].status == 200
        assert len(upstream.calls) == 8 - len(refusals) < 8
        assert {reply.error["code"] for reply in refusals} == {code}
        assert await proxy.count("rate_limited_total", key=KEY, kind=kind) == len(refusals)


async def test_running_request_holds_its_place_until_its_client_leaves(upstream: ScriptedUpstream) -> None:
    """The ids are made up by clients, so two requests with one id are two requests."""
    upstream.then(say("Once"), HANG)
    async with keyed({"max_parallel_requests": 1}, upstream) as proxy:
        same = sent_by(**{"x-request-id": "same"})
        async with proxy.session.post(
            f"{proxy.origin}{CHAT}", json=chat(model="m", stream=True), headers=same
        ):
            await upstream.called()
            assert (await proxy.post(chat(model="m"), headers=same)).status == 429
        await proxy.idle()

        assert (await proxy.post(chat(model="m"), headers=same)).status == 200


async def test_next_request_finds_the_place_free(upstream: ScriptedUpstream) -> None:
    """A client that sends one request after another never meets its limit of requests at one time."""
    async with keyed({"max_parallel_requests": 1}, upstream) as proxy:
        statuses = [(await ask(proxy, stream=at % 2 == 1)).status for at in range(20)]

    assert statuses == [200] * 20


async def test_prompt_that_no_bucket_holds_is_refused_for_good(upstream: ScriptedUpstream) -> None:
    """A wait would not help, and a fallback has the same bucket."""
    models = {"m": PRICED, "spare": "openai/gpt-4.1-mini"}
    fallbacks = {"fallbacks": [{"m": ["spare"]}]}
    async with keyed({"tpm_limit": 20}, upstream, models, router_settings=fallbacks) as proxy:
        reply = await ask(proxy, content="tide " * 500)

        assert (reply.status, reply.error["code"]) == (400, "request_exceeds_limit")
        assert upstream.calls == []
        assert (await ask(proxy)).status == 200


async def test_answer_without_a_limit_is_served_from_a_small_bucket(upstream: ScriptedUpstream) -> None:
    """The assumed 1,024 tokens of an answer refuse no request of a small key (litellm#29193)."""
    async with keyed({"tpm_limit": 100}, upstream) as proxy:
        assert (await ask(proxy)).status == 200


async def test_parallel_requests_cannot_pass_a_budget_together(upstream: ScriptedUpstream) -> None:
    """Each running request reserves what it may cost, so that the budget holds while nothing has been charged."""
    upstream.then(say("Once"), HANG)
    async with keyed({"max_budget": 100 * OUTPUT / 10**9}, upstream) as proxy:
        body = chat(model="m", stream=True, max_tokens=80)
        async with proxy.session.post(f"{proxy.origin}{CHAT}", json=body, headers=sent_by()):
            await upstream.called()
            reply = await ask(proxy, max_tokens=80)

            assert (reply.status, reply.error["code"]) == (429, "insufficient_quota")
            assert reply.headers["x-should-retry"] == "false"
            assert len(upstream.calls) == 1


async def test_dearer_fallback_that_the_budget_does_not_cover_is_not_asked(
    upstream: ScriptedUpstream,
) -> None:
    """The money for another attempt is reserved before the call."""
    dear = {"model": "openai/gpt-4.1-mini"}
    info = {"input_cost_per_token": 0.01, "output_cost_per_token": 0.01}
    entries = [
        {"model_name": "m", "litellm_params": {"model": PRICED}},
        {"model_name": "dear", "litellm_params": dear, "model_info": info},
    ]
    upstream.then(refused(401))
    async with keyed(
        {"max_budget": 0.05},
        upstream,
        model_list=entries,
        router_settings={"fallbacks": [{"m": ["dear"]}]},
    ) as proxy:
        reply = await ask(proxy, max_tokens=10)

        assert (reply.status, reply.error["code"]) == (429, "insufficient_quota")
        assert len(upstream.calls) == 1
        assert spent(proxy).reserved_nano == 0


async def test_retry_at_the_same_price_reserves_nothing_more(upstream: ScriptedUpstream) -> None:
    """A failed call that cost nothing leaves its reservation to the next."""
    upstream.then(refused(503))
    most = (40 * INPUT + 10 * OUTPUT) / 10**9
    async with keyed({"max_budget": most}, upstream, router_settings={"num_retries": 1}) as proxy:
        assert (await ask(proxy, max_tokens=10)).status == 200


@pytest.mark.parametrize("on_unpriced", ["count", "refuse"])
async def test_unpriced_model_of_a_key_with_a_budget(upstream: ScriptedUpstream, on_unpriced: str) -> None:
    """The model costs nothing, or is refused. A key without a budget may use it in both cases."""
    models = {"m": "openai/nobody-prices-this"}
    general = {"on_unpriced": on_unpriced}
    async with keyed({"max_budget": 1.0}, upstream, models, general_settings=general) as proxy:
        reply = await ask(proxy)

        if on_unpriced == "count":
            assert (reply.status, spent(proxy).spent_nano, spent(proxy).tokens) == (200, 0, 10)
        else:
            assert (reply.status, reply.error["code"]) == (400, "model_unpriced")
            assert upstream.calls == []
        assert (await ask(proxy, OTHER)).status == 200


async def test_priced_fallback_serves_in_place_of_an_unpriced_model(upstream: ScriptedUpstream) -> None:
    models = {"m": "openai/nobody-prices-this", "spare": PRICED}
    async with keyed(
        {"max_budget": 1.0},
        upstream,
        models,
        general_settings={"on_unpriced": "refuse"},
        router_settings={"fallbacks": [{"m": ["spare"]}]},
    ) as proxy:
        reply = await ask(proxy)

    assert (reply.status, reply.headers["x-turnright-model"]) == (200, PRICED)


@pytest.mark.parametrize("limits", [{}, {"rpm_limit": 9}, {"max_parallel_requests": 9}], ids=str)
async def test_key_without_limits_of_tokens_and_money_pays_for_no_count(
    upstream: ScriptedUpstream, limits: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the prompt was counted")

    monkeypatch.setattr("proxy.forwarding.limits.request_limits.count_plan", fail)
    async with keyed(limits, upstream) as proxy:
        assert (await ask(proxy)).status == 200


@pytest.mark.parametrize(
    ("on_store_down", "statuses"),
    [("share", [200, 429]), ("open", [200, 200]), ("refuse", [503, 503])],
)
async def test_store_that_is_down_decides_by_the_setting(
    upstream: ScriptedUpstream, on_store_down: str, statuses: list[int]
) -> None:
    """One replica alone has the whole limit as its share. Keys without limits never notice."""
    async with keyed(
        {"rpm_limit": 1},
        upstream,
        limits={"on_store_down": on_store_down},
        store={"url": "redis://127.0.0.1:1/0"},
    ) as proxy:
        replies = [await ask(proxy) for _ in range(2)]

        assert [reply.status for reply in replies] == statuses
        assert (await ask(proxy, OTHER)).status == 200
        assert len(upstream.calls) == statuses.count(200) + 1
    if on_store_down == "refuse":
        assert {reply.error["code"] for reply in replies} == {"limits_unavailable"}


async def test_request_that_may_cost_more_than_the_whole_spend_limit_is_a_400(
    upstream: ScriptedUpstream,
) -> None:
    """A 429 would tell the client to wait for a period in which the request fits no better."""
    async with keyed({"max_budget": 0.01, "budget_duration": "30d"}, upstream) as proxy:
        reply = await ask(proxy, max_tokens=1_000_000)

        assert (reply.status, reply.json["error"]["code"]) == (400, "request_exceeds_limit")
        assert "may cost $8.0" in reply.json["error"]["message"]
        assert not upstream.exchanges
        assert (await ask(proxy, max_tokens=1)).status == 200
