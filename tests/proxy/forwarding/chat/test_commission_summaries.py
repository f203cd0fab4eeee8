"""Tests of summaries that are written in the background: when, by which model, and what is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import Answer, UpstreamCall
from proxy.state.spaces import CONVERSATIONS, LEASES, SUMMARIES
from tests.support.builders import user
from tests.support.proxied import Proxied, Reply, proxied
from tests.support.scripted_upstream import answer
from tests.support.summarizing_upstream import (
    SUMMARIZER,
    SummarizingUpstream,
    compacting,
    session,
    summaries_done,
)
from tests.support.waiting import until

LONG = session(50)
"""A history above 70 % of the window."""


async def ask(one: Proxied, messages: list[dict[str, Any]], **headers: str) -> Reply:
    """Send *messages* and wait for the summary that the request began, if any."""
    reply = await one.post({"model": "m", "messages": messages}, headers=headers)
    assert reply.status == 200
    await summaries_done(one)
    return reply


async def test_long_request_goes_out_whole_and_the_next_one_with_a_memory() -> None:
    """The last ten messages are the client's own, and the change list names the replaced ones."""
    upstream = SummarizingUpstream()
    async with proxied(compacting(), upstream) as one:
        first = await ask(one, LONG)
        second = await ask(one, session(51))
    assert "compaction" not in first.headers.get("x-turnright-changes", "")
    assert list(upstream.calls[0].messages) == LONG
    assert second.headers["x-turnright-changes"] == "compaction=1"
    assert ";memory=" in second.headers["x-turnright-budget"]
    sent = list(upstream.calls[1].messages)
    assert sent[:2] == LONG[:2]
    assert "Summary number 1." in sent[2]["content"]
    assert sent[3:] == session(51)[-len(sent) + 3 :]
    assert 10 <= len(sent) - 3 < 20


async def test_repeated_request_is_sent_whole_again() -> None:
    """A client's retry of the request that began the summary has the bytes of the first try."""
    upstream = SummarizingUpstream()
    async with proxied(compacting(), upstream) as one:
        await ask(one, LONG)
        await ask(one, LONG)
    assert list(upstream.calls[1].messages) == LONG
    assert len(upstream.asked) == 1


async def test_request_does_not_wait_for_the_summary() -> None:
    """The client has its answer while the summarizing model still works."""
    upstream = SummarizingUpstream()
    upstream.may_answer.clear()
    async with proxied(compacting(), upstream) as one:
        for rounds in (50, 51, 52):
            reply = await one.post({"model": "m", "messages": session(rounds)})
            assert reply.status == 200
        await until(lambda: bool(upstream.asked))
        upstream.may_answer.set()
        await summaries_done(one)
        await ask(one, session(53))
    assert len(upstream.calls[3].messages) < 30
    assert len(upstream.asked) == 1


async def test_summarizing_model_gets_no_tools_and_no_secrets() -> None:
    """The keys of the configuration and texts that look like keys are removed."""
    upstream = SummarizingUpstream()
    history = session(50)
    history[3]["content"] += " token ghp_0123456789abcdefghijklmnopqrstuvwxyz12"
    async with proxied(compacting(), upstream) as one:
        await ask(one, history)
    [call] = upstream.asked
    assert "tools" not in call.parameters
    assert call.parameters["temperature"] == 0
    text = str(call.messages)
    assert "Step 3." in text
    assert "ghp_0123" not in text


def _failing(call: UpstreamCall) -> Answer:
    raise UpstreamFault("no", upstream_status=500)


def _saying(text: str, finish: str = "stop", **message: Any) -> Callable[[UpstreamCall], Answer]:
    def summarize(call: UpstreamCall) -> Answer:
        made = answer(text, **message)
        made["choices"][0]["finish_reason"] = finish
        return made

    return summarize


@pytest.mark.long
@pytest.mark.parametrize(
    "summarize",
    [
        _failing,
        _saying(""),
        _saying("## Goal\nMend\n## Done\nNothing", "length"),
        _saying("I can't help with that."),
        _saying("x" * 5_000_000),
    ],
)
async def test_failed_summary_changes_no_request(summarize: Callable[[UpstreamCall], Answer]) -> None:
    """The failure is counted once, and the conversation waits before the next try."""
    upstream = SummarizingUpstream(summarize)
    async with proxied(compacting(), upstream) as one:
        for rounds in (50, 51):
            await ask(one, session(rounds))
        assert await one.count("compactions_total", outcome="failed") == 1
        assert await one.count("compactions_total", outcome="delayed") == 1
        assert await one.count("compactions_total", outcome="written") == 0
    assert list(upstream.calls[1].messages) == session(51)
    assert len(upstream.asked) == 1


async def test_second_summary_waits_for_its_share_of_tokens() -> None:
    """The scripted answers report ten tokens a request, so that a summary of ten tokens is above a tenth."""
    upstream = SummarizingUpstream()
    async with proxied(compacting(), upstream) as one:
        await ask(one, LONG)
        await ask(one, [*session(1), *session(50)[2:]])
        assert await one.count("compactions_total", outcome="over_share") == 1
        assert await one.count("tokens_total", model=SUMMARIZER, type="summary") == 10
    assert len(upstream.asked) == 1


async def test_lease_of_another_process_prevents_a_second_summary() -> None:
    """The other process writes the summary."""
    upstream = SummarizingUpstream()
    async with proxied(compacting({"max_share": 1.0}), upstream) as one:
        store = one.server.gateway.store
        await ask(one, LONG)
        known = one.server.gateway.summaries.conversations
        keys = store_keys(one, CONVERSATIONS.name)
        await store.delete(CONVERSATIONS, keys, tenant="")
        known.note_entries("", keys[0], ())
        await store.put(LEASES, {keys[0]: b"another"}, tenant="")
        await ask(one, session(51))
        assert len(upstream.asked) == 1
        assert await one.count("compactions_total", outcome="leased") == 1


async def test_no_summary_is_begun_while_the_summarizing_model_cannot_be_asked() -> None:
    """The provider refused the key, so that the circuit of the model is open for other conversations too."""
    upstream = SummarizingUpstream(_refusing)
    other = [LONG[0], user("Another task."), *LONG[2:]]
    async with proxied(compacting({"max_share": 1.0}), upstream) as one:
        await ask(one, LONG)
        await ask(one, other)
        assert await one.count("compactions_total", outcome="not_ready") == 1
    assert len(upstream.asked) == 1


def _refusing(call: UpstreamCall) -> Answer:
    raise UpstreamFault("Incorrect API key provided.", upstream_status=401)


def store_keys(one: Proxied, space: str) -> list[str]:
    """Return the keys of the memory store's entries in *space*, for the tenant without a key."""
    store: Any = one.server.gateway.store
    return [key for name, key in store._tenants[""].entries if name == space]


async def test_store_holds_one_summary_and_no_lease_afterwards() -> None:
    """The lease ends with the job."""
    async with proxied(compacting(), SummarizingUpstream()) as one:
        await ask(one, LONG)
        assert len(store_keys(one, SUMMARIES.name)) == 1
        assert len(store_keys(one, CONVERSATIONS.name)) == 1
        assert store_keys(one, LEASES.name) == []


async def test_running_summary_ends_with_the_process() -> None:
    """Shutting down does not wait for the summarizing model."""
    upstream = SummarizingUpstream()
    upstream.may_answer.clear()
    async with asyncio.timeout(10), proxied(compacting(), upstream) as one:
        reply = await one.post({"model": "m", "messages": LONG})
        assert reply.status == 200
