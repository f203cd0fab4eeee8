"""Tests of the jobs that write summaries: their number, their end, and the tokens that are counted."""

from __future__ import annotations

import asyncio

import pytest

from proxy.forwarding.summary_jobs import MAX_JOBS, SummaryJobs, reported_tokens
from proxy.observability.request_record import RequestRecord


async def test_process_runs_two_jobs_and_one_for_each_conversation() -> None:
    """A job that ends leaves its place to another one."""
    jobs = SummaryJobs(b"key")
    release = asyncio.Event()

    async def work() -> None:
        await release.wait()

    for number in range(MAX_JOBS):
        assert jobs.has_room
        jobs.start("blue", f"root {number}", work())
    assert jobs.is_busy
    assert [jobs.has_room] == [False]
    assert jobs.is_running("blue", "root 0")
    assert not jobs.is_running("red", "root 0")
    release.set()
    for _ in range(3):
        await asyncio.sleep(0)
    assert [jobs.has_room, jobs.is_busy] == [True, False]
    assert not jobs.is_running("blue", "root 0")


async def test_close_ends_the_running_jobs() -> None:
    """A process that stops does not wait for a summarizing model."""
    jobs = SummaryJobs(b"key")
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("work")

    jobs.start("blue", "root", work())
    await asyncio.sleep(0)
    await jobs.close()
    assert ended == ["work"]
    await jobs.close()


def test_usage_of_requests_allows_summaries() -> None:
    """The tokens that providers report for a key's requests are its own."""
    jobs = SummaryJobs(b"key")
    jobs.shares.count_summary("blue", 100)
    assert not jobs.shares.may_begin("blue", 0.1)
    usage = {"prompt_tokens": 800, "completion_tokens": 100}
    jobs.count_request(RequestRecord("req_1", "/v1/chat/completions", 0.0, key="blue", usage=usage))
    assert jobs.shares.may_begin("blue", 0.1)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({}, 0),
        ({"prompt_tokens": 3, "completion_tokens": 4}, 7),
        ({"prompt_tokens": "3", "completion_tokens": -4}, 0),
    ],
)
def test_only_counts_are_added(usage: dict[str, object], expected: int) -> None:
    """Providers send counts of any type and sign."""
    assert reported_tokens(usage) == expected


def test_digests_in_the_log_belong_to_one_process() -> None:
    """Nobody can compute the digest of a guessed text."""
    assert SummaryJobs(b"key").log_digest(b"text") == SummaryJobs(b"key").log_digest(b"text")
    assert SummaryJobs(b"key").log_digest(b"text") != SummaryJobs(b"other").log_digest(b"text")
