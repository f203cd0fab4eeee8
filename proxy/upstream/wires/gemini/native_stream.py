"""Reads the events of a stream for a client of Gemini's own API: each chunk has its event as its source.

Gemini tells the end of an answer with its last text, and the reading of a stream is done only when the stream is over.
So the event with a finish reason waits until then, and its chunk has the chat's finish reason too. A stream that turns
out to be broken ends with an error alone, and not with a finish reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from proxy.core.source import GEMINI_NATIVE, SOURCE, AnswerSource
from proxy.core.upstream_call import Chunk
from proxy.upstream.wires.gemini.native_calls import has_all_calls
from proxy.upstream.wires.gemini.streams import StreamReader
from proxy.upstream.wires.payloads import load_payload

_Choice = dict[str, Any]
_Held = tuple[Any, list[_Choice]]
_NO_ARGUMENTS = "{}"


class NativeStreamReader(StreamReader):
    """Reads the payloads of one stream, one chunk for each event.

    The arguments of a call without arguments come with the next call that has some, or with the end of the answer. The
    normalizer would hold them back until then, since they may be a placeholder, and would separate them from their
    event.
    """

    ended = False

    def __init__(self, model: str) -> None:
        super().__init__(model, relays=True)
        self._held: list[_Held] = []
        self._without_arguments: dict[int, list[int]] = {}  # the indexes of calls, by choice

    @override
    def feed(self, payload: Any) -> list[Chunk]:
        """Return the chunks of *payload* and of the events that waited. Raises as the reader of chats does."""
        if not payload:
            return []
        event = load_payload(payload)
        choices = [choice for chunk in super().feed(event) for choice in chunk["choices"]]
        for choice in choices:
            self._hold_arguments(choice)
        if not self._held and not _has_end(event):
            return [self._native(event, choices)]
        chunks: list[Chunk] = []
        if choices and self._held:  # some servers send STOP with every event
            chunks = self._release()
        if not self._held and not _has_end(event):
            return [*chunks, self._native(event, choices)]
        self._held.append((event, choices))
        return chunks

    @override
    def close(self) -> list[Chunk]:
        """Return the last chunks. The first one has the finish reasons, and the usage if Gemini sent it.

        Raises as the reader of chats does, and the events that waited are lost.
        """
        chunks = super().close()
        if not chunks:
            return []
        finished: dict[int, _Choice] = {choice["index"]: choice for choice in chunks[0]["choices"]}
        for index, calls in self._without_arguments.items():
            if calls:
                delta = {**finished[index]["delta"], "tool_calls": [*map(_no_arguments, calls)]}
                finished[index] = {**finished[index], "delta": delta}
        usage: Chunk = {name: chunks[-1][name] for name in ("usage", "service_tier") if name in chunks[-1]}
        if not self._held:
            return [{**self._chunk([*finished.values()]), **usage}]
        event, choices = self._held[0]
        ends = [_joined(choice, finished.pop(choice["index"])) for choice in choices]
        last = self._native(event, [*ends, *finished.values()])
        return [{**last, **usage}, *(self._native(later, []) for later, _ in self._held[1:])]

    def _native(self, event: Any, choices: list[_Choice]) -> Chunk:
        chunk = self._chunk(choices)
        return (
            {**chunk, SOURCE: AnswerSource(GEMINI_NATIVE, event)} if has_all_calls(event, choices) else chunk
        )

    def _release(self) -> list[Chunk]:
        chunks = [self._native(event, choices) for event, choices in self._held]
        self._held.clear()
        return chunks

    def _hold_arguments(self, choice: _Choice) -> None:
        """Take the arguments of calls without arguments from *choice*, or give those of earlier calls to it."""
        pieces: list[dict[str, Any]] = choice["delta"].get("tool_calls") or []
        waiting = self._without_arguments.setdefault(choice["index"], []) if pieces else []
        written: dict[int, dict[str, Any]] = {}
        for piece in pieces:
            function = piece["function"]
            if function["arguments"] == _NO_ARGUMENTS:
                waiting.append(piece["index"])
                piece = {**piece, "function": {**function, "arguments": ""}}
            elif waiting:
                for call in waiting:
                    begun = written.get(call) or _no_arguments(call)
                    written[call] = {**begun, "function": {**begun["function"], "arguments": _NO_ARGUMENTS}}
                waiting.clear()
            written[piece["index"]] = piece
        if written:
            choice["delta"]["tool_calls"] = [written[call] for call in sorted(written)]


def _no_arguments(call: int) -> dict[str, Any]:
    return {"index": call, "function": {"arguments": _NO_ARGUMENTS}}


def _has_end(event: Mapping[str, Any]) -> bool:
    """Tell whether *event*, which was read, has the end of a candidate or the refusal of the prompt."""
    feedback = event.get("promptFeedback")
    if isinstance(feedback, dict) and feedback.get("blockReason"):
        return True
    return any(candidate.get("finishReason") is not None for candidate in event.get("candidates") or ())


def _joined(choice: _Choice, end: _Choice) -> _Choice:
    """Return *choice* with the finish reason and the last fields of *end*, which belongs to the same candidate."""
    delta = {**choice["delta"], **end["delta"]}
    pieces: dict[int, dict[str, Any]] = {
        piece["index"]: piece for piece in choice["delta"].get("tool_calls") or ()
    }
    for piece in end["delta"].get("tool_calls") or ():  # the arguments of calls that had none
        begun = pieces.get(piece["index"], piece)
        pieces[piece["index"]] = {**begun, "function": {**begun["function"], **piece["function"]}}
    if pieces:
        delta["tool_calls"] = [pieces[call] for call in sorted(pieces)]
    return {**choice, "delta": delta, "finish_reason": end["finish_reason"]}
