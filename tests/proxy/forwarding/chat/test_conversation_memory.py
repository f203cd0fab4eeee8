"""Tests of the look-up of a conversation's memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import orjson
import pytest
from typing_extensions import override

from proxy.forwarding.chat import conversation_memory
from proxy.forwarding.chat.conversation_memory import ConversationMemory, RequestMemory
from proxy.forwarding.summary_jobs import SummaryJobs
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.budgets.budget_facts import BudgetFacts
from proxy.planning.compact.hash_chain import HashChain
from proxy.planning.compact.policies import CompactionPolicy
from proxy.planning.compact.summary_job import SummaryJob
from proxy.state import MemoryStore, Space
from proxy.state.known_conversations import KnownConversations
from proxy.state.spaces import CONVERSATIONS, SUMMARIES
from proxy.state.summaries import IndexEntry, Reflection, Summary, pack_index, pack_summary
from tests.proxy.planning.budgets.shapes import facts_for
from tests.support.summarizing_upstream import session

POLICY = CompactionPolicy("cheap", memory_tokens=1_000)
MESSAGES = session(50)
CHAIN = HashChain(MESSAGES, "blue")
ROOT = CHAIN[2].hex()
CUT = len(MESSAGES) - 10
"""The end of the next summary of the session."""

SUMMARY = Summary(80, (), "The memory.", 9, None, (Reflection(2, 80, "The memory."),), 5, "cheap")


class CountingStore(MemoryStore):
    """A memory store that counts its look-ups and holds one summary of the session."""

    def __init__(self) -> None:
        super().__init__(2**20)
        self.asked: list[str] = []

    @override
    async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        self.asked.append(space.name)
        return await super().get(space, keys, tenant=tenant)

    async def fill(self, entry: IndexEntry | None = None, summary: Summary = SUMMARY) -> None:
        """Store the index with *entry*, and *summary*."""
        entry = entry or IndexEntry(80, 0, CHAIN[80])
        await self.put(CONVERSATIONS, {ROOT: pack_index([entry])}, tenant="blue")
        await self.put(SUMMARIES, {entry.key: pack_summary(summary)}, tenant="blue")
        self.asked.clear()


def memory_of(
    store: MemoryStore,
    messages: list[dict[str, Any]] | None = None,
    tenant: str = "blue",
    known: KnownConversations | None = None,
) -> ConversationMemory:
    """Return the look-up for a request with *messages*."""
    body = orjson.dumps({"model": "m", "messages": messages or MESSAGES})
    chat = parse_chat_request(body, max_nesting=64)
    return ConversationMemory(chat, tenant, store, POLICY, known or KnownConversations())


def facts(window: int = 9_000) -> BudgetFacts:
    """Return the facts of a model with *window*. The session has some 6,750 tokens."""
    return facts_for(window=window, reserve=0, margin=0.0)


async def test_stored_memory_is_found_and_no_further_summary_is_due() -> None:
    """The request with its memory is far below the trigger."""
    store = CountingStore()
    await store.fill()
    look_up = memory_of(store)
    found = await look_up.find(facts())
    assert found is not None
    assert (found.start, found.end, found.message["content"]) == (2, 80, "The memory.")
    assert look_up.due is None
    assert store.asked == ["conversations", "summaries"]


async def test_short_request_asks_no_store() -> None:
    """Below 60 % of the limit nothing is looked up."""
    store = CountingStore()
    await store.fill()
    assert await memory_of(store).find(facts(window=14_000)) is None
    assert store.asked == []


async def test_second_deployment_asks_no_store_again() -> None:
    """A fallback uses what was read for the first deployment."""
    store = CountingStore()
    await store.fill()
    look_up = memory_of(store)
    assert await look_up.find(facts()) == await look_up.find(facts(window=8_500))
    assert store.asked == ["conversations", "summaries"]


async def test_other_tenant_finds_nothing() -> None:
    """An equal history of another key has no memory."""
    store = CountingStore()
    await store.fill()
    look_up = memory_of(store, tenant="red")
    assert await look_up.find(facts()) is None
    assert look_up.due is not None


async def test_summary_for_longer_histories_is_not_used_and_none_is_due() -> None:
    """A repetition of the request that was sent whole is sent whole, and asks for no second summary."""
    store = CountingStore()
    await store.fill(IndexEntry(CUT, len(MESSAGES) + 1, CHAIN[CUT]), replace(SUMMARY, end=CUT))
    look_up = memory_of(store)
    assert await look_up.find(facts()) is None
    assert look_up.due is None


async def test_branch_gets_a_summary_while_a_longer_one_has_its_own() -> None:
    """A summary of a longer branch may cover the common messages, and is for longer histories only."""
    store = CountingStore()
    await store.fill(IndexEntry(40, 500, CHAIN[40]), replace(SUMMARY, end=40))
    look_up = memory_of(store)
    assert await look_up.find(facts()) is None
    assert look_up.due is not None


async def test_lost_summary_costs_the_memory_alone() -> None:
    """An indexed summary that the store has lost is not used. A new one is due."""
    store = CountingStore()
    await store.fill()
    await store.delete(SUMMARIES, [CHAIN[80].hex()], tenant="blue")
    look_up = memory_of(store)
    assert await look_up.find(facts()) is None
    assert look_up.due is not None


async def test_index_of_this_process_serves_while_the_store_has_none() -> None:
    """The store does not answer, or has lost the index."""
    store = CountingStore()
    await store.fill()
    await store.delete(CONVERSATIONS, [ROOT], tenant="blue")
    known = KnownConversations()
    known.note_entries("blue", ROOT, (IndexEntry(80, 0, CHAIN[80]),))
    assert await memory_of(store, known=known).find(facts()) is not None


async def test_due_summary_covers_all_but_the_kept_messages() -> None:
    """The job holds what the summary needs."""
    look_up = memory_of(MemoryStore(2**20))
    assert await look_up.find(facts()) is None
    job = look_up.due
    assert job is not None
    assert (job.tenant, job.root, job.previous) == ("blue", ROOT, None)
    assert len(MESSAGES) - 12 <= job.cut.end <= len(MESSAGES) - 10
    assert job.digest == CHAIN[job.cut.end]


async def test_summary_that_is_due_is_begun_and_the_index_noted() -> None:
    """The index serves later requests while the store does not answer."""
    store = CountingStore()
    entry = IndexEntry(20, 0, CHAIN[20])
    await store.fill(entry, replace(SUMMARY, end=20))
    known, begun = KnownConversations(), list[SummaryJob]()
    request = RequestMemory(memory_of(store, known=known), SummaryJobs(b"key"), begun.append)
    await request.look_up.find(facts(window=7_000))
    await request.follow(0.0)
    assert known.entries("blue", ROOT) == (entry,)
    assert begun == [request.look_up.due]
    assert begun[0].previous is not None


async def test_used_summary_is_renewed_in_the_store() -> None:
    """The entries of a summary that is in use do not expire."""
    clock = [0.0]
    store = MemoryStore(2**20, lambda: clock[0])
    entry = IndexEntry(80, 0, CHAIN[80])
    await store.put(CONVERSATIONS, {ROOT: pack_index([entry])}, tenant="blue")
    await store.put(SUMMARIES, {entry.key: pack_summary(SUMMARY)}, tenant="blue")
    known = KnownConversations()
    day_s = 86_400.0
    for day in range(20):
        clock[0] = day * day_s
        request = RequestMemory(memory_of(store, known=known), SummaryJobs(b"key"), lambda job: None)
        assert await request.look_up.find(facts()) is not None, f"expired on day {day}"
        await request.follow(clock[0])
    assert await store.get(CONVERSATIONS, [ROOT], tenant="blue")


async def test_memory_that_is_too_large_by_now_is_not_used() -> None:
    """The operator has lowered the tokens of a memory."""
    store = CountingStore()
    await store.fill(summary=replace(SUMMARY, tokens=1_001))
    assert await memory_of(store).find(facts()) is None


async def test_missing_summaries_cost_two_questions_to_the_store() -> None:
    """A slow store is waited for twice, not once for each of 30 summaries."""
    store = CountingStore()
    entries = [IndexEntry(end, 0, CHAIN[end]) for end in range(20, 82, 2)]
    await store.put(CONVERSATIONS, {ROOT: pack_index(entries)}, tenant="blue")
    await store.put(SUMMARIES, {entries[0].key: pack_summary(replace(SUMMARY, end=20))}, tenant="blue")
    store.asked.clear()
    found = await memory_of(store).find(facts(window=7_000))
    assert found is not None
    assert found.end == 20
    assert store.asked == ["conversations", "summaries", "summaries"]


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return the events that look-ups log as errors, each with the class of the error."""
    logged: list[tuple[str, str]] = []

    class Recorder:
        def error(self, event: str, *, error: str) -> None:
            logged.append((event, error))

    monkeypatch.setattr(conversation_memory, "get_log", Recorder)
    return logged


@pytest.mark.parametrize("content", [["text"], [None], [[]], [5], [{"type": []}], []])
async def test_odd_result_does_not_fail_a_look_up(faults: list[tuple[str, str]], content: list[Any]) -> None:
    """The history is read before it is repaired, and such a request is sent where compaction is off."""
    messages = [*session(50)]
    messages[3] = {**messages[3], "content": content}
    await memory_of(CountingStore(), messages).find(facts())
    assert faults == []


class _BrokenStore(CountingStore):
    @override
    async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        raise ValueError("secret text")


async def test_unexpected_error_costs_the_memory_alone(faults: list[tuple[str, str]]) -> None:
    """The log names the error's class. Its message may hold a client's text."""
    assert await memory_of(_BrokenStore()).find(facts()) is None
    assert faults == [("memory_error", "ValueError")]
