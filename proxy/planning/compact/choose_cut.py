"""Chooses where the next summary of a history ends, and which of the covered messages are sent nevertheless."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from proxy.planning.compact.choose_summary import HistoryDigests
from proxy.planning.compact.measure import MeasuredHistory
from proxy.planning.compact.user_words import is_users_own
from sanitizers.messages import SYSTEM_ROLES, Messages

_LEAST_GAIN = 0.1
"""The least share of the limit that a summary must replace.

Where the newest messages fill the window, each request would otherwise get a new summary of a few messages.
"""

_LONGEST_TURN = 4
"""The most messages of the user's last turn that are pinned."""


class Cut(NamedTuple):
    """A summary covers the messages before index *end*.

    The covered messages at the indexes *pinned* are sent nevertheless.
    """

    end: int
    pinned: tuple[int, ...]


def choose_cut(
    history: HistoryDigests, measured: MeasuredHistory, keep_messages: int, covered: int
) -> Cut | None:
    """Return the cut of the next summary of *history*, or None where no cut is worth a summary.

    The last *keep_messages* messages stay, with the rest of their rounds. The user's last message stays too, wherever
    the cut is. *covered* is the number of messages that a stored summary covers already, or 0.
    """
    messages, sizes = history.messages, measured.sizes
    end = _last_boundary(history.boundaries, len(messages) - keep_messages)
    begin = max(history.start, covered)
    if end <= begin:
        return None
    pinned = tuple(_pinned(messages, history.start, end, _last_user_message(messages)))
    gain = sum(sizes[begin:end]) - sum(sizes[at] for at in pinned if at >= begin)
    return Cut(end, pinned) if gain >= _LEAST_GAIN * measured.limit else None


def _last_user_message(messages: Messages) -> int | None:
    return next((at for at in range(len(messages) - 1, -1, -1) if is_users_own(messages[at])), None)


def _last_boundary(boundaries: Iterable[int], last: int) -> int:
    return max((at for at in boundaries if at <= last), default=0)


def _pinned(messages: Messages, start: int, end: int, turn: int | None) -> Iterable[int]:
    """Yield the indexes from *start* up to *end* that are pinned: system messages, and the user's current turn.

    The *turn* is the index of the user's last message. The user's messages directly before that message belong to the
    same turn.
    """
    first = end
    if turn is not None and start <= turn < end:
        first = turn
        while first > start and turn - first < _LONGEST_TURN - 1 and is_users_own(messages[first - 1]):
            first -= 1
    for at in range(start, end):
        if messages[at].get("role") in SYSTEM_ROLES or (turn is not None and first <= at <= turn):
            yield at
