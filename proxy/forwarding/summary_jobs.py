"""The summaries that this process writes in the background: the running jobs, their limits, and their conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from proxy.observability.request_record import RequestRecord
from proxy.planning.compact.choose_summary import HistoryDigests
from proxy.planning.compact.job_limits import FailureDelays, SummaryShares
from proxy.planning.compact.known_prefixes import KnownPrefixes
from proxy.planning.compact.summary_job import SummaryJob
from proxy.state.known_conversations import KnownConversations

MAX_JOBS = 2
"""The most summaries that a process writes at one time."""


@dataclass(slots=True)
class _Running:
    """A running job, whose summary covers the first *end* messages of a history.

    *newest* is the number of messages of the longest request that begins with these messages.
    """

    task: asyncio.Task[None]
    end: int
    digest: bytes
    newest: int


class SummaryJobs:
    """The background jobs of one process. All gateways of the process share them.

    *log_key* keys the digests that the log shows, so that nobody can guess a text from a log line.
    """

    def __init__(self, log_key: bytes) -> None:
        self.delays = FailureDelays()
        self.shares = SummaryShares()
        self.conversations = KnownConversations()
        self.prefixes = KnownPrefixes()
        self._log_key = log_key
        self._running: dict[tuple[str, str], _Running] = {}

    def has_room(self, tenant: str, *, is_shared: bool) -> bool:
        """Return True where a job of *tenant* may begin now.

        With *is_shared*, several tenants use the proxy. One tenant then gets at most one of the :data:`MAX_JOBS` jobs,
        so that its slow jobs do not keep out other tenants.
        """
        if len(self._running) >= MAX_JOBS:
            return False
        return not (is_shared and any(owner == tenant for owner, _ in self._running))

    @property
    def is_busy(self) -> bool:
        """True while a job runs."""
        return bool(self._running)

    def is_running(self, tenant: str, root: str) -> bool:
        """Return True where a job for the conversation runs in this process."""
        return (tenant, root) in self._running

    def start(self, job: SummaryJob, work: Coroutine[Any, Any, None]) -> None:
        """Run *work* in the background as the job of the conversation of *job*.

        The caller does not wait, and *work* must not raise.
        """
        place = (job.tenant, job.root)
        task = asyncio.get_running_loop().create_task(work)
        self._running[place] = _Running(task, job.cut.end, job.digest, len(job.history.messages))
        task.add_done_callback(lambda _: self._running.pop(place, None))

    def note_request(self, tenant: str, history: HistoryDigests) -> None:
        """Record the length of a request that begins with the messages of the running job, if there is one."""
        running = self._running.get((tenant, history.root))
        count = len(history.messages)
        if (
            running is not None
            and count > running.newest
            and history.digest_at(running.end) == running.digest
        ):
            running.newest = count

    def newest(self, job: SummaryJob) -> int:
        """Return the number of messages of the longest request that was sent without the summary of *job*.

        A repetition of such a request is sent without the summary again.
        """
        running = self._running.get((job.tenant, job.root))
        return len(job.history.messages) if running is None else running.newest

    def count_request(self, record: RequestRecord) -> None:
        """Add the tokens of a client's request to its key's share: the provider's count, else the prompt's estimate."""
        tokens = reported_tokens(record.usage)
        plan = record.plan
        if not tokens and record.attempts and plan is not None and plan.budget is not None:
            tokens = plan.budget.sent
        if tokens:
            self.shares.count_request(record.key, tokens)

    async def close(self) -> None:
        """Cancel the running jobs and wait for their end."""
        tasks = tuple(running.task for running in self._running.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def log_digest(self, digest: bytes) -> str:
        """Return a short form of *digest* for the log, keyed with the log key.

        Other processes log other texts for the same digest.
        """
        return blake2b(digest, key=self._log_key, digest_size=6).hexdigest()


def reported_tokens(usage: Mapping[str, Any]) -> int:
    """Return the tokens of prompt and answer in a provider's *usage*. Values that are no counts add nothing."""
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    return sum(count for count in counts if isinstance(count, int) and count > 0)
