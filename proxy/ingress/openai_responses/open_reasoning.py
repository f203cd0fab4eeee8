"""A reasoning item that is being streamed: the model's thoughts, and the signatures that clients carry.

The item stands in front of what the model said after these thoughts. Clients send it back whole, and the envelope in it
holds what the provider needs again (:mod:`sanitizers.native.responses.envelope`).
"""

from __future__ import annotations

from proxy.ingress.openai_responses.output_items import reasoning_item
from proxy.ingress.openai_responses.stream_output import Place, StreamOutput
from sanitizers.native.responses.envelope import Envelope, pack_envelope

_PART = "response.reasoning_summary_part"
_TEXT = "response.reasoning_summary_text"


class OpenReasoning:
    """The thoughts and signatures of an answer. With *shows_thoughts* the thoughts are events of the summary."""

    may_close = True
    can_open = True

    def __init__(self, output: StreamOutput, model: str, *, shows_thoughts: bool) -> None:
        self._output = output
        self._model = model
        self._shows_thoughts = shows_thoughts
        self._place: Place | None = None
        self._thoughts: list[str] = []
        self.signatures: dict[str, str] = {}
        """The signatures of calls, by call id. They may be added until the item is closed."""

        self.text_signature: str | None = None
        self.is_closed = False
        """True once the item has ended, and nothing can be added."""

    @property
    def is_open(self) -> bool:
        """True once the item has begun in the stream."""
        return self._place is not None

    def add_thoughts(self, text: str) -> bytes:
        """Return the events of a further piece of the model's thoughts."""
        first = not self._thoughts
        self._thoughts.append(text)
        if self._place is None or not self._shows_thoughts:
            return b""
        return self._show(self._place, text, first=first)

    def open(self) -> bytes:
        """Return the events that begin the item, and those of the thoughts so far."""
        self._place = place = self._output.begin_item("reasoning")
        added = self._output.write_added(place, reasoning_item(place.id, "", None))
        if not self._shows_thoughts or not self._thoughts:
            return added
        return added + self._show(place, "".join(self._thoughts), first=True)

    def close(self, *, cut: bool) -> bytes:
        """Return the events that end the item. *cut* makes no difference, since the item has no status."""
        assert self._place is not None
        self.is_closed = True
        thoughts = "".join(self._thoughts)
        shown = thoughts if self._shows_thoughts else ""
        ended = self._end_part(self._place, shown) if shown else b""
        envelope = pack_envelope(Envelope(self._model, self.signatures, self.text_signature, thoughts))
        return ended + self._output.write_done(self._place, reasoning_item(self._place.id, shown, envelope))

    def _show(self, place: Place, text: str, *, first: bool) -> bytes:
        delta = {"summary_index": 0, "delta": text}
        begun = b""
        if first:
            fields = {"summary_index": 0, "part": {"type": "summary_text", "text": ""}}
            begun = self._output.write_of(place, f"{_PART}.added", fields)
        return begun + self._output.write_of(place, f"{_TEXT}.delta", delta)

    def _end_part(self, place: Place, text: str) -> bytes:
        done = self._output.write_of(place, f"{_TEXT}.done", {"summary_index": 0, "text": text})
        part = {"summary_index": 0, "part": {"type": "summary_text", "text": text}}
        return done + self._output.write_of(place, f"{_PART}.done", part)
