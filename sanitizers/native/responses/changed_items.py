"""Items after changes, with the places that they had before."""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.native.protocol import Item, Items
from sanitizers.native.responses.item_types import TOOL_CARRIERS
from sanitizers.record import record

STEP = "item_repair"
"""The step's name of the changes that are made to items alone, and not to the messages that were read from them."""


@record
class ChangedItems:
    """Items after changes. Without any, *items* is the very list that was given, and *origins* is None.

    *changes* are those that no message shows. Their indexes are those of the items that were given. *origins* has the
    same index for each item, or that of a neighbour for a new item, and -1 where there is none.
    """

    items: Items
    changes: tuple[Change, ...] = ()
    origins: tuple[int, ...] | None = None
    holds_instructions: bool = False
    """True where the request's ``instructions`` stand among the items, so that the field must go."""

    def origin_of(self, index: int) -> int:
        """Return the index that the item at *index* had before."""
        return index if self.origins is None else self.origins[index]


def without_id(item: Item) -> Item:
    """Return *item* without its id."""
    return {name: value for name, value in item.items() if name != "id"}


OF_REQUEST = TOOL_CARRIERS | {"configuration_update"}
"""Types of the items that belong to the request, and to no turn."""

_LOSES_ID = frozenset(
    {"apply_patch_call", "custom_tool_call", "function_call", "message", "reasoning", "shell_call"}
)

NEEDS_ID = frozenset({"file_search_call", "web_search_call"})
"""Types of the items that need an id, and that a chat leaves out as well."""


def part_from_thought(item: Item) -> Item | None:
    """Return *item*, which follows a dropped thought, in a form that does not require the thought (continue#11994).

    The item loses its id. It is None for a type that needs one.
    """
    kind = item.get("type") or "message"
    if "id" not in item or (kind not in _LOSES_ID and kind not in NEEDS_ID):
        return item
    return None if kind in NEEDS_ID else without_id(item)
