"""Read one item after the other as chat messages.

One assistant message holds all that the model said between two items of the client's. Broken histories (orphans,
missing results, repeated calls) are passed on as they are: the sanitizing steps repair them.
"""

from __future__ import annotations

from operator import attrgetter
from typing import NamedTuple

from sanitizers.changes import Change, Kind
from sanitizers.errors import Unrepairable
from sanitizers.messages import Message
from sanitizers.native.protocol import HELD_PLACEHOLDER, Item, Items, Need, Span, add_needs
from sanitizers.native.responses.call_items import (
    CLIENT_CALLS,
    OUTPUTS,
    SERVER_CALLS,
    CallReader,
    read_usual_output,
)
from sanitizers.native.responses.envelope import is_own, unpack_envelope, unpack_summary
from sanitizers.native.responses.held_objects import NAMES_NOTHING, item_needs
from sanitizers.native.responses.item_types import (
    CLIENT_ROLES,
    COMPACTIONS,
    ITEM_TYPES,
    ItemType,
    check_fields,
)
from sanitizers.native.responses.parts import (
    item_place,
    read_content,
    read_said,
    read_texts,
    refuse,
    text_alone,
    wrapped_thoughts,
)
from sanitizers.native.responses.tool_table import STEP, ToolTable
from sanitizers.native.responses.turn import OpenTurn

SUMMARY_START = "[Summary of the conversation up to this point:]\n\n"
"""The beginning of the message that a summary becomes."""

_INSTRUCTING = frozenset({"developer", "system"})


class ReadItems(NamedTuple):
    """The fields of a :class:`sanitizers.native.responses.project.ResponsesProjection`."""

    messages: list[Message]
    spans: list[Span]
    changes: tuple[Change, ...]
    wants_compaction: bool
    needs: tuple[Need, ...]


class ItemReader:
    """Reads one item of *items* after the other, with the tools of *table*. *kinds* are the types of the items."""

    def __init__(self, items: Items, kinds: list[str], table: ToolTable) -> None:
        self._items = items
        self._needs: list[Need] = []
        self._calls = CallReader(items, table, self._needs)
        self._turn = OpenTurn()
        self._first = 0  # of the items that no span covers yet
        self._messages: list[Message] = []
        self._spans: list[Span] = []
        self._changes: list[Change] = []
        compactions = [index for index, kind in enumerate(kinds) if kind in COMPACTIONS]
        self._summary_at = compactions[-1] if compactions else -1
        self._trigger_at = -1

    def say_first(self, instructions: str) -> None:
        """Add the instructions, which no item holds."""
        self._messages.append({"role": "system", "content": instructions})
        self._spans.append(Span(range(0), range(1)))

    def add(self, index: int, kind: str) -> None:
        """Add the item at *index*, whose type is *kind*."""
        item = self._items[index]
        if index > self._summary_at:
            if kind == "function_call" and (call := self._calls.read_usual_call(item)) is not None:
                self._turn.calls.append(call)
                return
            if kind == "function_call_output" and (output := read_usual_output(item)) is not None:
                self._add_of_client(index, output)
                return
        row = ITEM_TYPES.get(kind)
        if kind not in NAMES_NOTHING:
            add_needs(self._needs, item_needs(item, kind, item_place(index)))
        if row is None:
            self._report(index, "dropped", "unknown_item")
        elif index < self._summary_at and not (kind == "message" and item.get("role") in CLIENT_ROLES):
            self._add_summarized(index, item, kind, row)
        elif row.outcome == "dropped":
            self._report(index, "dropped", "server_item", kind)
        else:
            check_fields(item, row, index)
            self._read(index, item, kind)

    def finish(self, *, is_partial: bool) -> ReadItems:
        """Return what was read.

        With *is_partial* a message may stand for the part that the provider holds. Raises
        :class:`~sanitizers.errors.Unrepairable` where there is no message.
        """
        end = len(self._items)
        self._close_turn(end)
        if is_partial or any(need.holds_history for need in self._needs):
            self._stand_for_rest(end)
        if not self._messages:
            refuse("input", "holds nothing that can be sent", "nothing_to_send")
        if -1 < self._trigger_at < end - 1:
            self._report(self._trigger_at, "moved", "compaction_trigger")
        changes = tuple(sorted(self._changes, key=attrgetter("index")))
        return ReadItems(self._messages, self._spans, changes, self._trigger_at >= 0, tuple(self._needs))

    def _read(self, index: int, item: Item, kind: str) -> None:
        if kind == "message":
            self._add_message(index, item)
        elif kind == "reasoning":
            self._add_reasoning(index, item)
        elif kind in CLIENT_CALLS:
            self._turn.calls.append(self._calls.read_call(kind, item, index))
        elif kind in OUTPUTS:
            self._add_of_client(index, self._calls.read_output(kind, item, index))
        elif kind in SERVER_CALLS:
            self._add_server_call(index, item, kind)
        elif kind in COMPACTIONS:
            self._add_summary(index, item)
        elif kind == "compaction_trigger":
            self._trigger_at = index
        elif kind == "item_reference":
            self._add_reference(index, item["id"])

    def _add_message(self, index: int, item: Item) -> None:
        """Add a message.

        pydantic-ai sends back thoughts of models whose names it does not know as a message without an id, in tags. An
        answer without thoughts comes back as empty tags. Neither was a text of the assistant.
        """
        role, content = item["role"], item.get("content")
        alone = text_alone(content)
        if role in CLIENT_ROLES:
            place = f"{item_place(index)}.content"
            read = read_content(content, place, self._needs) if alone is None else alone
            self._add_of_client(index, {"role": role, "content": read})
        elif role == "assistant":
            if alone is not None:
                thoughts = None if "id" in item else wrapped_thoughts(alone)
                if thoughts is None:
                    self._turn.say(alone, "")
                elif thoughts:
                    self._turn.thoughts.setdefault(thoughts, index)
                return
            said = read_said(content, f"{item_place(index)}.content", self._needs)
            self._turn.say(said.text, said.refusal)
            for detail in said.left_out:
                self._report(index, "dropped", "refused_part", detail)
        else:
            raise Unrepairable(
                f"Invalid value: '{role[:40]}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
                rule="input_unreadable",
                param=f"{item_place(index)}.role",
            )

    def _add_reasoning(self, index: int, item: Item) -> None:
        """Add the signatures and thoughts of a reasoning item, whose words are no assistant's text.

        A foreign summary is no thought of the model that will read the history. Texts of open models are
        (``The `reasoning_text` in the thinking mode must be passed back to the API.``, codex#42249).
        """
        place = item_place(index)
        sealed = item.get("encrypted_content") or ""
        thoughts = read_texts(item.get("content"), f"{place}.content") if item.get("content") else []
        summary = read_texts(item.get("summary"), f"{place}.summary") if item.get("summary") else []
        envelope = unpack_envelope(sealed) if sealed else None
        if envelope is not None:
            self._turn.add_signatures(envelope.signatures, envelope.text_signature, index)
            thoughts = [envelope.thoughts] if envelope.thoughts else thoughts
        elif sealed:
            self._report(index, "dropped", "envelope_damaged" if is_own(sealed) else "foreign_reasoning")
        if not sealed or is_own(sealed):
            thoughts = thoughts or summary
        for thought in thoughts:
            self._turn.thoughts.setdefault(thought, index)

    def _add_summarized(self, index: int, item: Item, kind: str, row: ItemType) -> None:
        """Leave out an item that a later summary stands for. Its provider would read it all the same."""
        if row.outcome == "read":
            self._report(index, "dropped", "summarized", kind)
        if kind in NAMES_NOTHING:
            add_needs(self._needs, item_needs(item, kind, item_place(index)))
        if kind == "item_reference":
            check_fields(item, row, index)
            self._add_reference(index, item["id"])

    def _add_server_call(self, index: int, item: Item, kind: str) -> None:
        """Add a call that the server ran, with its result, or neither where there is no result.

        The result directly follows its call, unless calls of the client's are open in the turn.
        """
        read = self._calls.read_server_call(kind, item, index)
        if read is None:
            self._report(index, "dropped", "no_result", kind)
            return
        waits = bool(self._turn.calls)
        self._turn.calls.append(read.call)
        self._turn.results.append(read.result)
        if not waits:
            self._close_turn(index + 1)

    def _add_summary(self, index: int, item: Item) -> None:
        """Add a summary. A foreign one can be read by its provider alone, and a damaged one by nobody."""
        sealed = item["encrypted_content"]
        summary = unpack_summary(sealed)
        if summary is None:
            place = item_place(index)
            need = Need(
                f"The encrypted content of '{place}' could not be verified: it was not made here. Remove the item, or "
                "send the conversation that it stands for.",
                "invalid_encrypted_content",
                f"{place}.encrypted_content",
            )
            if is_own(sealed):
                raise Unrepairable(need.message, rule=need.rule, param=need.param)
            add_needs(self._needs, [need])
            summary = HELD_PLACEHOLDER
        self._add_of_client(index, {"role": "user", "content": SUMMARY_START + summary})

    def _stand_for_rest(self, end: int) -> None:
        """Let a message stand for the part of the conversation that the provider holds, where none is left here."""
        if all(message["role"] in _INSTRUCTING for message in self._messages):
            first = len(self._messages)
            self._messages.append({"role": "user", "content": HELD_PLACEHOLDER})
            self._spans.append(Span(range(end, end), range(first, first + 1)))

    def _add_reference(self, index: int, item_id: str) -> None:
        """Note that an unknown item is needed, since leaving it out would lose content. Reasoning can be left out."""
        is_thought = item_id.startswith("rs_")
        if is_thought:
            self._report(index, "dropped", "reference_to_reasoning")
        message = (
            f"Item with id '{item_id[:64]}' not found. Items are not persisted when `store` is set to false. Try again "
            "with `store` set to true, or remove this item from your input."
        )
        place = f"{item_place(index)}.id"
        need = Need(
            message,
            "item_not_found",
            place,
            names_object=True,
            holds_history=not is_thought,
            can_be_left_out=is_thought,
        )
        add_needs(self._needs, [need])

    def _add_of_client(self, index: int, message: Message) -> None:
        """Add a message of the client's, which ends the model's turn."""
        if index != self._first:
            self._close_turn(index)
        first = len(self._messages)
        self._messages.append(message)
        self._spans.append(Span(range(index, index + 1), range(first, first + 1)))
        self._first = index + 1

    def _close_turn(self, stop: int) -> None:
        """End the model's turn before the item at *stop*."""
        if stop == self._first:
            return
        turn = self._turn
        if (alone := turn.take_calls()) is not None:
            self._cover(stop, alone)
            return
        self._turn = OpenTurn()
        made = turn.messages()
        if not made:
            for index in turn.lost_at():
                self._report(index, "dropped", "reasoning_alone")
        self._cover(stop, made)

    def _cover(self, stop: int, made: list[Message]) -> None:
        """Add the messages *made* of all items before *stop* that have no span yet."""
        first = len(self._messages)
        self._messages += made
        self._spans.append(Span(range(self._first, stop), range(first, len(self._messages))))
        self._first = stop

    def _report(self, index: int, kind: Kind, reason: str, detail: str = "") -> None:
        self._changes.append(Change(STEP, kind, index, reason, detail))
