"""Read the messages of a Messages request as chat messages, with the places of the messages."""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.native.protocol import Need, Projection
from sanitizers.record import record


@record
class MessagesProjection(Projection):
    """Messages of Anthropic's API as chat messages.

    *changes* say what was left out, each with the index of its message. *needs* are the places that only Anthropic can
    serve. A placeholder stands in the messages for what cannot be left out.
    """

    changes: tuple[Change, ...]
    needs: tuple[Need, ...] = ()
    leading: int = 0
    """The number of messages before the spans: what the request's ``system`` became."""
