"""Tokens of messages, and the window that a request has to fit.

Tokens are a quarter of the bytes of a message's JSON, and four more for each message. The results are compared as
shares, which hardly depend on this estimate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.sessions import measure
from sanitizers import Message, Messages
from sanitizers.budget import count_leading_system

TOOLS = 4_000
"""Tokens of the tool definitions, which come before the messages in every request."""


class Sizes:
    """Returns the tokens of messages. The messages of *session* are measured only once.

    A session's messages are known by identity, and are kept alive here. Otherwise a new message could get the address,
    and with it the tokens, of a freed one.
    """

    def __init__(self, session: Iterable[Message] = ()) -> None:
        self._known = {id(message): (message, measure(message)) for message in session}

    def __call__(self, message: Message) -> int:
        """Return the tokens of *message*."""
        known = self._known.get(id(message))
        return measure(message) if known is None else known[1]

    def sum(self, messages: Iterable[Message]) -> int:
        """Return the tokens of *messages* together."""
        return sum(map(self, messages))


@dataclass(frozen=True)
class Window:
    """A context window with room for *room* tokens of turns, besides the tools and the leading system messages."""

    room: int
    size: Sizes

    def limit(self, history: Messages) -> int:
        """Return the tokens that a whole request may have, for the system messages that lead *history*."""
        return self.room + self.size.sum(history[: count_leading_system(history)]) + TOOLS

    def tokens(self, messages: Messages) -> int:
        """Return the tokens of a request with *messages*."""
        return TOOLS + self.size.sum(messages)
