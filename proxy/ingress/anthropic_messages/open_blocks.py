"""The blocks of a streamed answer that are open or wait: thoughts, text and calls.

A block writes its own events once it has begun. Before that it keeps what comes.
"""

from __future__ import annotations

from proxy.answers.object_end import ObjectEnd
from proxy.core.json_text import write_json
from proxy.ingress.anthropic_messages.answer_context import AnswerContext
from proxy.ingress.anthropic_messages.stream_output import (
    StreamOutput,
    write_block_start,
    write_block_stop,
    write_delta,
)
from proxy.ingress.call_input import read_input
from sanitizers.messages import parse_arguments


class OpenThinking:
    """A block of thoughts. Its one signature comes last: that of the call behind it, or the seal of no signature."""

    def __init__(self, output: StreamOutput, context: AnswerContext) -> None:
        self.index: int | None = None
        self.signature: str | None = None
        self.may_close = True
        self._output = output
        self._context = context
        self._kept: list[str] = []

    @property
    def can_open(self) -> bool:
        """True where there are thoughts, or a signature."""
        return bool(self._kept) or self.signature is not None

    def add(self, text: str) -> bytes:
        """Return the event of further thoughts. Thoughts that the client does not want to read are left out."""
        if not self._context.thinking.shows_text:
            self._kept.append("")
            return b""
        self._output.said += len(text)
        if self.index is None:
            self._kept.append(text)
            return b""
        return write_delta(self.index, "thinking_delta", "thinking", text)

    def open(self) -> bytes:
        """Return the events that begin the block."""
        self.index = index = self._output.next_index()
        begun = write_block_start(index, {"type": "thinking", "thinking": "", "signature": ""})
        kept = "".join(self._kept)
        return begun + write_delta(index, "thinking_delta", "thinking", kept) if kept else begun

    def close(self) -> bytes:
        """Return the events that end the block."""
        assert self.index is not None, "a block is open before it is closed"
        signature = self.signature or self._context.seal_thoughts()
        return write_delta(self.index, "signature_delta", "signature", signature) + write_block_stop(
            self.index
        )


class OpenText:
    """A block of text. It begins with the first text that is not blank, since Anthropic refuses blank ones later."""

    def __init__(self, output: StreamOutput, index: int | None = None) -> None:
        self.index = index
        self.may_close = True
        self._output = output
        self._kept: list[str] = []
        self._is_blank = index is None

    @property
    def can_open(self) -> bool:
        """True where there is a text that is not blank."""
        return not self._is_blank

    def add(self, text: str) -> bytes:
        """Return the event of a further text."""
        if self.index is not None:
            self._output.said += len(text)
            return write_delta(self.index, "text_delta", "text", text)
        self._kept.append(text)
        self._is_blank = self._is_blank and not text.strip()
        return b""

    def open(self) -> bytes:
        """Return the events that begin the block."""
        self.index = index = self._output.next_index()
        text = "".join(self._kept)
        self._output.said += len(text)
        begun = write_block_start(index, {"type": "text", "text": ""})
        return begun + write_delta(index, "text_delta", "text", text)

    def close(self) -> bytes:
        """Return the event that ends the block."""
        assert self.index is not None, "a block is open before it is closed"
        return write_block_stop(self.index)


class OpenCall:
    """A call. Its input goes out as it comes, where it begins as an object. Another one waits, and is mended."""

    def __init__(self, output: StreamOutput, call_id: str, name: str, index: int | None = None) -> None:
        self.index = index
        self.call_id = call_id
        self._output = output
        self._name = name
        self._kept: list[str] = []
        self._end = ObjectEnd()
        self._is_object: bool | None = None if index is None else True
        """True for an input that begins as an object. None until its first character has come."""

    @property
    def can_open(self) -> bool:
        """True where the name is whole, since the input has begun."""
        return self._is_object is not None

    @property
    def may_close(self) -> bool:
        """True where nothing more of the input can come."""
        return self._end.found

    def add(self, name: str, arguments: str) -> bytes:
        """Return the event of a further piece. What follows a whole object is left out."""
        if self._is_object is None:
            self._name += name  # some providers send a name in pieces
        if not arguments or self._end.found:
            return b""
        if self._is_object is None:
            begun = arguments.lstrip()
            if not begun:
                return b""
            self._is_object = begun.startswith("{")
        end = self._end.find_end(arguments) if self._is_object else None
        piece = arguments if end is None else arguments[:end]
        self._output.said += len(piece)
        if self.index is None or not self._is_object:
            self._kept.append(piece)
            return b""
        return write_delta(self.index, "input_json_delta", "partial_json", piece)

    def skip(self, arguments: str) -> None:
        """Note *arguments* that have gone out already."""
        if arguments:
            self._end.find_end(arguments)

    def open(self) -> bytes:
        """Return the events that begin the call, and those of its input so far."""
        self.index = index = self._output.next_index()
        self._output.has_calls = True
        block = {"type": "tool_use", "id": self.call_id, "name": self._name, "input": {}}
        begun = write_block_start(index, block)
        if not self._is_object or not self._kept:
            return begun
        kept = "".join(self._kept)
        self._kept.clear()
        if self._end.found and parse_arguments(kept) is None:  # a whole input can still be mended
            kept = write_json(read_input(kept)).decode()
        return begun + write_delta(index, "input_json_delta", "partial_json", kept)

    def close(self) -> bytes:
        """Return the events that end the call."""
        assert self.index is not None, "a block is open before it is closed"
        mended = b""
        if self._is_object is False:
            read = read_input("".join(self._kept))
            if read:
                mended = write_delta(
                    self.index, "input_json_delta", "partial_json", write_json(read).decode()
                )
        return mended + write_block_stop(self.index)
