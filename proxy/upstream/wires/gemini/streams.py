"""Reads a ``streamGenerateContent`` answer as ``chat.completion.chunk`` objects, event by event."""

from __future__ import annotations

from typing import Any

from proxy.upstream.wires.gemini.reading import ResponseReader


class StreamReader(ResponseReader):
    """Reads one stream. :mod:`proxy.answers.normalize` adds ``created``, roles and a missing ``id``."""

    def __init__(self, model: str, *, relays: bool = False) -> None:
        super().__init__(model, relays=relays)
        self._closed = False

    def feed(self, event: Any) -> list[dict[str, Any]]:
        """Return the chunk for one event's JSON: texts and thoughts as they come, each call whole in one delta.

        No chunk has a finish reason before the stream is over. Gemini sends STOP with a call and may send it again.
        Raises :class:`proxy.core.errors.UpstreamFault` for an error in the stream, with its status, and for an event
        that is no answer.
        """
        choices: list[dict[str, Any]] = []
        for index, delta, logprobs in self.read(event):
            choice: dict[str, Any] = {"index": index, "delta": delta, "finish_reason": None}
            if logprobs:
                choice["logprobs"] = logprobs
            choices.append(choice)
        return [self._chunk(choices)] if choices else []

    def close(self) -> list[dict[str, Any]]:
        """Return the last chunks: the finish reasons, then the usage if Gemini sent it. A second call returns none.

        Raises :class:`proxy.core.errors.UpstreamFault` if the answer is incomplete, is empty or has failed.
        """
        if self._closed:
            return []
        self._closed = True
        ends = self.final_deltas()
        finished = [
            {"index": index, "delta": ends.get(index, {}), "finish_reason": reason}
            for index, reason in self.finish().items()
        ]
        chunks = [self._chunk(finished)]
        usage = self.usage()
        if usage is not None:
            chunks.append({**self._chunk([]), "usage": usage})
            if self.tier is not None:
                chunks[-1]["service_tier"] = self.tier
        return chunks

    def _chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        chunk: dict[str, Any] = {} if self.id is None else {"id": self.id}
        chunk["object"] = "chat.completion.chunk"
        chunk["model"] = self.model
        chunk["choices"] = choices
        return chunk
