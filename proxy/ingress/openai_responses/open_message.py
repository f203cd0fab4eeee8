"""A message that is being streamed: its parts, and the events of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proxy.core.json_text import write_json
from proxy.ingress.openai_responses.output_items import message_item, refusal_part, text_part
from proxy.ingress.openai_responses.stream_output import Place, StreamOutput

_TEXT, _REFUSAL = "output_text", "refusal"


class _Part:
    """One part of a message, and what it holds so far."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.texts: list[str] = []
        self.annotations: list[dict[str, Any]] = []
        self.logprobs: list[dict[str, Any]] = []

    def as_dict(self) -> dict[str, Any]:
        text = "".join(self.texts)
        return (
            refusal_part(text) if self.kind == _REFUSAL else text_part(text, self.annotations, self.logprobs)
        )


class OpenMessage:
    """The message of an answer. Events that come before :meth:`open` are kept, and written then."""

    may_close = True
    can_open = True

    def __init__(self, output: StreamOutput) -> None:
        self._output = output
        self._place: Place | None = None
        self._parts: list[_Part] = []
        self._held: list[Callable[[], bytes]] = []
        self.delta_head = b""
        """The beginning of each further text event. Empty unless the open part is a text.

        :meth:`add_plain` may be called while it is there.
        """

    @property
    def is_open(self) -> bool:
        """True once the message has begun in the stream."""
        return self._place is not None

    def add_text(self, text: str, logprobs: Sequence[Mapping[str, Any]] = ()) -> bytes:
        """Return the events of a further piece of text."""
        if self._place is None:
            self._held.append(lambda: self.add_text(text, logprobs))
            return b""
        begun = b"" if self.delta_head else self._begin_part(self._place, _TEXT)
        part = self._parts[-1]
        part.texts.append(text)
        if not logprobs:
            return begun + self.add_plain(text, kept=True)
        part.logprobs += map(dict, logprobs)
        fields = {"content_index": len(self._parts) - 1, "delta": text, "logprobs": list(logprobs)}
        return begun + self._output.write_of(self._place, "response.output_text.delta", fields)

    def add_plain(self, text: str, *, kept: bool = False) -> bytes:
        """Return the event of a piece of text without log probabilities, in an open text. Most chunks come here.

        *kept* says that the caller has put the text into the part.
        """
        if not kept:
            self._parts[-1].texts.append(text)
        output = self._output
        number = output.next_number
        output.next_number = number + 1
        return b'%s%d,"delta":%s,"logprobs":[]}\n\n' % (self.delta_head, number, write_json(text))

    def add_logprobs(self, logprobs: Sequence[Mapping[str, Any]]) -> None:
        """Keep log probabilities that came without text. They are in the whole part."""
        if self._place is None:
            self._held.append(lambda: self._add_logprobs(logprobs))
        else:
            self._add_logprobs(logprobs)

    def _add_logprobs(self, logprobs: Sequence[Mapping[str, Any]]) -> bytes:
        if self.delta_head:
            self._parts[-1].logprobs += map(dict, logprobs)
        return b""

    def add_refusal(self, text: str) -> bytes:
        """Return the events of a further piece of a refusal."""
        if self._place is None:
            self._held.append(lambda: self.add_refusal(text))
            return b""
        is_open = self._parts and self._parts[-1].kind == _REFUSAL
        begun = b"" if is_open else self._begin_part(self._place, _REFUSAL)
        self._parts[-1].texts.append(text)
        fields = {"content_index": len(self._parts) - 1, "delta": text}
        return begun + self._output.write_of(self._place, "response.refusal.delta", fields)

    def add_annotations(self, annotations: Sequence[dict[str, Any]]) -> bytes:
        """Return the events of *annotations*, which belong to the open text. Without one there are no events."""
        if self._place is None:
            self._held.append(lambda: self.add_annotations(annotations))
            return b""
        if not self.delta_head:
            return b""
        part, events = self._parts[-1], []
        for annotation in annotations:
            fields = {
                "content_index": len(self._parts) - 1,
                "annotation_index": len(part.annotations),
                "annotation": annotation,
            }
            part.annotations.append(annotation)
            events.append(self._output.write_of(self._place, "response.output_text.annotation.added", fields))
        return b"".join(events)

    def open(self) -> bytes:
        """Return the events that begin the message, and those that were kept."""
        self._place = place = self._output.begin_item("message")
        events = [self._output.write_added(place, message_item(place.id, (), "in_progress"))]
        events += [write() for write in self._held]
        self._held.clear()
        return b"".join(events)

    def close(self, *, cut: bool) -> bytes:
        """Return the events that end the message. *cut* says that the answer was cut off in it."""
        assert self._place is not None
        ended = self._end_part(self._place)
        return ended + self._output.write_done(
            self._place, self.as_item("incomplete" if cut else "completed")
        )

    def as_item(self, status: str) -> dict[str, Any]:
        """Return the message as it is, with *status*."""
        assert self._place is not None
        return message_item(self._place.id, [part.as_dict() for part in self._parts], status)

    def _begin_part(self, place: Place, kind: str) -> bytes:
        ended = self._end_part(place)
        part, index = _Part(kind), len(self._parts)
        self._parts.append(part)
        if kind == _TEXT:
            head = {
                "type": "response.output_text.delta",
                "item_id": place.id,
                "output_index": place.index,
                "content_index": index,
            }
            self.delta_head = (
                b"event: response.output_text.delta\ndata: %s" % write_json(head)[:-1]
                + b',"sequence_number":'
            )
        fields = {"content_index": index, "part": part.as_dict()}
        return ended + self._output.write_of(place, "response.content_part.added", fields)

    def _end_part(self, place: Place) -> bytes:
        self.delta_head = b""
        if not self._parts:
            return b""
        index, part = len(self._parts) - 1, self._parts[-1]
        whole = part.as_dict()
        if part.kind == _TEXT:
            kind, said = "response.output_text.done", {"text": whole["text"], "logprobs": whole["logprobs"]}
        else:
            kind, said = "response.refusal.done", {"refusal": whole["refusal"]}
        done = self._output.write_of(place, kind, {"content_index": index, **said})
        fields = {"content_index": index, "part": whole}
        return done + self._output.write_of(place, "response.content_part.done", fields)
