"""A tool call that is being streamed.

The arguments of a function go out as they come, since langchain-openai reads deltas alone. Other tools have no events
for JSON, or have another form of it, so that their calls go out whole.

A call whose arguments were cut off gets no ``done`` event: codex ignores the status and would run it. A cut call of a
function stays in the response as ``incomplete``. A cut call of another tool is left out, since its client would take a
part of the input for the whole.
"""

from __future__ import annotations

from proxy.answers.object_end import ObjectEnd
from proxy.ingress.openai_responses.output_items import (
    CallNames,
    call_item,
    function_call_item,
    name_call,
)
from proxy.ingress.openai_responses.stream_output import Place, StreamOutput
from sanitizers.native.responses.tools import ToolTable, unwrap_input

_ARGUMENTS = "response.function_call_arguments"
_INPUT = "response.custom_tool_call_input"


class OpenCall:
    """One call of an answer, which comes in pieces."""

    def __init__(self, output: StreamOutput, call_id: str, table: ToolTable) -> None:
        self.call_id = call_id
        self._output = output
        self._table = table
        self._place: Place | None = None
        self._name = ""
        self._arguments: list[str] = []
        self._end = ObjectEnd()
        self._found: CallNames | None = None

    @property
    def is_open(self) -> bool:
        """True once the call has begun in the stream."""
        return self._place is not None

    @property
    def is_whole(self) -> bool:
        """True once the arguments are a whole JSON object."""
        return self._end.found

    @property
    def may_close(self) -> bool:
        """True where no further arguments can come."""
        return self._end.found

    @property
    def can_open(self) -> bool:
        """True where the name is whole, since arguments have begun. A tool that is no function is opened whole."""
        return bool(self._arguments) and (self._end.found or self._names().is_function)

    @property
    def is_deliverable_cut(self) -> bool:
        """True where the call may go to the client although its arguments were cut off."""
        return self._names().is_function

    def add(self, name: str, arguments: str) -> bytes:
        """Return the events of a further piece. What follows a whole object is left out."""
        if not self._arguments:
            self._name += name  # some providers send a name in pieces
        if not arguments or self._end.found:
            return b""
        end = self._end.find_end(arguments)
        piece = arguments if end is None else arguments[:end]
        self._arguments.append(piece)
        if self._place is None or not self._names().is_function:
            return b""
        return self._output.write_of(self._place, f"{_ARGUMENTS}.delta", {"delta": piece})

    def open(self) -> bytes:
        """Return the events that begin the call, and those of the arguments so far."""
        names = self._names()
        self._place = place = self._output.begin_item(names.item_type)
        draft = call_item(place.id, names, "", "in_progress")
        if not names.is_function and names.declared.kind != "custom":
            draft = call_item(place.id, names, "".join(self._arguments), "in_progress")
        added = self._output.write_added(place, draft)
        if not names.is_function or not self._arguments:
            return added
        delta = {"delta": "".join(self._arguments)}
        return added + self._output.write_of(place, f"{_ARGUMENTS}.delta", delta)

    def close(self, *, cut: bool) -> bytes:
        """Return the events that end the call. None where *cut* says that the arguments were cut off."""
        place, names, arguments = self._place, self._names(), "".join(self._arguments)
        assert place is not None
        if cut and not self.is_whole:
            self._output.items[place.index] = function_call_item(place.id, names, arguments, "incomplete")
            return b""
        return self._write_whole(place, names, arguments) + self._output.write_done(
            place, call_item(place.id, names, arguments, "completed")
        )

    def _write_whole(self, place: Place, names: CallNames, arguments: str) -> bytes:
        if names.is_function:
            fields = {"name": names.declared.name, "arguments": arguments}
            return self._output.write_of(place, f"{_ARGUMENTS}.done", fields)
        if names.declared.kind != "custom":
            return b""
        text = unwrap_input(arguments)
        delta = self._output.write_of(place, f"{_INPUT}.delta", {"delta": text}) if text else b""
        return delta + self._output.write_of(place, f"{_INPUT}.done", {"input": text})

    def _names(self) -> CallNames:
        if self._found is None:
            found = name_call(self.call_id, self._name, self._table)
            if not self._arguments:
                return found  # further pieces of the name may come
            self._found = found
        return self._found
