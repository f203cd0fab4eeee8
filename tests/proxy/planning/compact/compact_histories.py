"""Builds histories and their facts for the tests of compaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proxy.planning.compact.choose_summary import HistoryDigests, start_of
from proxy.planning.compact.measure import MeasuredHistory
from tests.support.builders import assistant, call, system, tool, user


def rounds(count: int, first: int = 0) -> list[dict[str, Any]]:
    """Return *count* rounds of one call each: two messages a round."""
    return [
        message
        for number in range(first, first + count)
        for message in (assistant(None, [call(f"c{number}", "read")]), tool(f"c{number}", f"text {number}"))
    ]


def session(*turns: int) -> list[dict[str, Any]]:
    """Return a history with a system message, and for each of *turns* a user message and so many rounds."""
    messages = [system()]
    for number, count in enumerate(turns):
        messages += [user(f"Task {number}."), *rounds(count, len(messages))]
    return messages


def digests_of(messages: Sequence[dict[str, Any]], tenant: str = "blue") -> HistoryDigests:
    """Return *messages* with their digests and boundaries. The user has spoken in them."""
    start = start_of(messages)
    assert start is not None
    return HistoryDigests(messages, start, tenant)


def measured(sizes: Sequence[int], limit: int = 1_000, trigger: int = 700, fixed: int = 0) -> MeasuredHistory:
    """Return a history of messages with *sizes*, whose other messages have a token for each character."""
    return MeasuredHistory(sizes, fixed, limit, trigger, lambda message: len(message["content"]))
