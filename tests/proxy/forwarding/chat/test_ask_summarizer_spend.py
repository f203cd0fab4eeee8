"""Tests that a client's key pays for the summaries of its conversations, and for none once its budget is used up."""

from __future__ import annotations

from typing import Any

from proxy.config import Settings
from tests.proxy.forwarding.limits.keyed import KEY, secret_of, sent_by, spent
from tests.support.proxied import Proxied, Reply, proxied
from tests.support.summarizing_upstream import (
    SUMMARIZER,
    WINDOW,
    SummarizingUpstream,
    compacting,
    session,
    summaries_done,
)

_INPUT, _OUTPUT = 1_000, 2_000
"""The price of the summarizing model's tokens, in 10⁻⁹ dollars."""

_SUMMARY = 7 * _INPUT + 3 * _OUTPUT
"""The cost of one summary: the scripted answers report 7 tokens and 3 tokens."""


def _settings(key: dict[str, Any]) -> Settings:
    """Return settings with one key, whose chats cost nothing. Their summaries do."""
    prices = {"m": (0, 0), SUMMARIZER: (_INPUT, _OUTPUT)}
    entries = [
        {
            "model_name": name,
            "litellm_params": {"model": f"openai/unknown-{name}"},
            "model_info": {
                "max_input_tokens": WINDOW if name == "m" else 100_000,
                "max_output_tokens": 1_000,
                "input_cost_per_token": read / 10**9,
                "output_cost_per_token": written / 10**9,
            },
        }
        for name, (read, written) in prices.items()
    ]
    keys = [{"name": KEY, "key": secret_of(KEY), **key}]
    return compacting({"max_share": 1.0}, model_list=entries, general_settings={"keys": keys})


async def _ask(one: Proxied, rounds: int) -> Reply:
    reply = await one.post({"model": "m", "messages": session(rounds), "max_tokens": 1}, headers=sent_by())
    await summaries_done(one)
    return reply


async def test_summary_is_charged_to_the_key_of_the_conversation() -> None:
    upstream = SummarizingUpstream()
    async with proxied(_settings({"max_budget": 1.0}), upstream) as one:
        assert (await _ask(one, 50)).status == 200

        assert len(upstream.asked) == 1
        assert (spent(one).spent_nano, spent(one).reserved_nano) == (_SUMMARY, 0)


async def test_summary_takes_no_request_and_no_place_of_the_key() -> None:
    """The client sent one request, and may send its next one while the summary is written."""
    upstream = SummarizingUpstream()
    upstream.may_answer.clear()
    async with proxied(_settings({"rpm_limit": 2, "max_parallel_requests": 1}), upstream) as one:
        for rounds in (50, 51):
            body = {"model": "m", "messages": session(rounds)}
            assert (await one.post(body, headers=sent_by())).status == 200
        upstream.may_answer.set()
        await summaries_done(one)

    assert len(upstream.asked) == 1


async def test_no_summary_is_written_once_the_budget_is_used_up() -> None:
    """The chat itself costs nothing here, so that it is served."""
    upstream = SummarizingUpstream()
    async with proxied(_settings({"max_budget": 1.0}), upstream) as one:
        one.server.gateway.limiter.count(KEY, nano_usd=10**9, estimated_nano=0, tokens=0)

        assert (await _ask(one, 50)).status == 200
        assert await one.count("compactions_total", outcome="over_budget") == 1
        assert spent(one).spent_nano == 10**9
    assert upstream.asked == []
