"""Tests of compaction on real sockets: whole applications, and a provider that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from benchmarks.compaction import needles, sessions
from benchmarks.compaction.extract import Extract
from benchmarks.compaction.faults import ACCEPTED, DEAD, USUAL
from benchmarks.compaction.gateways import Asked, ask, config_for, memory_of, serving, settle
from benchmarks.compaction.planted import LEDGER, Kind
from benchmarks.compaction.provider import Answer, providing
from benchmarks.compaction.summariser_faults import run_fault
from benchmarks.sanitize import History
from proxy.state import MemoryStore, Space
from proxy.state.spaces import CONVERSATIONS
from tests.support.builders import assistant, call, system, tool, user
from tests.support.proxied import Proxied
from tests.support.store_servers import valkey_server

_META = "[record 1 of "
"""The beginning of the data of a request for a summary of summaries."""


def rounds(count: int, words: int, first: int = 0) -> History:
    """Return *count* rounds of one call, whose results have so many *words*."""
    return [
        message
        for number in range(first, first + count)
        for message in (
            assistant(None, [call(f"c{number}", "read", f'{{"part": {number}}}')]),
            tool(f"c{number}", f"{number}: " + "batch token index " * (words // 3)),
        )
    ]


async def sent_and_settled(gateway: Proxied, messages: History) -> Asked:
    """Send *messages*, and wait until the gateway writes no summary any more."""
    asked = await ask(gateway, messages)
    await settle(gateway)
    assert asked.status == 200
    return asked


async def count_summaries(messages: History, limit: int) -> tuple[int, int]:
    """Return the estimated tokens of *messages*, and the summaries that are asked for at this *limit*."""
    async with (
        providing(lambda _: Answer(USUAL)) as provider,
        serving(config_for(provider, limit)) as gateway,
    ):
        asked = await sent_and_settled(gateway, messages)
        return asked.budget["est"], len(provider.summaries)


@pytest.mark.parametrize("words", [120, 121, 125, 300])
async def test_a_summary_is_written_from_exactly_70_percent_on(words: int) -> None:
    """A history of 70 % of the limit gets a summary, and at a limit of one token more it gets none."""
    history = [system(), user("Read it."), *rounds(20, words)]
    tokens, _ = await count_summaries(history, 4_000)
    limit = tokens * 10 // 7

    assert await count_summaries(history, limit) == (tokens, 1)
    assert await count_summaries(history, limit + 1) == (tokens, 0)


async def test_50_000_tokens_become_5_000() -> None:
    """A history of 50,000 tokens is sent as at most 5,000, where its first and newest messages have some 3,600."""
    opening = [system("Rule. " * 400), user("Read all of it, and tell me the reason. " + "Rule. " * 250)]
    history = [*opening, *rounds(44, 830), *rounds(6, 400, first=50)]
    async with (
        providing(Extract(set())) as provider,
        serving(config_for(provider, 70_000)) as gateway,
        serving(config_for(provider, 6_000, enabled=False)) as counting,
    ):
        before = await sent_and_settled(gateway, history)
        after = await sent_and_settled(gateway, [*history, assistant("Done."), user("And now?")])
        sent = provider.messages("")
        counted = await ask(counting, sent)  # near its limit, a request is counted instead of bounded

    assert (before.changes, after.changes) == ("", "compaction=1")
    assert 50_000 <= before.budget["sent"] < 52_000
    assert 4_000 <= counted.budget["est"] <= 5_000
    assert sent[:2] == opening
    assert sent[-12:] == [*history[-10:], assistant("Done."), user("And now?")]


async def test_a_reflection_on_the_reflections_follows_the_fifth() -> None:
    """The fifth summary leads to a summary of all five. From then on, one follows after each three more."""
    history = [system(), user("Read it.")]
    asked_for: list[int] = []
    texts: list[str] = []

    def summarise(data: str) -> Answer:
        records = data.count("[record ") if data.startswith(_META) else 0
        asked_for.append(records)
        return Answer(f"{USUAL}\nIt was number {len(asked_for)}.")

    async with providing(summarise) as provider, serving(config_for(provider, 8_000)) as gateway:
        while len(texts) < 10:
            history += rounds(3, 300, first=len(history))
            asked = await sent_and_settled(gateway, history)
            assert asked.memory <= 4_000
            memory = memory_of(provider.messages("")) if asked.memory else None
            if memory is not None and memory not in texts:
                texts.append(memory)

    assert asked_for[:12] == [0, 0, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0]
    # Each memory has its newest reflection last, and the one that stands for others first.
    numbers = [[int(part.split(".")[0]) for part in text.split("It was number ")[1:]] for text in texts]
    assert numbers[:5] == [[1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5]]
    assert numbers[5:8] == [[6, 7], [6, 7, 8], [6, 7, 8, 9]]
    assert numbers[8:10] == [[10, 11], [10, 11, 12]]


@pytest.mark.parametrize("name", DEAD)
async def test_a_summarizer_that_fails_changes_nothing(name: str) -> None:
    """No request fails, none waits, and the provider gets the bytes of compaction off."""
    result = await run_fault(DEAD[name], accepted=False, conversations=1)

    assert result.violations == []
    assert result.during > 0 or not DEAD[name].delay_s


@pytest.mark.parametrize("name", ACCEPTED)
async def test_a_summary_stays_one_text_within_its_frame(name: str) -> None:
    result = await run_fault(ACCEPTED[name], accepted=True, conversations=1)

    assert result.violations == []


async def test_a_memory_outlives_the_store() -> None:
    """Two replicas have used a memory. After the store's end, both still send it, and no request fails."""
    history = [system(), user("Read it."), *rounds(20, 300)]
    with valkey_server() as server:
        async with providing(lambda _: Answer(USUAL)) as provider:
            config = config_for(provider, 10_000, store={"url": server.url})
            async with serving(config) as one, serving(config) as other:
                memories = []
                for number, replica in enumerate((one, one, other, one, other, one, other)):
                    if number == 3:
                        server.kill()
                    history += rounds(1, 300, first=len(history))
                    await sent_and_settled(replica, history)
                    memories.append(memory_of(provider.messages("")))

    assert memories[0] is None
    assert memories[1:] == [memories[1]] * 6
    assert memories[1] is not None


async def test_no_planted_fact_is_lost() -> None:
    """Of 40 facts in each session, all reach the provider after ten compactions."""
    result = await needles.run(sessions=2, concurrency=2)

    assert result.violations == []
    assert result.kept["compaction", 10].share() == 1.0
    assert result.kept["sliding window", 10].share() < 0.2


async def test_facts_of_the_ledger_survive_summaries_without_facts() -> None:
    result = await needles.run(sessions=1, concurrency=1, keeps_facts=False)

    assert result.violations == []
    assert result.kept["compaction", 10].share(LEDGER) == 1.0
    assert result.kept["compaction", 10].share([Kind.NUMBER, Kind.DECISION]) < 0.2


@settings(max_examples=5, phases=(Phase.generate,))  # a smaller number is no simpler session
@given(st.integers(0, 2**32), st.booleans())
def test_random_sessions_are_sound_on_two_replicas(seed: int, learns: bool) -> None:
    """Sessions with edits, rewinds, branches and races: see :mod:`benchmarks.compaction.sessions`."""
    result = asyncio.run(sessions.run(seed, 4, learns=learns))

    assert result.violations == []
    assert result.counts["sessions"] == 4


@pytest.mark.parametrize(("share", "reads"), [(0.59, 0), (0.61, 1)])
async def test_the_store_is_read_from_60_percent_on(
    monkeypatch: pytest.MonkeyPatch, share: float, reads: int
) -> None:
    history = [system(), user("Read it."), *rounds(20, 120)]
    tokens, _ = await count_summaries(history, 4_000)
    asked_for: list[Space] = []
    get = MemoryStore.get

    async def noting(
        self: MemoryStore, space: Space, keys: Iterable[str], *, tenant: str
    ) -> Mapping[str, bytes]:
        asked_for.append(space)
        return await get(self, space, keys, tenant=tenant)

    monkeypatch.setattr(MemoryStore, "get", noting)
    async with providing(lambda _: Answer(USUAL)) as provider:
        async with serving(config_for(provider, int(tokens / share))) as gateway:
            await sent_and_settled(gateway, history)

        assert asked_for.count(CONVERSATIONS) == reads
        assert provider.summaries == []
