"""What the replay knows of each message at a moment: its tokens, what stands in its place, whether it is gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from sanitizers.messages import Message, Messages
from sanitizers.work_limit import metered, spend

Size: TypeAlias = Callable[[Message], int]
"""Tells a message's tokens, its overhead included; the same message has the same size."""

Reason = Literal["tool_result_capped", "tool_result_cleared", "round_dropped", "middle_cut", "last_turns"]
"""Why a message was changed or removed: the closed set of the step ``budget``."""


class Replacement(NamedTuple):
    """What is sent in the place of a message, why, and its tokens."""

    message: Message
    reason: Reason
    tokens: int


class Ledger:
    """The messages of one history, with what was done to them so far.

    *before* holds the tokens of each as it came, *now* those of what stands for it, gone or not; *total* is the sum of
    what is left of those that were taken in.
    """

    def __init__(self, messages: Messages, size: Size) -> None:
        self.messages = messages
        self.before = [size(message) for message in metered(messages)]
        self.now = list(self.before)
        self.total = 0
        self.replaced: dict[int, Replacement] = {}
        self.gone: dict[int, Reason] = {}
        self._size = size

    def current(self, at: int) -> Message:
        """Return what stands for message *at*; it is not gone."""
        replacement = self.replaced.get(at)
        return self.messages[at] if replacement is None else replacement.message

    def size_of(self, message: Message) -> int:
        """Return the tokens of a message that is not of the history."""
        return self._size(message)

    def take_in(self, start: int, end: int) -> None:
        """Add the messages from *start* up to *end* to the total."""
        self.total += sum(self.now[start:end])

    def replace(self, at: int, content: object, reason: Reason, *, always: bool = False) -> bool:
        """Let *content* be the content of message *at*, if that saves tokens or *always*; tell whether it is."""
        spend()
        message = {**self.messages[at], "content": content}
        tokens = self._size(message)
        if tokens >= self.now[at] and not always:
            return False
        self.total += tokens - self.now[at]
        self.now[at] = tokens
        self.replaced[at] = Replacement(message, reason, tokens)
        return True

    def drop(self, start: int, end: int, reason: Reason) -> int:
        """Let the messages from *start* up to *end* be gone; return the tokens that saves."""
        spend(end - start)
        tokens = sum(self.now[start:end])
        self.total -= tokens
        for at in range(start, end):
            self.gone[at] = reason
        return tokens
