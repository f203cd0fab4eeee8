"""Read the messages of a Messages request as chat messages, with the places of the messages."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import Any

from sanitizers.changes import Change
from sanitizers.native.messages.message_reader import MessageReader
from sanitizers.native.messages.places import refuse
from sanitizers.native.protocol import Need, Projection
from sanitizers.record import record
from sanitizers.work_limit import metered

_ITEMS_END = attrgetter("items.stop")
_MESSAGES_END = attrgetter("messages.stop")


@record
class MessagesProjection(Projection):
    """Messages of Anthropic's API as chat messages.

    *changes* say what a chat cannot have, each with the index of its message. *needs* are the places that only
    Anthropic can serve. A placeholder stands in the messages for what cannot be left out. No span covers the first
    *leading* chat messages: the request's ``system``.
    """

    changes: tuple[Change, ...]
    needs: tuple[Need, ...] = ()
    leading: int = 0

    def message_of(self, item_index: int) -> int:
        """Return the index of the first chat message of the message at *item_index*, or of the next chat message."""
        at = bisect_right(self.spans, item_index, key=_ITEMS_END)
        return self.spans[min(at, len(self.spans) - 1)].messages.start

    def item_of(self, message_index: int) -> int:
        """Return the index of the message of the client's that the chat message at *message_index* was read from.

        It is the first one for what the client has in ``system``.
        """
        at = bisect_right(self.spans, message_index, key=_MESSAGES_END)
        return self.spans[min(at, len(self.spans) - 1)].items.start


def project(items: Any, system: Any = None, *, tenant: str = "") -> MessagesProjection:
    """Return *items*, a request's ``messages``, as chat messages, behind a message with *system*.

    Envelopes are read where they are those of *tenant*. Raises :class:`~sanitizers.errors.Unrepairable`, with the place
    in Anthropic's notation in ``param`` (``messages.3.content.0``), for what cannot be read.
    """
    if not isinstance(items, list | tuple):
        refuse("messages", "Field required" if items is None else "Input should be a valid list")
    if not items:
        refuse("messages", "at least one message is required")
    reader = MessageReader(tenant)
    reader.read_system(system)
    for index, item in enumerate(metered(items)):
        reader.add(index, item)
    read = reader.finish(len(items))
    return MessagesProjection(read.messages, read.spans, read.changes, read.needs, read.leading)
