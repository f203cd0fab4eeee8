"""Mend the calls and outputs among items: their ids, their types, and outputs that are missing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Protocol

from sanitizers.changes import Kind
from sanitizers.native.protocol import Item
from sanitizers.native.responses.call_items import CLIENT_CALLS
from sanitizers.native.responses.parts import as_json, item_place
from sanitizers.native.responses.write_items import write_output
from sanitizers.synthetic import MISSING_RESULT
from sanitizers.work_limit import metered

_PLAIN = frozenset({"custom_tool_call", "function_call"})
"""Types of the calls whose outputs have the same fields."""


class Report(Protocol):
    """The type of a function that takes the changes of items."""

    def __call__(self, kind: Kind, index: int, reason: str, detail: str = "", /) -> None:
        """Take the change of the item at *index*."""


class PairMender:
    """Mends the pairs among *items* in their places, and reports each change."""

    def __init__(self, items: list[Item], report: Report) -> None:
        self._items = items
        self._report = report
        self._calls: dict[str, int] = {}
        self._read = 0  # the items whose calls are known
        self._fitted: set[str] = set()  # the ids of the calls whose outputs got another type

    def spell_call_id(self, index: int, reason: str) -> None:
        """Give the call or output at *index* a legal id, which is the same on both sides (Aether#829).

        An id is never cut, since two ids may begin alike (9router#396).
        """
        item = self._items[index]
        given = item.get("call_id")
        seed = given if isinstance(given, str) and given else f"{index}"
        digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self._items[index] = {**item, "call_id": f"call_{digest}"}
        self._report("replaced", index, reason, "call_id")

    def fit_output(self, index: int) -> bool:
        """Give the output at *index* the type of its call, if it has a call before it. Tell whether it has.

        The indexes of later calls of this method never decrease.
        """
        item = self._items[index]
        call_id = item.get("call_id") or item.get("id")
        if not isinstance(call_id, str) or (at := self._calls_before(index).get(call_id)) is None:
            return False
        call = self._without_screen(at)
        kind = call["type"]
        if kind in _PLAIN and item["type"].removesuffix("_output") in _PLAIN:
            self._items[index] = {**item, "type": f"{kind}_output"}
        else:
            output = item.get("output")
            if item["type"] == "apply_patch_call_output":
                output = {name: item[name] for name in ("status", "output") if item.get(name) is not None}
            said = output if isinstance(output, str) else as_json(output, f"{item_place(index)}.output")
            self._items[index] = write_output(kind, _name_of(call), said)
        self._fitted.add(call_id)
        self._report("replaced", index, "output_type", "type")
        return True

    def answer(self, index: int) -> Item | None:
        """Return an output for the call at *index*, which says that there is none.

        Returns None where :meth:`fit_output` has found one.
        """
        call_id = self._items[index].get("call_id")
        if isinstance(call_id, str) and call_id in self._fitted:
            return None
        call = self._without_screen(index)
        self._report("inserted", index, "missing_result")
        return write_output(call["type"], _name_of(call), MISSING_RESULT)

    def _calls_before(self, stop: int) -> Mapping[str, int]:
        """Return the indexes of the calls before *stop*, by their ids."""
        for index in metered(range(self._read, stop)):
            item = self._items[index]
            if item.get("type") in CLIENT_CALLS and isinstance(call_id := item.get("call_id"), str):
                self._calls[call_id] = index
        self._read = max(self._read, stop)
        return self._calls

    def _without_screen(self, index: int) -> Item:
        """Return the call at *index*, as one of a function where it was one of a computer, whose screen is missing."""
        item = self._items[index]
        if item["type"] == "computer_call":
            held = item["action"] if "action" in item else {"actions": item.get("actions")}
            arguments = as_json(held, f"{item_place(index)}.action")
            named = {"call_id": item["call_id"], "name": "computer", "arguments": arguments}
            item = self._items[index] = {"type": "function_call", **named}
            self._report("replaced", index, "computer_call", "type")
        return item


def _name_of(call: Item) -> str:
    """Return the id by which an output names *call*."""
    own_id = call.get("id") if call["type"] == "local_shell_call" else None
    return str(own_id or call["call_id"])
