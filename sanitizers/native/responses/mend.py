"""Mend items that OpenAI would refuse, one by one.

Messages are repaired before, so that calls and outputs mostly have one another already. These changes are about what
only items have: their ids, thoughts, sealed contents and types.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from sanitizers.changes import Change, Kind
from sanitizers.native.protocol import Item, Items
from sanitizers.native.responses.changed_items import (
    NEEDS_ID,
    OF_REQUEST,
    STEP,
    ChangedItems,
    part_from_thought,
    without_id,
)
from sanitizers.native.responses.envelope import unpack_summary
from sanitizers.native.responses.item_types import COMPACTIONS, REQUIRED
from sanitizers.native.responses.mend_pairs import PairMender
from sanitizers.native.responses.project import SUMMARY_START
from sanitizers.native.responses.violations import CLIENT_ITEMS, find_item_violations, is_client_message
from sanitizers.work_limit import metered

_MAX_PASSES = 8
"""The most passes. A pass may cause one violation that was not there before: a thought whose next item was dropped."""

_DROPPED: Mapping[str, str] = MappingProxyType(
    {
        "envelope_own": "own_envelope",
        "item_repeated": "item_repeated",
        "output_orphaned": "orphaned_result",
        "reasoning_alone": "reasoning_alone",
        "reasoning_unsealed": "reasoning_unsealed",
        "reference_unknown": "reference_to_reasoning",
        "search_action": "search_action",
    }
)
"""The reason for dropping the item, by the rule that it breaks."""

_WITHOUT_ID: Mapping[str, str] = MappingProxyType(
    {
        "id_illegal": "item_id_illegal",
        "id_prefix": "item_id_illegal",
        "id_repeated": "item_id_repeated",
        "id_too_long": "item_id_illegal",
    }
)
"""The reason for dropping the item's id, by the rule that it breaks."""


def mend_items(before: ChangedItems, *, is_stored: bool = False) -> ChangedItems:
    """Return *before* without violations of :func:`.violations.find_item_violations`, or *before* itself without any.

    All other items stay the same objects. *is_stored* is that of :func:`.violations.find_item_violations`.
    """
    mended = before
    for _ in range(_MAX_PASSES):
        found = find_item_violations(mended.items, is_stored=is_stored)
        if not found:
            break
        rules: defaultdict[int, list[str]] = defaultdict(list)
        for violation in found:
            rules[violation.index].append(violation.rule)
        draft = _Draft(mended)
        draft.mend(rules)
        mended = draft.finish()
    return mended


def drop_items(items: Items, dropped: Collection[int]) -> ChangedItems:
    """Return *items* without those at the indexes *dropped*, which are not among the changes.

    What follows a dropped thought in its turn loses its id. A thought whose next item is dropped is dropped too.
    """
    draft = _Draft(ChangedItems(items))
    draft.write(dropped)
    return draft.finish()


class _Draft:
    """The items of *before*, while they are mended in one pass."""

    def __init__(self, before: ChangedItems) -> None:
        self._before = before
        self._items: list[Item] = list(before.items)
        self._changes: list[Change] = list(before.changes)
        self._inserted: dict[int, Item] = {}
        self._written: list[Item | None] = []
        self._origins: list[int] = []
        self._last: int | None = None
        self._summary_at: int | None = None
        self._pairs = PairMender(self._items, self._report)

    def mend(self, rules: Mapping[int, list[str]]) -> None:
        """Mend the items whose broken rules are given by their indexes."""
        dropped: set[int] = set()
        for index, broken in metered(rules.items()):
            for rule in broken:
                if rule in _DROPPED:
                    if rule == "output_orphaned" and self._pairs.fit_output(index):
                        continue
                    dropped.add(index)
                    self._report("dropped", index, _DROPPED[rule])
                    break
                if rule in _WITHOUT_ID:
                    self._drop_id(index, _WITHOUT_ID[rule], dropped)
                elif rule in ("call_id_illegal", "call_id_too_long"):
                    self._pairs.spell_call_id(index, rule)
                elif rule == "field_missing":
                    self._fill(index)
                elif rule == "summary_own":
                    self._write_summary(index, dropped)
        for index, broken in metered(rules.items()):
            if "call_unanswered" in broken and index not in dropped:
                output = self._pairs.answer(index)
                if output is not None:
                    self._inserted[index] = output
            if "trigger_misplaced" in broken:
                dropped.add(index)
                self._report("moved", index, "compaction_trigger")
                is_repeated = self._items[-1].get("type") == "compaction_trigger"
                self._last = None if is_repeated else index
        self.write(dropped)

    def write(self, dropped: Collection[int]) -> None:
        """Write all items but the *dropped* ones."""
        thoughts: list[tuple[int, int]] = []  # of the run before the next item: indexes before and after
        follows_dropped = False
        for index, item in enumerate(metered(self._items)):
            kind = item.get("type") or "message"
            is_dropped = index in dropped
            if kind == "reasoning":
                follows_dropped = is_dropped
                if not is_dropped:
                    thoughts.append((index, len(self._written)))
            elif kind in CLIENT_ITEMS or is_client_message(item):
                follows_dropped = False
                thoughts.clear()
            else:
                if is_dropped and thoughts:
                    for before, after in thoughts:
                        self._written[after] = None
                        self._report("dropped", before, "reasoning_alone")
                    follows_dropped = True
                thoughts.clear()
                if follows_dropped and not is_dropped and (parted := part_from_thought(item)) is not item:
                    self._report(
                        "dropped" if parted is None else "replaced", index, "item_of_reasoning", "id"
                    )
                    if parted is None:
                        continue
                    item = parted
            if not is_dropped:
                self._append(item, index)
            if index in self._inserted:
                self._append(self._inserted[index], index)
        if self._last is not None:
            self._append(self._items[self._last], self._last)

    def finish(self) -> ChangedItems:
        """Return what was written."""
        kept = [at for at, item in enumerate(self._written) if item is not None]
        items: list[Any] = [self._written[at] for at in kept]
        changes = tuple(sorted(self._changes, key=lambda change: change.index))
        origins = tuple(self._origins[at] for at in kept)
        return replace(self._before, items=items, changes=changes, origins=origins)

    def _append(self, item: Item, index: int) -> None:
        self._written.append(item)
        self._origins.append(self._before.origin_of(index))

    def _report(self, kind: Kind, index: int, reason: str, detail: str = "") -> None:
        self._changes.append(Change(STEP, kind, self._before.origin_of(index), reason, detail))

    def _drop_id(self, index: int, reason: str, dropped: set[int]) -> None:
        """Drop the id of the item at *index*, or the item where its type needs an id."""
        item = self._items[index]
        if item.get("type") in NEEDS_ID:
            dropped.add(index)
            self._report("dropped", index, reason, "id")
        else:
            self._items[index] = without_id(item)
            self._report("replaced", index, reason, "id")

    def _fill(self, index: int) -> None:
        """Give the item at *index* the empty value of the field that its type requires."""
        item = self._items[index]
        name, empty = REQUIRED[item.get("type") or "message"]
        self._items[index] = {**item, name: empty}
        self._report("replaced", index, "field_missing", name)

    def _last_summary(self) -> int:
        """Return the index of the last item that stands for those before it."""
        if self._summary_at is None:
            kinds = [item.get("type") for item in metered(self._before.items)]
            self._summary_at = max(at for at, kind in enumerate(kinds) if kind in COMPACTIONS)
        return self._summary_at

    def _write_summary(self, index: int, dropped: set[int]) -> None:
        """Write the proxy's own summary at *index* as a message, and add the items that it stands for to *dropped*."""
        summary = (
            unpack_summary(self._items[index]["encrypted_content"]) if index == self._last_summary() else None
        )
        if summary is None:
            self._report("dropped", index, "summarized")
            dropped.add(index)
            return
        self._items[index] = {"type": "message", "role": "user", "content": SUMMARY_START + summary}
        self._report("replaced", index, "own_summary")
        for at, item in enumerate(metered(self._items[:index])):
            if at not in dropped and not is_client_message(item) and item.get("type") not in OF_REQUEST:
                self._report("dropped", at, "summarized")
                dropped.add(at)
