"""The summaries that this process writes in the background: the running jobs, their limits, and their conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from hashlib import blake2b
from typing import Any

from proxy.observability.request_record import RequestRecord
from proxy.planning.compact.job_limits import FailureDelays, SummaryShares
from proxy.state.known_conversations import KnownConversations

MAX_JOBS = 2
"""The most summaries that a process writes at one time."""


class SummaryJobs:
    """The background jobs of one process. All gateways of the process share them.

    *log_key* keys the digests that the log shows, so that nobody can guess a text from a log line.
    """

    def __init__(self, log_key: bytes) -> None:
        self.delays = FailureDelays()
        self.shares = SummaryShares()
        self.conversations = KnownConversations()
        self._log_key = log_key
        self._running: dict[tuple[str, str], asyncio.Task[None]] = {}

    @property
    def has_room(self) -> bool:
        """True where another job may begin."""
        return len(self._running) < MAX_JOBS

    @property
    def is_busy(self) -> bool:
        """True while a job runs."""
        return bool(self._running)

    def is_running(self, tenant: str, root: str) -> bool:
        """Return True where a job for the conversation runs in this process."""
        return (tenant, root) in self._running

    def start(self, tenant: str, root: str, work: Coroutine[Any, Any, None]) -> None:
        """Run *work* as the job of a conversation. The caller does not wait, and *work* must not raise."""
        task = asyncio.get_running_loop().create_task(work)
        self._running[tenant, root] = task
        task.add_done_callback(lambda _: self._running.pop((tenant, root), None))

    def count_request(self, record: RequestRecord) -> None:
        """Add the tokens of a client's request: those that its provider reported, else the estimate of its prompt."""
        tokens = reported_tokens(record.usage)
        plan = record.plan
        if not tokens and record.attempts and plan is not None and plan.budget is not None:
            tokens = plan.budget.sent
        if tokens:
            self.shares.count_request(record.key, tokens)

    async def close(self) -> None:
        """Cancel the running jobs and wait for their end."""
        tasks = tuple(self._running.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def log_digest(self, digest: bytes) -> str:
        """Return the short form of *digest* for the log. It is the same within this process alone."""
        return blake2b(digest, key=self._log_key, digest_size=6).hexdigest()


def reported_tokens(usage: Mapping[str, Any]) -> int:
    """Return the tokens of prompt and answer in a provider's *usage*. Values that are no counts add nothing."""
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    return sum(count for count in counts if isinstance(count, int) and count > 0)
