"""A summary that is due, with everything that its job in the background needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.compact.choose_cut import Cut, choose_cut
from proxy.planning.compact.choose_summary import HistoryDigests, tokens_with
from proxy.planning.compact.measure import MeasuredHistory
from proxy.planning.compact.policies import CompactionPolicy
from proxy.state.summaries import IndexEntry, Summary
from sanitizers.record import record

_LARGEST_SHARE = 4
"""A memory has at most a quarter of the limit, so that a small window is not filled by it."""


@record
class SummaryJob:
    """A summary that is due: the history, the cut at which the summary ends, and the summary used so far.

    *tokens* are the tokens of the whole request as it is sent now. *policy* holds the limits of the new memory.
    """

    tenant: str
    history: HistoryDigests
    measured: MeasuredHistory
    cut: Cut
    previous: Summary | None
    policy: CompactionPolicy
    tokens: int

    @property
    def root(self) -> str:
        """The key of the conversation in the store."""
        return self.history.root

    @property
    def digest(self) -> bytes:
        """The digest of the messages that the summary covers."""
        return self.history.digest_at(self.cut.end)

    @property
    def kept_tokens(self) -> int:
        """The tokens of the next request without the memory: tools, and first, pinned and newest messages."""
        sizes, history = self.measured.sizes, self.history
        pinned = sum(sizes[at] for at in self.cut.pinned)
        return self.measured.fixed + sum(sizes[: history.start]) + pinned + sum(sizes[self.cut.end :])


@record
class SentHistory:
    """A history as it is sent now: with *memory*, which comes from *summary*, or whole where *memory* is None."""

    history: HistoryDigests
    measured: MeasuredHistory
    memory: AppliedMemory | None
    summary: Summary | None


def find_due(
    sent: SentHistory, tenant: str, policy: CompactionPolicy, entries: Iterable[IndexEntry]
) -> SummaryJob | None:
    """Return the summary that is due for *sent*, or None.

    A summary is due where the request has at least the trigger's tokens, a cut is worth a summary, and no entry has
    that cut.
    """
    history, measured, memory = sent.history, sent.measured, sent.memory
    tokens = tokens_with(memory, measured)
    if tokens < measured.trigger:
        return None
    cut = choose_cut(history, measured, policy.keep_messages, 0 if memory is None else memory.end)
    if cut is None or any(entry.digest == history.digest_at(cut.end) for entry in entries):
        return None
    room = min(policy.memory_tokens, measured.limit // _LARGEST_SHARE)
    previous = None if memory is None else sent.summary
    return SummaryJob(tenant, history, measured, cut, previous, replace(policy, memory_tokens=room), tokens)
