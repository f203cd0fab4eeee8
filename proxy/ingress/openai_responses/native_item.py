"""An output item of a provider's own stream, while it is open.

What its events said is kept, so that the item can be ended in order where the provider's end of it may not go out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from proxy.ingress.openai_responses.stream_output import Place, StreamOutput
from sanitizers.native.responses.tools import unwrap_input

_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "response.custom_tool_call_input": "input",
        "response.function_call_arguments": "arguments",
        "response.output_text": "text",
        "response.reasoning_summary_text": "text",
        "response.reasoning_text": "text",
        "response.refusal": "refusal",
    }
)
"""The field of the ``done`` event, by the event's type without its end."""

_PARTS: Mapping[str, str] = MappingProxyType(
    {
        "response.content_part.added": "response.content_part.done",
        "response.reasoning_summary_part.added": "response.reasoning_summary_part.done",
    }
)
_EMPTY_PART = MappingProxyType({"type": "output_text", "text": ""})
_PLACES = ("content_index", "summary_index")
_ARGUMENTS = "response.function_call_arguments"


class NativeItem:
    """The item that began with the draft *item* at *place*. *call* is its number among the calls, if it is one."""

    def __init__(self, place: Place, item: dict[str, Any], call: int | None) -> None:
        self.place = place
        self.item = item
        self.call = call
        self._part: dict[str, Any] | None = None
        self._part_end = ""
        self._kind = ""
        self._at: dict[str, Any] = {}
        self.texts: list[str] = []
        """The pieces of the text or input that came last."""

        self.in_text = False
        """True where the last piece was one of a text, so that a further piece need not be looked at."""

        self._canonical: list[str] = []
        self._ended: set[str] = set()
        self.is_open = True
        self.is_changed = False
        """True where a repair left out a part of what the item's events say, so that its end may not go out."""

    def fits(self, kind: str, event: Mapping[str, Any]) -> bool:
        """Tell whether *event* says the same as the pieces that went out. Only whole texts and inputs are compared."""
        stem = kind.removesuffix(".done")
        field = _FIELDS.get(stem)
        if self.is_changed or field is None or stem == kind:
            return not self.is_changed
        said = "".join(self.texts) if stem == self._kind else ""
        self.is_changed = event.get(field) != said
        return not self.is_changed

    def fits_whole(self, item: Mapping[str, Any]) -> bool:
        """Tell whether the arguments in *item*, the ended item, are those that went out. Other types always fit."""
        if item.get("type") == "function_call" and item.get("arguments") != "".join(self.texts):
            self.is_changed = True
        return not self.is_changed

    def lacks_pieces(self, kind: str) -> str | None:
        """Return the type of the event's pieces where *kind* is the event of a whole text that came without pieces."""
        stem = kind.removesuffix(".done")
        return f"{stem}.delta" if stem != kind and stem in _FIELDS and stem != self._kind else None

    def note(self, kind: str, event: Mapping[str, Any]) -> None:
        """Keep what an *event* of this item said."""
        self.in_text = kind == "response.output_text.delta"
        if kind.endswith(".delta"):
            stem = kind.removesuffix(".delta")
            if stem != self._kind:
                self._kind, self.texts = stem, []
                self._at = {name: event[name] for name in _PLACES if name in event}
            delta = event.get("delta")
            if isinstance(delta, str):
                self.texts.append(delta)
        elif kind.removesuffix(".done") in _FIELDS:
            self._ended.add(kind.removesuffix(".done"))
        elif kind in _PARTS:
            part = event.get("part")
            self._part = part if isinstance(part, dict) else {}
            self._kind, self.texts = "", []
            self._ended.clear()
            self._part_end = _PARTS[kind]
            self._at = {name: event[name] for name in _PLACES if name in event}
        elif kind in _PARTS.values():
            self._add_part(event.get("part"))
            self._part, self._kind = None, ""

    def add_arguments(self, output: StreamOutput, text: str) -> bytes:
        """Return the event of a canonical piece of the call's arguments."""
        self._canonical.append(text)
        if not text or self.item.get("type") != "function_call":
            return b""
        self.texts.append(text)
        self._kind = _ARGUMENTS
        return output.write_of(self.place, f"{_ARGUMENTS}.delta", {"delta": text})

    def add_text(self, output: StreamOutput, text: str) -> bytes | None:
        """Return the events of a canonical piece of text, or None where the item is no message."""
        if self.item.get("type") != "message":
            return None
        begun = b""
        if self._part is None:
            held = self.item.get("content")
            index = len(held) if isinstance(held, list) else 0
            event = {"content_index": index, "part": {**_EMPTY_PART, "annotations": [], "logprobs": []}}
            begun = self._write(output, "response.content_part.added", event)
        if self._part is None or self._part.get("type") != "output_text":
            return None
        places = {name: value for name, value in self._at.items() if name in _PLACES}
        event = {**places, "delta": text, "logprobs": []}
        return begun + self._write(output, "response.output_text.delta", event)

    def _write(self, output: StreamOutput, kind: str, event: dict[str, Any]) -> bytes:
        self.note(kind, event)
        return output.write_of(self.place, kind, event)

    @property
    def says_something(self) -> bool:
        """True for a message with words. An empty one has no place in an answer that breaks off."""
        parts = self.as_item("incomplete").get("content")
        return self.item.get("type") == "message" and any(
            part.get("text") or part.get("refusal") for part in parts or ()
        )

    def as_item(self, status: str) -> dict[str, Any]:
        """Return the item as it is so far, with *status* where its type has one."""
        item = dict(self.item)
        text = "".join(self.texts)
        if self._part is not None:
            field = _FIELDS.get(self._kind)
            part = self._part if field is None else {**self._part, field: text}
            item = {**item, **self._with_part(part)}
        elif item.get("type") == "function_call":
            item["arguments"] = text
        elif item.get("type") == "custom_tool_call":
            is_ours = self._canonical and not self._ended
            item["input"] = unwrap_input("".join(self._canonical)) if is_ours else text
        return {**item, "status": status} if "status" in item else item

    def close(self, output: StreamOutput, status: str) -> bytes:
        """Return the events that end the item."""
        whole = self.as_item(status)
        self.is_open = False
        return b"".join(self._ending(output, whole)) + output.write_done(self.place, whole)

    def _ending(self, output: StreamOutput, whole: Mapping[str, Any]) -> Iterator[bytes]:
        field = _FIELDS.get(self._kind)
        if self.call is not None:
            stem = {"function_call": _ARGUMENTS, "custom_tool_call": "response.custom_tool_call_input"}.get(
                str(whole.get("type"))
            )
            if stem is not None and stem not in self._ended:
                named = {"name": whole.get("name")} if stem == _ARGUMENTS else {}
                yield output.write_of(
                    self.place, f"{stem}.done", {**named, _FIELDS[stem]: whole[_FIELDS[stem]]}
                )
            return
        if field is not None and self._kind not in self._ended:
            logprobs: dict[str, Any] = {"logprobs": []} if self._kind == "response.output_text" else {}
            said = {**self._at, field: "".join(self.texts), **logprobs}
            yield output.write_of(self.place, f"{self._kind}.done", said)
        if self._part is not None:
            part = self._part if field is None else {**self._part, field: "".join(self.texts)}
            yield output.write_of(self.place, self._part_end, {**self._at, "part": part})

    def _add_part(self, part: Any) -> None:
        if isinstance(part, dict):
            self.item = {**self.item, **self._with_part(part)}

    def _with_part(self, part: Mapping[str, Any]) -> dict[str, Any]:
        name = "summary" if "summary" in self._part_end else "content"
        held = self.item.get(name)
        return {name: [*(held if isinstance(held, list) else ()), part]}
