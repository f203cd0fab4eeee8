"""Read contents as chat messages, with the places of the messages.

A content is one message, with three exceptions. The model's contents in a row are one message, since the chats of
google-genai keep each chunk of a stream as a content. Each function response is a message of its own. A call or
response under the wrong role becomes a message of the right role. Messages hold no thoughts, no empty texts, and no
fields unknown to chat messages. These stay in the native parts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Set
from operator import attrgetter
from typing import Any

from sanitizers.changes import Change
from sanitizers.native.gemini.content_reader import ContentReader, is_role_of_model
from sanitizers.native.gemini.parts import Part
from sanitizers.native.gemini.system import system_message
from sanitizers.native.protocol import Items, Need, Projection
from sanitizers.record import record
from sanitizers.work_limit import metered

_ITEMS_END = attrgetter("items.stop")
_MESSAGES_END = attrgetter("messages.stop")


@record
class GeminiProjection(Projection):
    """Contents as messages, with the data that is needed to write the contents again.

    *parts* are the native parts of each message. *originals* maps the ``id()`` of a content part or a call, which the
    messages keep alive, to its native part. *unnamed* are the derived ids of calls that have no id in the contents.
    *odd* are the indexes of the contents that may break a rule by themselves, or in their order.

    *changes* say what a chat cannot have, each with the index of its content. *needs* are the places that only Gemini
    can serve. No span covers the first *leading* messages: the system instruction.
    """

    parts: list[list[Part]]
    originals: dict[int, Part]
    unnamed: set[str]
    odd: Set[int] = frozenset()
    changes: tuple[Change, ...] = ()
    needs: tuple[Need, ...] = ()
    leading: int = 0

    def message_of(self, item_index: int) -> int:
        """Return the index of the first message of the content at *item_index*, or of the next message."""
        at = bisect_right(self.spans, item_index, key=_ITEMS_END)
        return self.spans[min(at, len(self.spans) - 1)].messages.start

    def item_of(self, message_index: int) -> int:
        """Return the index of the content that the message at *message_index* was read from.

        It is the first one for the system instruction.
        """
        at = bisect_right(self.spans, message_index, key=_MESSAGES_END)
        return self.spans[min(at, len(self.spans) - 1)].items.start


def project_contents(native: Items, system: Any = None, *, tenant: str = "") -> GeminiProjection:
    """Return *native* as messages, behind a message with *system*, the request's system instruction.

    A call without an id gets a derived one. A response without a known id gets the id of the first unanswered call of
    its name, in the model's content before it. Envelopes are read where they are those of *tenant*. Raises
    :class:`~sanitizers.errors.Unrepairable`, with the place in ``param`` (``contents[3].parts[0]``), for what cannot be
    read.
    """
    leading = system_message(system)
    reader = ContentReader(native, tenant, leading)
    ends = _ends_of_runs(native)
    start = 0
    for index, content in enumerate(metered(native)):
        if index < start:
            continue
        if index in ends:
            start = ends[index]
            reader.add_run(index, native[index:start])
        else:
            reader.add(index, content)
    return GeminiProjection(
        reader.messages,
        reader.spans,
        reader.parts,
        reader.originals,
        reader.unnamed,
        reader.odd,
        tuple(reader.read.changes),
        tuple(reader.read.needs),
        len(leading),
    )


def _ends_of_runs(native: Items) -> Mapping[int, int]:
    """Return the end of each run of several contents of the model in *native*, by the index of its first content."""
    ends: dict[int, int] = {}
    start = -1
    for index, content in enumerate(metered(native)):
        role = content.get("role") if content.__class__ is dict else None
        if role == "user" or (role != "model" and not is_role_of_model(role)):
            start = -1
        elif start < 0:
            start = index
        else:
            ends[start] = index + 1
    return ends
