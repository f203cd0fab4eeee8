"""A history with a memory in place of its older messages.

The order of the result is: the first messages, the memory, the pinned messages, and the messages that the summary does
not cover. The first messages end with the user's first message, or later where a call before it has a late result.
Every message but the memory is the client's own object.
"""

from __future__ import annotations

from dataclasses import dataclass

from sanitizers import Change, Message, Messages

STEP = "compaction"
"""The name of compaction in the change list, headers and metrics."""


@dataclass(frozen=True, slots=True)
class AppliedMemory:
    """One memory in one history. Indexes are those of the client's messages.

    *message* stands in place of the messages from *start* up to *end*, except those whose indexes are *pinned*.
    *tokens* are the tokens of *message*. *reflections* is the number of summaries by a model from which the memory was
    made. *created* is the Unix time in seconds at which the summary was written, and *model* is the configured name of
    the model that wrote it.
    """

    message: Message
    start: int
    end: int
    pinned: tuple[int, ...]
    tokens: int
    reflections: int
    created: int
    model: str

    def apply_to(self, messages: Messages) -> list[Message]:
        """Return *messages* with the memory. *messages* may be longer than the history that the memory was made for."""
        pinned = [messages[at] for at in self.pinned]
        return [*messages[: self.start], self.message, *pinned, *messages[self.end :]]

    def origin_of(self, index: int) -> int:
        """Return the client's index of message *index* of :meth:`apply_to`. The memory counts as message *start*."""
        if index <= self.start:
            return index
        behind = index - self.start - 1
        if behind < len(self.pinned):
            return self.pinned[behind]
        return self.end + behind - len(self.pinned)

    @property
    def change(self) -> Change:
        """The entry in the change list that names the replaced messages."""
        return Change(STEP, "replaced", self.start, "summary", f"messages {self.start}-{self.end - 1}")
