"""Writes the next summary of a conversation from a model's accepted answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from proxy.planning.compact.choose_cut import Cut
from proxy.planning.compact.memory_text import MemoryInput, memory_message, write_memory
from proxy.planning.compact.policies import CompactionPolicy
from proxy.state.summaries import Reflection, Summary
from sanitizers.budget.ledger import Size
from sanitizers.messages import Message, Messages
from sanitizers.record import record

_REFLECTIONS_SHARE = Fraction(15, 16)
"""The share of the memory that all reflections may take together: 3,750 of 4,000 tokens."""

_REFLECTION_SHARE = Fraction(3, 16)
"""The largest share of the memory that one reflection may take: 750 of 4,000 tokens."""

_META_SLOTS = 2
"""The reflection that summarizes older reflections counts as two reflections, and may be twice as long."""

_WHOLE_SHARE = Fraction(1, 10)
"""The aim for the whole request, as a share of its tokens before compaction (ADR-0006 of adk-code).
"""


@record
class NextSummary:
    """Everything that the next summary depends on.

    *messages* is the client's history and *start* the index after the user's first message. *previous* is the summary
    that the history has used so far, if any. *meta* is the reflection that summarizes all reflections of *previous*, or
    None. *sent* are the tokens that the whole request had, and *kept* the tokens of all that is sent besides the
    memory. *created* is the Unix time in seconds.
    """

    messages: Messages
    start: int
    cut: Cut
    previous: Summary | None
    meta: Reflection | None
    sent: int
    kept: int
    policy: CompactionPolicy
    size: Size
    created: int


def write_summary(given: NextSummary, reflection: Reflection) -> Summary:
    """Return the summary that ends at the cut of *given*, with *reflection* as its newest reflection.

    The reflections of the previous summary are taken over as they are. Where *given* has a *meta*, that reflection
    replaces them. The text is empty where the memory would not be shorter than the messages that it replaces.
    """
    previous, policy, end = given.previous, given.policy, given.cut.end
    meta = None if previous is None else previous.meta
    reflections = () if previous is None else previous.reflections
    if given.meta is not None:
        meta, reflections = given.meta, ()
    summary = Summary(
        end, given.cut.pinned, "", 0, meta, (*reflections, reflection), given.created, policy.model
    )
    replaced = [*covered_messages(given.messages, given.start, given.cut)]
    memory = MemoryInput(
        replaced,
        given.start,
        end,
        meta,
        summary.reflections,
        room=policy.memory_tokens,
        fill=max(0, int(given.sent * _WHOLE_SHARE) - given.kept),
        size=given.size,
    )
    text = write_memory(memory)
    tokens = given.size(memory_message(text))
    return replace(summary, text=text, tokens=tokens) if tokens < sum(map(given.size, replaced)) else summary


def covered_messages(messages: Messages, start: int, cut: Cut) -> Iterator[Message]:
    """Yield the messages from *start* up to the end of *cut* that are not pinned."""
    pinned = frozenset(cut.pinned)
    return (messages[at] for at in range(start, cut.end) if at not in pinned)


def segment_indexes(start: int, cut: Cut, previous: Summary | None) -> list[int]:
    """Return the indexes of the messages that the next reflection is about.

    These are the messages after *previous*, and those that only *previous* had pinned.
    """
    begin = start if previous is None else previous.end
    freed = () if previous is None else previous.pinned
    pinned = frozenset(cut.pinned)
    return [at for at in (*freed, *range(begin, cut.end)) if at not in pinned]


def is_full(summary: Summary, policy: CompactionPolicy) -> bool:
    """Return True where the reflections of *summary* are to be replaced by one reflection that summarizes them all."""
    slots = len(summary.reflections) + (_META_SLOTS if summary.meta is not None else 0)
    return slots >= policy.reflect_after


def reflection_tokens(policy: CompactionPolicy) -> int:
    """Return the most tokens of one reflection."""
    share = min(_REFLECTION_SHARE, _REFLECTIONS_SHARE / policy.reflect_after)
    return int(policy.memory_tokens * share)


def meta_tokens(policy: CompactionPolicy) -> int:
    """Return the most tokens of a reflection that summarizes other reflections."""
    return _META_SLOTS * reflection_tokens(policy)
