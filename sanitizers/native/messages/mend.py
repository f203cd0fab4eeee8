"""Mend native messages that Anthropic would refuse.

Chat messages are repaired before, so that calls and results mostly have one another already. These changes are about
what only native messages have: their blocks, system messages between them, cache marks, and the number of media.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sanitizers.changes import Change, Kind
from sanitizers.native.messages.changed_messages import (
    STEP,
    THINKING,
    ChangedMessages,
    blocks_of,
    with_blocks,
)
from sanitizers.native.messages.mend_blocks import mend_blocks
from sanitizers.native.messages.mend_limits import drop_marks, drop_media
from sanitizers.native.messages.sound_messages import are_sound
from sanitizers.native.messages.violations import (
    MOST_MARKS,
    MOST_MEDIA,
    ends_in_server_tool,
    ends_in_thinking,
    marks_in,
    media_in,
)
from sanitizers.native.messages.write_messages import remind
from sanitizers.native.protocol import Item
from sanitizers.work_limit import metered


def mend_messages(
    before: ChangedMessages, *, takes_systems: bool = True, marks: int = 0, signs: bool = True
) -> ChangedMessages:
    """Return *before* without violations of :func:`.violations.find_block_violations`, or *before* itself without any.

    All other messages stay the same objects. The arguments are those of that function. Where the *marks* outside the
    messages are more than allowed, none is left in the messages. A model that does not sign its thoughts (*signs*) gets
    them back without a signature.
    """
    most_marks = MOST_MARKS - marks
    if are_sound(before.items, max(0, most_marks)):
        return before
    draft = _Draft(before)
    draft.mend_blocks(signs=signs)
    draft.drop_last_thinking()
    if any(item["role"] == "system" for item in draft.items):
        draft.place_systems(takes_systems=takes_systems)
    draft.join_results()
    draft.keep_limits(most_marks)
    return draft.finish()


class _Draft:
    """The messages of *before* while they are mended."""

    def __init__(self, before: ChangedMessages) -> None:
        self._before = before
        self._changes: list[Change] = []
        self.items: list[Item] = []
        self._origins: list[int] = []
        self._owned: dict[int, Item] = {}  # objects that were made here, by their ids

    def mend_blocks(self, *, signs: bool) -> None:
        """Mend the blocks of each message, and drop messages without any."""
        for index, item in enumerate(metered(self._before.items)):
            origin = self._before.origin_of(index)

            def report(kind: Kind, reason: str, detail: str, origin: int = origin) -> None:
                self._changes.append(Change(STEP, kind, origin, reason, detail))

            mended = mend_blocks(item, report, signs=signs)
            if mended is not None:
                self.items.append(mended)
                self._origins.append(origin)

    def drop_last_thinking(self) -> None:
        """Drop the thinking at the end of the model's messages, and messages of nothing else."""
        kept: list[Item] = []
        origins: list[int] = []
        followed = [item["role"] == "assistant" for item in self.items[1:]]
        for item, origin, goes_on in zip(self.items, self._origins, [*followed, False], strict=True):
            if goes_on or item["role"] != "assistant" or not ends_in_thinking(item):
                kept.append(item)
                origins.append(origin)
                continue
            self._report("dropped", origin, "thinking_last")
            blocks = list(item["content"])
            while blocks and blocks[-1].get("type") in THINKING:
                blocks.pop()
            if blocks:
                kept.append(with_blocks(item, blocks))
                origins.append(origin)
        self.items, self._origins = kept, origins

    def place_systems(self, *, takes_systems: bool) -> None:
        """Bring system messages to places where Anthropic takes them, or make reminders of them."""
        placed: list[Item] = []
        origins: list[int] = []
        waiting: list[tuple[Item, int]] = []  # system messages that stand before a user's message

        before_user = [False] * len(self.items)
        is_before = False
        for at in range(len(self.items) - 1, -1, -1):
            before_user[at] = is_before
            if self.items[at]["role"] != "system":
                is_before = self.items[at]["role"] == "user"

        def add(item: Item, origin: int) -> None:
            placed.append(item)
            origins.append(origin)

        def put(item: Item, origin: int) -> None:
            last = placed[-1] if placed else None
            if takes_systems and last is not None and last["role"] == "system":
                self._own_last(placed)["content"] += blocks_of(item)
                self._report("merged", origin, "system_run")
            elif takes_systems and last is not None and (last["role"] == "user" or ends_in_server_tool(last)):
                add(item, origin)
            else:
                self._add_reminder(placed, origins, item, origin)

        for at, item in enumerate(metered(self.items)):
            origin = self._origins[at]
            if item["role"] == "user":
                add(item, origin)
                continue
            if item["role"] == "system" and takes_systems and before_user[at]:
                waiting.append((item, origin))
                self._report("moved", origin, "system_misplaced")
                continue
            for waited, came in waiting:
                put(waited, came)
            waiting.clear()
            if item["role"] == "system":
                put(item, origin)
            else:
                add(item, origin)
        for waited, came in waiting:
            put(waited, came)
        self.items, self._origins = placed, origins

    def join_results(self) -> None:
        """Join messages of the user's in a row where a later one has results, which must be in the first."""
        joined: list[Item] = []
        origins: list[int] = []
        for item, origin in zip(self.items, self._origins, strict=True):
            last = joined[-1] if joined else None
            if last is not None and last["role"] == item["role"] == "user" and _results_in(item):
                self._own_last(joined)["content"] += blocks_of(item)
                self._report("merged", origin, "results_first")
            else:
                joined.append(item)
                origins.append(origin)
        for item in metered(joined):
            if id(item) in self._owned and item["role"] == "user":
                item["content"].sort(key=_is_rest)  # which keeps the order of the others
        self.items, self._origins = joined, origins

    def keep_limits(self, most_marks: int) -> None:
        """Drop the oldest cache marks and media above Anthropic's limits."""
        marks = sum(marks_in(item.get("content")) for item in metered(self.items))
        media = sum(media_in(item.get("content")) for item in metered(self.items))
        too_many_media, too_many_marks = media - MOST_MEDIA, marks - max(0, most_marks)
        for at, item in enumerate(metered(self.items)):
            if too_many_media > 0 and (held := media_in(item.get("content"))):
                item = self.items[at] = drop_media(item, too_many_media)
                too_many_media -= held
                self._report("dropped", self._origins[at], "media_many")
            if too_many_marks > 0 and (held := marks_in(item.get("content"))):
                self.items[at] = drop_marks(item, too_many_marks)
                too_many_marks -= held
                self._report("dropped", self._origins[at], "cache_mark")

    def finish(self) -> ChangedMessages:
        """Return what was mended."""
        if not self._changes:
            return self._before
        changes = sorted((*self._before.changes, *self._changes), key=lambda change: change.index)
        return replace(self._before, items=self.items, changes=tuple(changes), origins=tuple(self._origins))

    def _add_reminder(self, placed: list[Item], origins: list[int], item: Item, origin: int) -> None:
        """Add a system message as a reminder to the user's message before it, behind its results."""
        blocks: list[Any] = [remind(block) for block in blocks_of(item)]
        self._report("replaced", origin, "system_as_reminder")
        if placed and placed[-1]["role"] == "user":
            self._own_last(placed)["content"] += blocks
        else:
            placed.append({"role": "user", "content": blocks})
            origins.append(origin)

    def _own_last(self, items: list[Item]) -> Item:
        """Return the last of *items* as an object whose content may be added to. It is copied once at most."""
        last = items[-1]
        if id(last) not in self._owned:
            last = items[-1] = {**last, "content": [*blocks_of(last)]}
            self._owned[id(last)] = last
        return last

    def _report(self, kind: Kind, origin: int, reason: str) -> None:
        self._changes.append(Change(STEP, kind, origin, reason))


def _is_rest(block: Item) -> bool:
    return block.get("type") != "tool_result"


def _results_in(item: Item) -> bool:
    content = item.get("content")
    return isinstance(content, list) and any(block.get("type") == "tool_result" for block in metered(content))
