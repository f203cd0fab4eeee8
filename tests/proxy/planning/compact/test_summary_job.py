"""Tests of when a summary is due, and of what its job gets."""

from __future__ import annotations

import pytest

from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.compact.policies import CompactionPolicy
from proxy.planning.compact.summary_job import SentHistory, SummaryJob, find_due
from proxy.state.summaries import IndexEntry, Summary
from tests.proxy.planning.compact.compact_histories import digests_of, measured, session
from tests.support.builders import user

MESSAGES = session(10)
HISTORY = digests_of(MESSAGES)
POLICY = CompactionPolicy("cheap", keep_messages=4)
SUMMARY = Summary(8, (), "text", 10, None, (), 0, "cheap")
MEMORY = AppliedMemory(user("m" * 50), 2, 8, (), 50, 1, 0, "cheap")


def due(
    tokens: int, *entries: IndexEntry, limit: int = 1_000, memory: AppliedMemory | None = None
) -> SummaryJob | None:
    """Return the summary that is due for the history, whose messages have *tokens* in all."""
    sizes = [tokens // len(MESSAGES)] * len(MESSAGES)
    sizes[0] += tokens - sum(sizes)
    sent = SentHistory(HISTORY, measured(sizes, limit, limit * 7 // 10), memory, SUMMARY)
    return find_due(sent, "blue", POLICY, entries)


@pytest.mark.parametrize(("tokens", "is_due"), [(699, False), (700, True), (1_500, True)])
def test_summary_is_due_from_exactly_seventy_percent_of_the_limit(tokens: int, *, is_due: bool) -> None:
    """The trigger itself is enough."""
    assert (due(tokens) is not None) is is_due


def test_summary_that_is_in_the_index_is_not_due_again() -> None:
    """The stored summary may wait for a longer request, or may have been lost."""
    assert due(800, IndexEntry(18, 99, HISTORY.chain[18])) is None
    assert due(800, IndexEntry(16, 99, HISTORY.chain[16])) is not None


def test_tokens_are_those_that_are_sent() -> None:
    """A history with its memory is far shorter than the client's."""
    job = due(1_100, memory=MEMORY)  # 50 a message, so that the memory saves 250
    assert job is not None
    assert (job.tokens, job.previous) == (850, SUMMARY)
    assert due(850, memory=MEMORY) is None


def test_job_knows_what_stays_beside_the_memory() -> None:
    """The first two messages and the last four stay."""
    job = due(1_100)
    assert job is not None
    assert (job.cut.end, job.kept_tokens, job.previous) == (18, 6 * 50, None)
    assert (job.root, job.digest) == (HISTORY.root, HISTORY.chain[18])


@pytest.mark.parametrize(("limit", "room"), [(1_000, 250), (32_000, 4_000)])
def test_memory_has_at_most_a_quarter_of_the_limit(limit: int, room: int) -> None:
    """A memory of 4,000 tokens would fill a small window."""
    job = due(limit, limit=limit)
    assert job is not None
    assert job.policy.memory_tokens == room
