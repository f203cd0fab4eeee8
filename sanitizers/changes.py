"""The record of one change: the unit of the change list that clients and operators see.

A change holds indexes, reasons, field names, call ids and the new names of tools. It never holds message text,
arguments or addresses, so that it can go into headers, logs and metrics as it is.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

Kind = Literal["dropped", "inserted", "merged", "moved", "replaced"]


@dataclass(frozen=True, slots=True)
class Change:
    """One change to a history, or to the tools that a request declares (step ``tools``).

    *step* is the step's name (``orphan_drop``) and *kind* the kind of change. *index* is the message's index in the
    ``messages`` that the client sent. For ``inserted``, *index* is that of the message to which the new message
    belongs. For a declared tool, *index* is the tool's position in the request. *reason* is a slug from the step's
    closed set. *detail* is a field's name, a part's position, a call's id, a tool's new name, or empty.
    """

    step: str
    kind: Kind
    index: int
    reason: str
    detail: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the change as JSON-ready values."""
        return asdict(self)


class MessageChange(NamedTuple):
    """A change of one message, before the message's index in the history is known."""

    kind: Kind
    reason: str
    detail: str = ""

    def at(self, step: str, index: int) -> Change:
        """Return the full change, with the name of *step* and the message's *index*."""
        return Change(step, self.kind, index, self.reason, self.detail)
