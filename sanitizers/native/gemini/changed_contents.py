"""Contents after changes, with the places that they had before."""

from __future__ import annotations

from typing import Any

from sanitizers.changes import Change
from sanitizers.native.protocol import Items
from sanitizers.record import record

STEP = "item_repair"
"""The step's name of the changes that are made to contents alone. Their indexes are those of the client's."""


@record
class ChangedContents:
    """Contents after changes. Without any, *items* is the very list that was given, and *origins* is None.

    *changes* are those that no chat message shows, with the indexes of the contents that were given. *origins* has the
    same index for each content, or that of a neighbour. *has_new_system* says that *system* replaces the system
    instruction, where None removes it.
    """

    items: Items
    origins: tuple[int, ...] | None = None
    changes: tuple[Change, ...] = ()
    has_new_system: bool = False
    system: Any = None
