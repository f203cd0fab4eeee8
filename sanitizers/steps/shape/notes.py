"""A change within one message, before its place in the history is added."""

from __future__ import annotations

from typing import NamedTuple

from sanitizers.changes import Change, Kind

NAME = "shape"


class Note(NamedTuple):
    """A change of one message: the kind, reason and detail of the later :class:`Change`."""

    kind: Kind
    reason: str
    detail: str = ""

    def at(self, index: int) -> Change:
        """Return the change, at the message's *index*."""
        return Change(NAME, self.kind, index, self.reason, self.detail)
