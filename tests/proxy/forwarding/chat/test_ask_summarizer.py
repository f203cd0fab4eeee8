"""Tests of the call to the summarizing model: its history, its time and its tokens."""

from __future__ import annotations

from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import Answer, UpstreamCall
from tests.support.builders import assistant, user
from tests.support.proxied import proxied
from tests.support.summarizing_upstream import (
    SUMMARIZER,
    SummarizingUpstream,
    compacting,
    session,
    summaries_done,
)


async def test_segment_is_told_without_the_kept_messages() -> None:
    """The model reads the messages that its summary replaces, and no others."""
    upstream = SummarizingUpstream()
    async with proxied(compacting(), upstream) as one:
        await one.post({"model": "m", "messages": session(50)})
        await summaries_done(one)
    [call] = upstream.asked
    told = call.messages[1]["content"]
    assert "Step 0." in told
    assert "Step 44." in told
    assert "Step 45." not in told
    assert "You mend code." not in told


async def test_second_segment_begins_where_the_first_one_ended() -> None:
    """A message is summarized once. The transcript of the second call holds nothing of the first segment."""
    upstream = SummarizingUpstream()
    async with proxied(compacting({"max_share": 1.0}), upstream) as one:
        for rounds in (50, 51, 95):
            await one.post({"model": "m", "messages": session(rounds)})
            await summaries_done(one)
    assert len(upstream.asked) == 2
    told = upstream.asked[1].messages[1]["content"]
    assert "Step 44." not in told
    assert "Step 45." in told
    assert "Step 89." in told


async def test_reflections_are_merged_after_the_fifth() -> None:
    """The sixth call gets the five reflections, and later memories hold its answer in their place."""
    upstream = SummarizingUpstream()
    rounds = [50, 51]
    while len(rounds) < 14:
        rounds += [rounds[-1] + 44, rounds[-1] + 45]
    async with proxied(compacting({"max_share": 1.0}), upstream) as one:
        for count in rounds:
            await one.post({"model": "m", "messages": session(count)})
            await summaries_done(one)
            if len(upstream.asked) == 7:
                break
        merged = upstream.asked[5].messages[1]["content"]
        assert merged.count("## Done") == 5
        assert await one.count("compactions_total", outcome="meta_written") == 1
        await one.post({"model": "m", "messages": session(count + 1)})
    memory = next(
        text
        for message in upstream.calls[-1].messages
        if "conversation_memory" in (text := str(message["content"]))
    )
    assert memory.count("## Done") == 2


async def test_call_uses_the_proxys_own_attempts() -> None:
    """A summary appears in the metrics of attempts, and not among the clients' requests."""
    async with proxied(compacting(), SummarizingUpstream()) as one:
        await one.post({"model": "m", "messages": session(50)})
        await summaries_done(one)
        assert await one.count("upstream_attempts_total", model=SUMMARIZER, outcome="ok") == 1
        assert await one.count("requests_total", model=SUMMARIZER) == 0


async def test_own_words_of_the_user_in_the_covered_part_reach_the_model() -> None:
    """The user's later messages are a part of the transcript."""
    upstream = SummarizingUpstream()
    history = [*session(5), assistant("Done."), user("Never touch the lock file."), *session(45)[2:]]
    async with proxied(compacting(), upstream) as one:
        await one.post({"model": "m", "messages": history})
        await summaries_done(one)
    assert "Step 0." in upstream.asked[0].messages[1]["content"]


async def test_call_that_failed_counts_with_its_estimate() -> None:
    """The provider may charge for a failed call, so that the key's summaries have had their share."""

    def fail(call: UpstreamCall) -> Answer:
        raise UpstreamFault("no", upstream_status=500)

    async with proxied(compacting(), SummarizingUpstream(fail)) as one:
        await one.post({"model": "m", "messages": session(50)})
        await summaries_done(one)
        shares = one.server.gateway.summaries.shares
        assert not shares.may_begin("", 0.4)
        assert await one.count("tokens_total", model=SUMMARIZER, type="summary") == 0
