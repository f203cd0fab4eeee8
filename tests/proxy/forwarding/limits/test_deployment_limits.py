"""Tests of the requests and tokens a minute that the operator allows for one deployment."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.forwarding.limits.deployment_limits import limited
from proxy.resilience.failure_table import Kind, Reach
from tests.proxy.forwarding.attempting import BOTH, models
from tests.proxy.forwarding.limits.keyed import OTHER, PRICED, ask, keyed
from tests.support.scripted_upstream import ScriptedUpstream


def _entry(model: str = PRICED, name: str = "m", **params: Any) -> dict[str, Any]:
    return {"model_name": name, "litellm_params": {"model": model, **params}}


@BOTH
async def test_request_over_the_limit_of_its_deployment_is_told_to_wait(
    upstream: ScriptedUpstream, stream: bool
) -> None:
    """The refusal is like the provider's own 429. No provider hears of the request."""
    async with keyed({}, upstream, model_list=[_entry(rpm=1)]) as proxy:
        assert (await ask(proxy, OTHER)).status == 200
        reply = await ask(proxy, OTHER, stream=stream)

    assert (reply.status, reply.error["code"]) == (429, "rate_limit_exceeded")
    assert 0 < int(reply.headers["Retry-After"]) <= 60
    assert reply.headers["x-turnright-attempts"] == "0"
    assert len(upstream.calls) == 1


async def test_other_deployments_of_the_pool_take_over(upstream: ScriptedUpstream) -> None:
    """Nothing was sent, so another choice is no retry. All requests are served although retries are off."""
    pool = [_entry("openai/small", rpm=1), _entry("openai/large", rpm=100)]
    async with keyed({}, upstream, model_list=pool) as proxy:
        replies = [await ask(proxy, OTHER) for _ in range(40)]

        assert {reply.status for reply in replies} == {200}
        assert {reply.headers["x-turnright-attempts"] for reply in replies} == {"1"}
        assert await proxy.count("retries_total") == 0
    assert models(upstream).count("small") == 1


async def test_fallback_takes_over(upstream: ScriptedUpstream) -> None:
    entries = [_entry(rpm=1), _entry("openai/spare", "spare")]
    fallbacks = {"fallbacks": [{"m": ["spare"]}]}
    async with keyed({}, upstream, model_list=entries, router_settings=fallbacks) as proxy:
        replies = [await ask(proxy, OTHER) for _ in range(2)]

    assert [reply.headers["x-turnright-model"] for reply in replies] == [PRICED, "openai/spare"]


async def test_limit_of_a_deployment_opens_no_circuit(upstream: ScriptedUpstream) -> None:
    """The provider works, and other processes must not hear that it asked for a cooldown."""
    async with keyed({}, upstream, model_list=[_entry(rpm=1)]) as proxy:
        for _ in range(9):
            await ask(proxy, OTHER)

        assert await proxy.count("circuit_state") == 0


async def test_tokens_of_a_deployment_are_limited(upstream: ScriptedUpstream) -> None:
    """A call claims its prompt and the answer that it asks for, and gives back what it did not use."""
    async with keyed({}, upstream, model_list=[_entry(tpm=100)]) as proxy:
        statuses = [(await ask(proxy, OTHER, max_tokens=50)).status for _ in range(8)]

    assert statuses == [200] * 5 + [429] * 3, "each answer used 10 of the tokens"


async def test_tokens_that_a_call_uses_beyond_its_claim_are_a_debt(upstream: ScriptedUpstream) -> None:
    async with keyed({}, upstream, model_list=[_entry(tpm=30)]) as proxy:
        body: dict[str, Any] = {"messages": [{"role": "user", "content": "a"}], "max_tokens": 1}
        statuses = [(await ask(proxy, OTHER, **body)).status for _ in range(5)]

    assert statuses == [200] * 3 + [429] * 2


async def test_prompt_is_counted_once_for_the_limits_of_key_and_deployment(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("proxy.forwarding.limits.deployment_limits.count_plan", fail)
    async with keyed({"tpm_limit": 1_000}, upstream, model_list=[_entry(tpm=100)]) as proxy:
        assert (await ask(proxy, max_tokens=50)).status == 200
        assert (await ask(proxy, OTHER, max_tokens=50)).status == 500, "nobody has counted for this key"


async def test_keys_share_the_limit_of_a_deployment(upstream: ScriptedUpstream) -> None:
    """The quota is that of the operator's account at the provider."""
    async with keyed({}, upstream, model_list=[_entry(rpm=1)]) as proxy:
        assert (await ask(proxy, OTHER)).status == 200
        assert (await ask(proxy)).status == 429


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/embeddings"])
async def test_texts_count(upstream: ScriptedUpstream, path: str) -> None:
    async with keyed({}, upstream, model_list=[_entry(rpm=1, tpm=10_000)]) as proxy:
        for status in (True, False):
            reply = await proxy.post(
                {"model": "m", "prompt": "a", "input": "a"}, path, {"x-api-key": "sk-master-51b7"}
            )
            assert (reply.status != 429) is status
    assert len(upstream.plain_calls) == 1


def test_failure_is_that_of_a_limited_provider() -> None:
    error, row, said = limited(7.5)

    assert (row.kind, row.reach, said.retry_after_s) == (Kind.RATE_LIMITED, Reach.ALL, 7.5)
    assert error.http_status == 429
