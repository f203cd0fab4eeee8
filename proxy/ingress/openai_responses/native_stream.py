"""Relays the events of a provider that speaks the Responses API, with the proxy's names in them.

The events stay as the provider wrote them, but for the response's names, the ids of calls, and their numbers where an
event was left out. Where a repair changed what an event says, its canonical chunk comes instead. The items that are
open then are ended here, and the writer of canonical chunks goes on behind them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.json_text import write_json
from proxy.core.upstream_call import Chunk
from proxy.ingress.openai_responses.answer_context import AnswerContext
from proxy.ingress.openai_responses.echo import make_response
from proxy.ingress.openai_responses.native_item import NativeItem
from proxy.ingress.openai_responses.native_response import own_item, own_response
from proxy.ingress.openai_responses.stream_output import Place, StreamOutput

_ADDED, _ENDED = "response.output_item.added", "response.output_item.done"
_TEXT_DELTA = "response.output_text.delta"
_LAST = frozenset({"response.completed", "response.incomplete"})
_PLACES = ("item_id", "output_index", "content_index", "summary_index")
_TEXT = frozenset({"content", "role"})
_SAID = ("content", "reasoning_content", "refusal", "annotations", "function_call")


class NativeStream:
    """The provider's events of one stream, and the items that they have begun."""

    def __init__(self, context: AnswerContext, output: StreamOutput) -> None:
        self._context = context
        self._output = output
        self._open: dict[int, NativeItem] = {}
        self._calls: dict[int, NativeItem] = {}
        self._call_ids: dict[int, str] = {}
        self._canonical: set[int] = set()
        self._begun: set[str] = set()
        self.response: dict[str, Any] | None = None
        """The finished response. Its event is the stream's last one, and is written by the caller."""

    def write(self, event: Mapping[str, Any], chunk: Chunk) -> bytes:
        """Return *event* with the proxy's names. *chunk* is its canonical form.

        Nothing is returned for the last event, and for events of an item whose beginning was left out.
        """
        kind: str = event["type"]
        index: Any = event.get("output_index")
        if kind == _TEXT_DELTA and (held := self._open.get(index)) is not None and held.in_text:
            held.texts.append(event.get("delta") or "")
            number = self._output.next_number
            if held.place.index == index and event.get("sequence_number") == number:
                self._output.next_number = number + 1
                return b"event: response.output_text.delta\ndata: %s\n\n" % write_json(event)
            return self._write(kind, {**event, "output_index": held.place.index})
        if isinstance(response := event.get("response"), dict):
            return self._write_response(kind, event, response, chunk)
        if type(index) is not int:
            return self._write(kind, event)
        if kind == _ADDED:
            return self._begin(index, event, chunk)
        held = self._open.get(index)
        if held is None:
            return b""
        if kind == _ENDED:
            is_own = chunk["choices"] or held.fits_whole(event["item"])
            return self._end(index, held, event) if is_own and not held.is_changed else b""
        own = {**event, "output_index": held.place.index}
        pieces = self._write_pieces(held, kind, own) if chunk["choices"] else b""
        if not held.fits(kind, event):
            return pieces
        held.note(kind, event)
        return pieces + self._write(kind, own)

    def pass_over(self, chunk: Chunk) -> tuple[bytes, Chunk]:
        """Return the events with which open items go on or end before *chunk*, and the rest of the chunk.

        *chunk* is a canonical chunk whose event may not go out. Pieces of a call that has begun natively belong to its
        item.
        """
        events: list[bytes] = []
        choices = []
        for choice in chunk["choices"]:
            delta = dict(choice["delta"])
            pieces = delta.pop("tool_calls", None) or ()
            rest = [piece for piece in pieces if self._is_canonical(piece)]
            for piece in pieces:
                held = self._calls.get(piece["index"])
                if held is not None and held.is_open:
                    events.append(held.add_arguments(self._output, piece["function"]["arguments"]))
            events.append(
                self._go_on(delta) if delta.keys() <= _TEXT and choice["finish_reason"] is None else b""
            )
            ends_calls = choice["finish_reason"] is not None or rest or any(delta.get(name) for name in _SAID)
            if ends_calls:
                events.append(self._close(cut=choice["finish_reason"] == "length"))
            choices.append({**choice, "delta": {**delta, "tool_calls": rest} if rest else delta})
        return b"".join(events), {**chunk, "choices": choices}

    def _is_canonical(self, piece: Mapping[str, Any]) -> bool:
        """Tell whether *piece* belongs to a call that has no native item. Its first piece has the call's id."""
        index = piece["index"]
        if index in self._calls:
            return False
        if "id" in piece:
            self._canonical.add(index)
        return index in self._canonical

    def kept_items(self) -> list[Mapping[str, Any]]:
        """Return the items of an answer that breaks off: the ended ones, and the messages that were open."""
        open_at = {held.place.index: held for held in self._open.values()}
        kept: list[Mapping[str, Any]] = []
        for index, item in enumerate(self._output.items):
            held = open_at.get(index)
            if held is None:
                kept.append(item)
            elif held.says_something:
                kept.append(held.as_item("incomplete"))
        return kept

    def _write_response(
        self, kind: str, event: Mapping[str, Any], response: Mapping[str, Any], chunk: Chunk
    ) -> bytes:
        ended = kind in _LAST
        output = self._output.items if ended else None
        own = own_response(self._context, response, chunk["model"], output)
        if ended:
            cut = kind != "response.completed"
            events = self._close(cut=cut)
            self.response = {**own, "output": list(self._output.items)} if events else own
            return events
        self._begun.add(kind)
        return self._write(kind, {**event, "response": own})

    def begin_rest(self) -> bytes:
        """Return the events that begin a stream, where the provider had not sent them."""
        response = make_response(self._context.head, "in_progress")
        return b"".join(
            self._write(kind, {"type": kind, "response": response})
            for kind in ("response.created", "response.in_progress")
            if kind not in self._begun
        )

    def _write_pieces(self, held: NativeItem, kind: str, own: Mapping[str, Any]) -> bytes:
        """Return a piece with the whole text of *own*, where no piece came. Some clients read pieces alone."""
        piece = held.lacks_pieces(kind)
        if piece is None:
            return b""
        places = {name: own[name] for name in _PLACES if name in own}
        text = next((own[name] for name in ("text", "arguments", "refusal") if name in own), "")
        event = {"type": piece, **places, "delta": text}
        if piece == "response.output_text.delta":
            event["logprobs"] = []
        held.note(piece, event)
        return self._write(piece, event)

    def _begin(self, index: int, event: Mapping[str, Any], chunk: Chunk) -> bytes:
        piece = _first_piece(chunk)
        call = None if piece is None else piece["index"]
        call_id = None if piece is None else piece.get("id")
        item = own_item(event["item"], call_id)
        place = Place(item.get("id") or "", len(self._output.items))
        self._output.items.append(item)
        held = self._open[index] = NativeItem(place, item, call)
        if call is not None:
            self._calls[call] = held
            self._call_ids[index] = item["call_id"] if call_id is None else call_id
        return self._write(_ADDED, {**event, "output_index": place.index, "item": item})

    def _end(self, index: int, held: NativeItem, event: Mapping[str, Any]) -> bytes:
        item = own_item(event["item"], self._call_ids.get(index))
        self._output.items[held.place.index] = item
        del self._open[index]
        held.is_open = False
        return self._write(_ENDED, {**event, "output_index": held.place.index, "item": item})

    def _go_on(self, delta: dict[str, Any]) -> bytes:
        """Take the text out of *delta* where a message is open, and return its events there."""
        held = next(reversed(self._open.values()), None)
        text = delta.get("content")
        events = held.add_text(self._output, text) if held is not None and text else None
        if events is None:
            return b""
        del delta["content"]
        return events

    def _close(self, *, cut: bool) -> bytes:
        status = "incomplete" if cut else "completed"
        events = [held.close(self._output, status) for held in self._open.values()]
        self._open.clear()
        return b"".join(events)

    def _write(self, kind: str, event: Mapping[str, Any]) -> bytes:
        number = self._output.next_number
        self._output.next_number = number + 1
        return b"event: %s\ndata: %s\n\n" % (kind.encode(), write_json({**event, "sequence_number": number}))


def _first_piece(chunk: Chunk) -> Mapping[str, Any] | None:
    for choice in chunk["choices"]:
        for piece in choice["delta"].get("tool_calls") or ():
            found: Mapping[str, Any] = piece
            return found
    return None
