"""Reads one candidate's parts as OpenAI deltas: one delta for a whole answer, one for each event of a stream."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.upstream.signature_carriers import with_signature
from proxy.upstream.wires.gemini.finishing import PartKinds, finish_reason

NO_ANSWER = "The provider answered with something that is not Gemini's answer."


class CandidateReader:
    """Reads one candidate, and keeps the state that its later events need.

    Media is not carried, since OpenAI's format has no field for media. A line of text replaces the media if there is
    other text. An answer of nothing but media is a fault, unless its client gets the parts as they came (*relays*).
    Code that Gemini has run is a text for such a client alone.

    A thought signature goes onto its call, in the field of Google's OpenAI endpoint. Some answers have it on the
    thought or the empty text before the call. In a stream, the part with the signature may be an event of its own.
    Gemini expects the signature back on the call: "Function call is missing a thought_signature"
    (ai.google.dev/gemini-api/docs/thought-signatures; gemini-cli moves it too).

    So a signature without a call waits for the next call. That call takes the signature unless it has its own. Later
    parallel calls do not get the signature. After the last call, and in an answer without calls, the signature belongs
    to the answer (:meth:`final_delta`).
    """

    def __init__(self, index: int, *, relays: bool = False) -> None:
        self.ended = False
        """True once the candidate has a finish reason. The candidate may send another reason later."""

        self._index = index
        self._ids: list[str] = []  # of the calls so far
        self._sent: set[tuple[str, str, str]] = set()  # the calls that came with an id: id, name, arguments
        self._pending_signature: str | None = None  # a signature without a call, for the next call
        self._kinds = PartKinds()
        self._relays = relays
        self._reason: str | None = None
        self._message: str | None = None
        self._continued = False  # something came after the finish reason

    def read(self, candidate: Mapping[str, Any], response_id: str) -> dict[str, Any]:
        """Return the delta that *candidate* adds, empty if it adds nothing.

        *response_id* goes into the ids of calls without an id. Raises :class:`UpstreamFault` for a value that is no
        candidate.
        """
        parts = _parts_of(candidate)
        if len(parts) == 1 and len(parts[0]) == 1 and type(text := parts[0].get("text")) is str and text:
            self._kinds.has_text = True
            delta: dict[str, Any] = {"content": text}  # most events hold one text
        else:
            delta = self._read_parts(parts, response_id)
        self._continued = self._continued or (self.ended and bool(delta))
        if candidate.get("finishReason") is not None:
            self._note_end(candidate)
        return delta

    def _read_parts(self, parts: list[dict[str, Any]], response_id: str) -> dict[str, Any]:
        kinds = self._kinds
        texts: list[str] = []
        thoughts: list[str] = []
        calls: list[dict[str, Any]] = []
        for part in parts:
            if part.get("functionCall") is not None:
                call = self._read_call(part, response_id)
                calls += [call] if call else []
                continue
            self._pending_signature = _signature_of(part) or self._pending_signature
            if text := _text_of(part, "text"):
                kinds.has_text = kinds.has_text or part.get("thought") is not True
            elif (text := note_of_media(part)) is not None:
                kinds.has_media = True
                kinds.has_text = kinds.has_text or self._relays
            elif self._relays and (text := _code_in(part)):
                kinds.has_text = True
            if text:
                (thoughts if part.get("thought") is True else texts).append(text)
        kinds.has_thought = kinds.has_thought or any(thoughts)
        fields = {"content": "".join(texts), "reasoning_content": "".join(thoughts), "tool_calls": calls}
        return {name: value for name, value in fields.items() if value}

    def is_over(self, *, counted: bool) -> bool:
        """Tell whether no more events are expected. *counted* is true if complete usage has come.

        Some servers send STOP with every event. So STOP ends the answer only if complete usage has come, and if no
        content followed an earlier STOP. Other reasons end the answer by themselves.
        """
        if self._reason == "STOP":
            return counted and not self._continued
        return self.ended

    def finish(self) -> str:
        """Return OpenAI's finish reason.

        Raises :class:`UpstreamFault` if the candidate is incomplete, is empty or has failed.
        """
        return finish_reason(self._reason, self._message, self._kinds, relays=self._relays)

    def final_delta(self) -> dict[str, Any]:
        """Return the signature that no call took, as a field of the answer's message.

        The result is empty if there is none.
        """
        signature = self._pending_signature
        return with_signature({}, signature, ()) if signature else {}

    def _note_end(self, candidate: Mapping[str, Any]) -> None:
        """Keep the finish reason. A later reason replaces only STOP (python-genai#2868)."""
        reason = _text_of(candidate, "finishReason")
        if reason and self._reason in (None, "STOP"):
            self.ended, self._reason = True, reason
            message = candidate.get("finishMessage")
            self._message = message if isinstance(message, str) else None

    def _read_call(self, part: Mapping[str, Any], response_id: str) -> dict[str, Any] | None:
        """Return one tool call with its index, or None for a call that was sent before (hermes#111686)."""
        call = part["functionCall"]
        name = call.get("name") if isinstance(call, dict) else None
        args = (call.get("args") if isinstance(call, dict) else None) or {}
        if not isinstance(name, str) or not name or not isinstance(args, dict):
            raise UpstreamFault(
                "The model wrote a tool call without a name or with arguments that are no object.",
                cause=Cause.MALFORMED_CALL,
            )
        arguments = _written(args)
        index = len(self._ids)
        call_id = call.get("id")
        if isinstance(call_id, str) and call_id:
            if (call_id, name, arguments) in self._sent:
                return None
            self._sent.add((call_id, name, arguments))
        if not isinstance(call_id, str) or not call_id or call_id in self._ids:
            call_id = self._derived_id(f"{response_id}\0{self._index}\0{index}\0{name}\0{arguments}")
        self._ids.append(call_id)
        self._kinds.has_call = True
        signature = _signature_of(part) or self._pending_signature
        self._pending_signature = None
        function = {"name": name, "arguments": arguments}
        piece = {"index": index, "id": call_id, "type": "function", "function": function}
        return with_signature(piece, signature, ()) if signature else piece

    def _derived_id(self, seed: str) -> str:
        while True:
            digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()
            derived = f"call_{digest[:24]}"
            if derived not in self._ids:
                return derived
            seed = digest


def _parts_of(candidate: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = candidate.get("content") or {}
    parts = (content.get("parts") or []) if isinstance(content, dict) else None
    if not isinstance(parts, list):
        raise UpstreamFault(NO_ANSWER)
    for part in parts:
        if type(part) is not dict:
            raise UpstreamFault(NO_ANSWER)
    return parts


def _text_of(holder: Mapping[str, Any], name: str) -> str | None:
    """Return a text, or None if it is missing.

    Raises :class:`UpstreamFault` for a value of another type, since its content would be lost.
    """
    value = holder.get(name)
    if value is not None and not isinstance(value, str):
        raise UpstreamFault(NO_ANSWER)
    return value


def _code_in(part: Mapping[str, Any]) -> str | None:
    """Return the code that Gemini has run, or its result, as a text. A client of its own API gets the part itself."""
    for kind, name in (("executableCode", "code"), ("codeExecutionResult", "output")):
        held = part.get(kind)
        if isinstance(held, Mapping) and isinstance(text := held.get(name), str) and text:
            return f"\n```\n{text}\n```\n"
    return None


def _signature_of(part: Mapping[str, Any]) -> str | None:
    signature = part.get("thoughtSignature")
    return signature if isinstance(signature, str) and signature else None


def _written(args: Mapping[str, Any]) -> str:
    """Return arguments as JSON. Raises :class:`UpstreamFault` for values that no client could read back."""
    try:
        return json.dumps(args, ensure_ascii=False, allow_nan=False)
    except (RecursionError, ValueError):
        raise UpstreamFault(
            "The model wrote a tool call whose arguments cannot be written as JSON.",
            cause=Cause.MALFORMED_CALL,
        ) from None


def note_of_media(part: Mapping[str, Any]) -> str | None:
    """Return a line for the client in place of the media in *part*, or None if it holds no media.

    The proxy asks Gemini for no media (:mod:`proxy.upstream.wires.gemini.settings`). Some models still return it, with
    a text that refers to it.
    """
    media = part.get("inlineData")
    if media is None:
        media = part.get("fileData")
    if media is None:
        return None
    kind = media.get("mimeType") if isinstance(media, Mapping) else None
    named = kind.lower() if isinstance(kind, str) else ""
    what = "An image" if named.startswith("image/") else "Audio" if named.startswith("audio/") else "A file"
    return f"\n[{what} that the model returned cannot be carried.]\n"
