"""The record of one change, the unit of the change list that clients and operators see.

A change names places, reasons, field names, call ids and the new names of tools. It never holds message text,
arguments or addresses, so that it can go into headers, logs and metrics as it is.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["dropped", "inserted", "merged", "moved", "replaced"]


@dataclass(frozen=True, slots=True)
class Change:
    """One change to a history, or to the tools that stand beside it (step ``tools``, where *index* is a tool's).

    *step* is the step's name (``orphan_drop``), *kind* what was done, *index* the place in the ``messages``
    that the client sent (for ``inserted``: the message that it belongs to; for a declared tool: its place among
    those), *reason* a slug from the step's closed set, *detail* a field name, part position, call id or a tool's
    new name where that helps, else empty.
    """

    step: str
    kind: Kind
    index: int
    reason: str
    detail: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the change as JSON-ready values."""
        return asdict(self)
