"""The state of each message while the cuts of a history are planned: its tokens, its replacement, and its removal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from sanitizers.messages import Message, Messages
from sanitizers.work_limit import metered, spend

Size: TypeAlias = Callable[[Message], int]
"""A function that returns a message's tokens, with those that the provider adds for each message.

The same message always has the same size.
"""

Reason = Literal["tool_result_capped", "tool_result_cleared", "round_dropped", "middle_cut", "last_turns"]
"""Reasons why a message was changed or removed: the closed set of the step ``budget``."""


class Replacement(NamedTuple):
    """A message that replaces another, with the reason and its tokens."""

    message: Message
    reason: Reason
    tokens: int


class Ledger:
    """The messages of one history, with what was done to them so far.

    *before* holds the tokens of each message as it came. *now* holds the tokens of the message or its replacement, even
    if the message is gone. *total* is the sum for all messages that were taken in and are not gone, and for the notice
    of removed messages. *size* returns the tokens of any message. *pinned* holds the indexes of the messages that no
    cut may drop or shorten.
    """

    def __init__(self, messages: Messages, size: Size, pinned: Messages = ()) -> None:
        self.messages = messages
        self.pinned = _places_of(pinned, messages) if pinned else frozenset()
        self.before = [size(message) for message in metered(messages)]
        self.now = list(self.before)
        self.total = 0
        self.replaced: dict[int, Replacement] = {}
        self.gone: dict[int, Reason] = {}
        self.size = size

    def current(self, at: int) -> Message:
        """Return the message at *at* or its replacement, for a message that is not gone."""
        replacement = self.replaced.get(at)
        return self.messages[at] if replacement is None else replacement.message

    def take_in(self, start: int, end: int) -> None:
        """Add the tokens of the messages from *start* up to *end* to the total."""
        self.total += sum(self.now[start:end])

    def replace(self, at: int, content: object, reason: Reason, *, always: bool = False) -> bool:
        """Replace the content of message *at* if that saves tokens, or *always*, and tell whether it was replaced."""
        spend()
        message = {**self.messages[at], "content": content}
        tokens = self.size(message)
        if tokens >= self.now[at] and not always:
            return False
        self.total += tokens - self.now[at]
        self.now[at] = tokens
        self.replaced[at] = Replacement(message, reason, tokens)
        return True

    def drop(self, start: int, end: int, reason: Reason) -> int:
        """Remove the messages from *start* up to *end*, and return the tokens that this saves."""
        spend(end - start)
        tokens = sum(self.now[start:end])
        self.total -= tokens
        for at in range(start, end):
            self.gone[at] = reason
        return tokens


def _places_of(pinned: Messages, messages: Messages) -> frozenset[int]:
    """Return the indexes in *messages* of the objects in *pinned*. An equal message is not the same object."""
    same = {*map(id, pinned)}
    return frozenset(at for at, message in enumerate(messages) if id(message) in same)
