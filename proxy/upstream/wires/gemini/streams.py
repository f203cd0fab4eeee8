"""Reads a ``streamGenerateContent`` answer as ``chat.completion.chunk`` objects, event by event."""

from __future__ import annotations

from typing import Any

from proxy.upstream.wires.gemini.reading import ResponseReader


class StreamReader:
    """Reads one stream. :mod:`proxy.answers.normalize` adds ``created``, roles and a missing ``id``."""

    def __init__(self, model: str) -> None:
        self._reader = ResponseReader(model)
        self._closed = False

    def feed(self, event: Any) -> list[dict[str, Any]]:
        """Return the chunk for one event's JSON: texts and thoughts as they come, each call whole in one delta.

        No chunk has a finish reason before the stream is over. Gemini sends STOP with a call and may send it again.
        Raises :class:`proxy.core.errors.UpstreamFault` for an error in the stream, with its status, and for an event
        that is no answer.
        """
        choices: list[dict[str, Any]] = []
        for index, delta, logprobs in self._reader.read(event):
            choice: dict[str, Any] = {"index": index, "delta": delta, "finish_reason": None}
            if logprobs:
                choice["logprobs"] = logprobs
            choices.append(choice)
        return [self._chunk(choices)] if choices else []

    def may_end(self, wanted: int) -> bool:
        """Tell whether *wanted* candidates, and all that were seen, have a finish reason."""
        return self._reader.may_end(wanted)

    def is_over(self) -> bool:
        """Tell whether an answer that may end is expected to be over."""
        return self._reader.is_over()

    def close(self) -> list[dict[str, Any]]:
        """Return the last chunks, once: the finish reasons, then the usage if Gemini sent it.

        Raises :class:`proxy.core.errors.UpstreamFault` when the stream broke off or did not end as an answer does.
        """
        if self._closed:
            return []
        self._closed = True
        ends = self._reader.final_deltas()
        finished = [
            {"index": index, "delta": ends.get(index, {}), "finish_reason": reason}
            for index, reason in self._reader.finish().items()
        ]
        chunks = [self._chunk(finished)]
        usage = self._reader.usage()
        if usage is not None:
            chunks.append({**self._chunk([]), "usage": usage})
        return chunks

    def _chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        chunk: dict[str, Any] = {} if self._reader.id is None else {"id": self._reader.id}
        chunk["object"] = "chat.completion.chunk"
        chunk["model"] = self._reader.model
        chunk["choices"] = choices
        return chunk
