"""Tests of the jobs that write summaries: their number, their end, and the tokens that are counted."""

from __future__ import annotations

import asyncio

import pytest

from proxy.forwarding.summary_jobs import MAX_JOBS, SummaryJobs, reported_tokens
from proxy.observability.request_record import RequestRecord
from proxy.planning.compact.choose_cut import Cut
from proxy.planning.compact.policies import CompactionPolicy
from proxy.planning.compact.summary_job import SummaryJob
from tests.proxy.planning.compact.compact_histories import digests_of, measured, rounds
from tests.support.builders import user


def job_of(number: int, messages: int = 20) -> SummaryJob:
    """Return the job of conversation *number* with so many messages, which covers the first ten."""
    history = digests_of([user(f"Task {number}."), *rounds(messages)][:messages])
    sizes = measured([100] * messages)
    return SummaryJob("blue", history, sizes, Cut(9, ()), None, CompactionPolicy("cheap"), 2_000)


async def test_summary_is_for_requests_longer_than_those_sent_while_it_was_written() -> None:
    """Only requests with the summarized messages count. Another branch of the conversation may be longer."""
    jobs = SummaryJobs(b"key")
    job = job_of(0)
    jobs.start(job, asyncio.sleep(60))
    jobs.note_request("blue", job_of(0, 24).history)
    jobs.note_request("blue", job_of(0, 22).history)
    branch = digests_of([user("Task 0."), *rounds(20, first=7)])
    assert branch.root == job.root
    jobs.note_request("blue", branch)
    jobs.note_request("red", job_of(0, 30).history)
    assert jobs.newest(job) == 24
    await jobs.close()
    assert jobs.newest(job) == 20


async def test_process_runs_two_jobs_and_one_for_each_conversation() -> None:
    """A job that ends leaves its place to another one."""
    jobs = SummaryJobs(b"key")
    release = asyncio.Event()

    async def work() -> None:
        await release.wait()

    for number in range(MAX_JOBS):
        assert jobs.has_room("blue", is_shared=False)
        jobs.start(job_of(number), work())
    assert jobs.is_busy
    assert not jobs.has_room("blue", is_shared=False)
    assert jobs.is_running("blue", job_of(0).root)
    assert not jobs.is_running("red", job_of(0).root)
    release.set()
    for _ in range(3):
        await asyncio.sleep(0)
    assert jobs.has_room("blue", is_shared=False)
    assert [jobs.is_busy] == [False]
    assert not jobs.is_running("blue", job_of(0).root)


async def test_key_takes_one_of_the_places() -> None:
    """The slow summaries of one key leave a place to the other keys."""
    jobs = SummaryJobs(b"key")
    jobs.start(job_of(0), asyncio.sleep(60))
    assert not jobs.has_room("blue", is_shared=True)
    assert jobs.has_room("red", is_shared=True)
    await jobs.close()


async def test_close_ends_the_running_jobs() -> None:
    """A process that stops does not wait for a summarizing model."""
    jobs = SummaryJobs(b"key")
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("work")

    jobs.start(job_of(0), work())
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
