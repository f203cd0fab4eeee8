"""Chooses the stored summary that serves a history.

The choice depends only on the history, the stored summaries and the settings, so that every process makes the same
choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.compact.boundaries import find_boundaries, is_boundary
from proxy.planning.compact.hash_chain import HashChain
from proxy.planning.compact.known_prefixes import Fingerprints, KnownPrefixes
from proxy.planning.compact.measure import MeasuredHistory
from proxy.planning.compact.memory_text import memory_message
from proxy.planning.compact.user_words import is_users_own
from proxy.state.summaries import IndexEntry, Summary
from sanitizers.messages import Messages

_FEW = 4
"""The most entries whose ends are checked one by one.

For more entries, all boundaries of the history are found at once.
"""


class HistoryDigests:
    """A history of *tenant* with the digests of its beginnings. *start* is the index after the user's first message.

    *chain* is the hash chain of *messages*. *known* are the digests that this process has computed before.
    """

    def __init__(
        self, messages: Messages, start: int, tenant: str, known: KnownPrefixes | None = None
    ) -> None:
        self.messages = messages
        self.start = start
        self.chain = HashChain(messages, tenant)
        self._tenant = tenant
        self._known = known or KnownPrefixes()
        self._fingerprints = Fingerprints(messages, self.chain[start])

    def digest_at(self, length: int) -> bytes:
        """Return the digest of the first *length* messages."""
        return self._known.digest_of(self._tenant, self.chain, self._fingerprints, length)

    @cached_property
    def boundaries(self) -> Sequence[int]:
        """The indexes before which the history can be cut, in order."""
        return find_boundaries(self.messages)

    @property
    def root(self) -> str:
        """The key of the conversation's index in the store."""
        return self.chain[self.start].hex()


def start_of(messages: Messages) -> int | None:
    """Return the index after the user's first message, or None where the user has not spoken.

    Where a call before that message has its result after it, the index is the next one that separates no call from its
    result.
    """
    start = next((at + 1 for at, message in enumerate(messages) if is_users_own(message)), None)
    if start is None or not any("tool_calls" in each or "function_call" in each for each in messages[:start]):
        return start
    return next(at for at in find_boundaries(messages) if at >= start)


def matching_entries(
    entries: Iterable[IndexEntry], history: HistoryDigests, keep_messages: int
) -> list[IndexEntry]:
    """Return the entries whose summary covers a beginning of *history*, the longest first.

    Entries that only longer histories may use (:attr:`IndexEntry.since`) are among them. The last *keep_messages*
    messages are never covered.
    """
    last = len(history.messages) - keep_messages
    equal = [
        entry
        for entry in entries
        if history.start < entry.end <= last and history.digest_at(entry.end) == entry.digest
    ]
    if len(equal) > _FEW:
        boundaries = frozenset(history.boundaries)
        equal = [entry for entry in equal if entry.end in boundaries]
    else:
        equal = [entry for entry in equal if is_boundary(history.messages, entry.end)]
    return sorted(equal, key=lambda entry: -entry.end)


def apply_summary(
    summary: Summary,
    entry: IndexEntry,
    history: HistoryDigests,
    measured: MeasuredHistory,
    memory_tokens: int,
) -> AppliedMemory | None:
    """Return the memory that *summary* gives *history*, or None for a summary that cannot be used.

    A summary that does not belong to *entry*, has no text, or has more than *memory_tokens* is not used. Its tokens are
    the stored number from when it was written. So processes with different token factors decide alike.
    """
    if summary.end != entry.end or any(not history.start <= at < entry.end for at in summary.pinned):
        return None
    if not summary.text or summary.tokens > memory_tokens:
        return None
    message = memory_message(summary.text)
    return AppliedMemory(
        message,
        history.start,
        entry.end,
        summary.pinned,
        measured.size(message),
        len(summary.reflections) + (summary.meta is not None),
        summary.created,
        summary.model,
    )


def tokens_with(memory: AppliedMemory | None, measured: MeasuredHistory) -> int:
    """Return the tokens of the whole request with *memory*, or without one."""
    if memory is None:
        return measured.total
    sizes = measured.sizes
    gone = sum(sizes[memory.start : memory.end]) - sum(sizes[at] for at in memory.pinned)
    return measured.total - gone + memory.tokens
