"""Rewrite the items of a changed turn of the model: what is unchanged stays, with the thoughts before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import field

from sanitizers.changes import Change, Kind
from sanitizers.merging import SEPARATOR
from sanitizers.messages import Message, Messages, function_of, tool_calls_of
from sanitizers.native.protocol import Item, Items
from sanitizers.native.responses.call_items import CLIENT_CALLS, SERVER_CALLS
from sanitizers.native.responses.changed_items import STEP, part_from_thought
from sanitizers.native.responses.item_types import TOOL_CARRIERS
from sanitizers.native.responses.tool_table import ToolTable
from sanitizers.native.responses.write_items import ItemWriter, text_of
from sanitizers.record import record
from sanitizers.work_limit import metered


@record
class ChangedTurn:
    """The turn of *message*, which was made of the turns *before*. Their items are those in *ranges*.

    *results* are the results behind the message.
    """

    message: Message
    before: Messages
    ranges: Sequence[range]
    results: Messages


@record
class RewrittenTurn:
    """The items of one turn. *origins* are their indexes among the items before, or -1.

    *held* are the identities of the results that stand in the items of their calls. *changes* are those that no
    message shows.
    """

    items: list[Item] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    held: set[int] = field(default_factory=set)
    changes: list[Change] = field(default_factory=list)


def rewrite_turn(
    turn: ChangedTurn, items: Items, table: ToolTable, unchanged: Container[int]
) -> RewrittenTurn:
    """Return *turn* as items, with those of *items* that stay. *unchanged* has the identities of unchanged messages.

    Without a turn before, all items are new. A thought stays where the item behind it stays.
    """
    writer = _TurnWriter(turn, items, table, unchanged)
    writer.write()
    return writer.done


class _TurnWriter:
    """Writes the items of one turn, one after the other."""

    def __init__(self, turn: ChangedTurn, items: Items, table: ToolTable, unchanged: Container[int]) -> None:
        self.done = RewrittenTurn()
        self._turn = turn
        self._items = items
        self._unchanged = unchanged
        self._results = {result.get("tool_call_id"): result for result in turn.results}
        self._anew = ItemWriter(table)
        self._thoughts: list[int] = []
        self._follows_dropped = False
        self._keeps_words = _words(turn.before) == _words([turn.message])
        self._new_words = {} if self._keeps_words else _said(turn.message)

    def write(self) -> None:
        """Write all items."""
        message = self._turn.message
        if not self._turn.ranges:
            self._add_new(message)
            return
        old_calls = [call for turn in self._turn.before for call in tool_calls_of(turn)]
        matched, left = _match_calls(old_calls, tool_calls_of(message))
        calls = iter(old_calls)
        for index in (index for indexes in self._turn.ranges for index in metered(indexes)):
            item = self._items[index]
            kind = item.get("type") or "message"
            if kind == "reasoning":
                self._thoughts.append(index)
                self._follows_dropped = False
            elif kind == "message":
                self._write_words(index, item)
            elif kind in CLIENT_CALLS or (kind in SERVER_CALLS and _has_result(item)):
                old = next(calls, None)
                new = None if old is None else matched.get(id(old))
                self._write_call(index, kind, old, new)
            elif kind in TOOL_CARRIERS:
                self._append(item, index)
            else:
                self._keep(index, item)
        if self._new_words or left:
            self._drop_thoughts()
            self._add_new({"role": "assistant", **self._new_words, "tool_calls": left})
        for index in self._thoughts:
            self._append(self._items[index], index)

    def _write_words(self, index: int, item: Item) -> None:
        """Write the message at *index*. The first one of the turn gets all words where these have changed."""
        if self._keeps_words:
            self._keep(index, item)
            return
        self._drop_thoughts()
        if self._new_words:
            self._add_new({"role": "assistant", **self._new_words}, index)
            self._new_words = {}

    def _write_call(self, index: int, kind: str, old: Message | None, new: Message | None) -> None:
        """Write the call at *index*, which was read as *old* and is now *new*, or None where it is left out."""
        if old is None or new is None:
            self._drop_thoughts()
            return
        item = self._items[index]
        result = self._results.get(new.get("id"))
        is_answered = result is not None and id(result) in self._unchanged
        is_same = new is old or _said_by(new) == _said_by(old)
        if kind in SERVER_CALLS and is_same and result is not None:
            self.done.held.add(id(result))
            if is_answered:
                self._keep(index, item)
            else:
                self._drop_thoughts()
                self._append(_with_result(item, kind, result), index)
        elif not is_same or kind in SERVER_CALLS or (kind == "computer_call" and not is_answered):
            self._drop_thoughts()
            self._add_new({"role": "assistant", "tool_calls": [new]}, index)
        elif new.get("id") == old.get("id"):
            self._keep(index, item)
        elif kind == "local_shell_call":  # its output names it by the item's id
            own_id = f"lsh_{new['id'].removeprefix('call_')}"
            self._keep(index, {**item, "call_id": new["id"], "id": own_id})
        else:
            self._keep(index, {**item, "call_id": new["id"]})

    def _keep(self, index: int, item: Item) -> None:
        """Write *item*, that at *index*, with the thoughts before it, or without its id where these are gone."""
        for thought in self._thoughts:
            self._append(self._items[thought], thought)
        self._thoughts.clear()
        parted = part_from_thought(item) if self._follows_dropped else item
        if parted is not item:
            self._report("dropped" if parted is None else "replaced", index, "item_of_reasoning", "id")
        if parted is not None:
            self._append(parted, index)

    def _drop_thoughts(self) -> None:
        """Drop the thoughts whose next item has changed."""
        for thought in self._thoughts:
            self._report("dropped", thought, "reasoning_alone")
        self._follows_dropped = self._follows_dropped or bool(self._thoughts)
        self._thoughts.clear()

    def _add_new(self, message: Message, origin: int = -1) -> None:
        for item in self._anew.write(message):
            self._append(item, origin)

    def _append(self, item: Item, origin: int) -> None:
        self.done.items.append(item)
        self.done.origins.append(origin)

    def _report(self, kind: Kind, index: int, reason: str, detail: str = "") -> None:
        self.done.changes.append(Change(STEP, kind, index, reason, detail))


def _has_result(item: Item) -> bool:
    """Tell whether *item*, a call that the server ran, was read as a call and its result."""
    if item["type"] == "mcp_call":
        return item.get("output") is not None or item.get("error") is not None
    return isinstance(item.get("outputs"), list)


def _with_result(item: Item, kind: str, result: Message) -> Item:
    """Return *item*, a call that the server ran, with the text of *result* in place of its own."""
    text = text_of(result.get("content"))
    if kind == "mcp_call":
        return {**item, "output": text, "error": None}
    return {**item, "outputs": [{"type": "logs", "logs": text}]}


def _words(messages: Messages) -> object:
    """Return what *messages* say as one turn, for comparison. Content that is no text equals nothing else."""
    contents = [message.get("content") for message in messages]
    if any(content.__class__ is not str for content in contents if content):
        return contents
    refusals = [message["refusal"] for message in messages if message.get("refusal")]
    return SEPARATOR.join(filter(None, contents)), SEPARATOR.join(refusals)


def _said(message: Message) -> Message:
    """Return the fields of *message* that hold its words."""
    return {name: message[name] for name in ("content", "refusal") if message.get(name)}


def _said_by(call: Message) -> tuple[object, object]:
    function = function_of(call)
    return function.get("name"), function.get("arguments")


def _match_calls(old: Messages, new: Messages) -> tuple[dict[int, Message], list[Message]]:
    """Return the call of *new* for the identity of each call of *old*, and the calls of *new* that are left."""
    known: defaultdict[object, list[Message]] = defaultdict(list)
    for call in reversed(old):  # so that the first one is taken first
        for key in _keys(call):
            known[key].append(call)
    matched: dict[int, Message] = {}
    left = []
    for call in metered(new):
        found = next(filter(None, (_take(known[key], matched) for key in _keys(call) if key in known)), None)
        if found is None:
            left.append(call)
        else:
            matched[id(found)] = call
    return matched, left


def _take(candidates: list[Message], matched: Container[int]) -> Message | None:
    while candidates:
        call = candidates.pop()
        if id(call) not in matched:
            return call
    return None


def _keys(call: Message) -> Iterator[object]:
    yield "object", id(call)
    if call.get("id"):
        yield "id", call["id"]
    name, arguments = _said_by(call)
    if isinstance(arguments, str):
        yield "said", name, arguments
