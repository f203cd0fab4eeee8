"""Brings the chunks of a stream into one canonical form (:mod:`proxy.answers.normalize_answer`)."""

from __future__ import annotations

from typing import Any

from proxy.answers.answer_thoughts import read_thoughts, shown_thoughts
from proxy.answers.assemble_calls import CallAssembler
from proxy.answers.find_empty import CUT_OFF
from proxy.answers.join_surrogates import PendingSurrogates, join_surrogates, release_surrogates
from proxy.answers.normalize_answer import (
    MESSAGE_FIELDS,
    TEXTS,
    AnswerFindings,
    finish_reason_of,
    text_signature,
)
from proxy.answers.partial_call import join_pieces
from proxy.answers.received_text import ReceivedText
from proxy.answers.restore_tool_names import UNCHANGED, LegacyNames, ToolNameMap
from proxy.answers.usage import normalize_logprobs, normalize_usage
from proxy.core.canonical_chat import THINKING_LAYOUT
from proxy.core.upstream_call import Chunk
from proxy.planning.signatures.client_ids import CallIds
from proxy.state.kept_signatures import Signed
from proxy.upstream.signature_carriers import (
    encrypted_details,
    has_only_openai_fields,
)

_DELTA_FIELDS = MESSAGE_FIELDS - {"role"}


class ChunkNormalizer:
    """Brings one stream's chunks into canonical form. It keeps values that must be equal in all chunks, or sent once.

    The parameters are those of :func:`normalize_answer`. *include_usage* is true where the client asked for usage. A
    dataclass in place of the seven parameters would cost one more Python call for each stream.
    """

    def __init__(
        self,
        *,
        fallback_id: str,
        created: int,
        model: str,
        include_usage: bool,
        ids: CallIds | None = None,
        names: ToolNameMap = UNCHANGED,
        with_places: bool = False,
    ):
        self._id = fallback_id
        self._created = created
        self._model = model
        self._include_usage = include_usage
        self._ids = ids or CallIds(fallback_id)
        self._names = names
        self._with_places = with_places
        self._legacy_names = LegacyNames(names)
        self._head_set = False
        self._started: set[int] = set()  # choices whose role has been sent
        self._calls: dict[int, CallAssembler] = {}  # the calls of each choice with any
        self._legacy: set[int] = set()  # choices with a call in the older form ``function_call``
        self._signatures: dict[int, str] = {}  # signatures outside calls, by choice
        self._layouts: dict[int, Any] = {}  # thoughts and their places, by choice
        self._details: dict[int, dict[str, str]] = {}  # the same by choice, and by the ids of their calls
        self._finished: set[int] = set()
        self._surrogates: PendingSurrogates = {}
        self.usage: dict[str, Any] | None = None
        """The provider's latest usage report, if any."""

        self.service_tier: str | None = None
        """The service tier that the chunk with the usage names."""

        self.received = ReceivedText()
        """The text that came after the latest usage report."""

        self._receive = self.received.pieces.append

        self.findings = AnswerFindings()
        """The signed calls and the repairs that are not stored yet.

        The caller stores and clears them before it sends the chunk.
        """

    @property
    def finished(self) -> bool:
        """True where at least one choice has ended.

        One choice is enough here, since litellm loses the finish reason of Gemini's further candidates in streams. The
        direct transport requires a finish reason for every choice before its stream ends (:mod:`proxy.upstream.wires`).
        """
        return bool(self._finished)

    def normalize(self, chunk: Chunk) -> Chunk | None:
        """Return the chunk for the client, or None where the client needs none.

        Raises :class:`proxy.core.errors.UpstreamFault` for a tool call that ended without a name, or that the model
        repeats over and over.
        """
        # The first chunk's id stays, since litellm makes a new one for each chunk. A chunk without choices does not
        # count: Azure's filter comes first, with an empty id and model (openai-python#1677).
        if not self._head_set and chunk.get("choices"):
            self._head_set = True
            self._id = _text_or_none(chunk.get("id")) or self._id
            self._model = _text_or_none(chunk.get("model")) or self._model
        choices: list[dict[str, Any]] = []
        for choice in chunk.get("choices") or ():
            if (normalized := self._normalize_choice(choice)) is not None:
                choices.append(normalized)
        if "usage" in chunk and (usage := chunk["usage"]):
            self._read_usage(usage, chunk)
        return self._chunk(choices) if choices else None

    def _read_usage(self, usage: dict[str, Any], chunk: Chunk) -> None:
        counts = normalize_usage(usage)
        if counts:
            self.usage = counts
            self.service_tier = _text_or_none(chunk.get("service_tier"))
            if counts["completion_tokens"]:  # some servers write zeros until the end
                self.received.forget()

    def last_chunk(self) -> Chunk | None:
        """Return the usage chunk, if the client asked for usage and the provider reported it. It comes last.

        Each report covers the whole answer so far. So only the last report counts, and the reports are not added up.
        """
        if not self._include_usage or self.usage is None:
            return None
        return {**self._chunk([]), "usage": self.usage}

    def head_chunk(self) -> Chunk:
        """Return a chunk without choices, for a provider's native event that has no form in OpenAI's API."""
        return self._chunk([])

    def _chunk(self, choices: list[dict[str, Any]]) -> Chunk:
        return {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._model,
            "choices": choices,
        }

    def _normalize_choice(self, choice: dict[str, Any]) -> dict[str, Any] | None:
        """Return one choice of a chunk in canonical form, or None where the choice has nothing new for the client.

        The function is over 50 lines long because it runs for every chunk: a function for each phase would cost a call
        each.
        """
        index = choice.get("index") or 0
        given = choice.get("delta") or {}
        if (
            len(given) == 1
            and type(text := given.get("content")) is str
            and text
            and text.isascii()
            and not self._surrogates
            and choice.get("finish_reason") is None
            and choice.get("logprobs") is None
            and index in self._started
            and index not in self._finished
        ):
            self._receive(text)
            return {"index": index, "delta": {"content": text}, "finish_reason": None}  # as most pieces are
        if index in self._finished:
            self._read_late(index, given)
            return None
        delta = {name: value for name, value in given.items() if name in _DELTA_FIELDS}
        if len(delta) < len(given):
            if (signature := text_signature(given)) is not None:
                self._signatures[index] = signature
            if THINKING_LAYOUT in given:
                self._layouts[index] = given[THINKING_LAYOUT]
            if "reasoning_details" in given:
                self._details.setdefault(index, {}).update(encrypted_details(given))
        for name in TEXTS:
            if name in given and type(text := given[name]) is str:
                self._receive(text)
        for name, text in delta.items():
            if type(text) is str and (self._surrogates or not text.isascii()):
                delta[name] = join_surrogates(self._surrogates, (index, name), text)
        calls = delta.pop("tool_calls", None)
        if calls:
            self._read_calls(index, calls, delta)
        if "function_call" in delta:
            piece = delta["function_call"]  # some servers write null into every delta
            if piece and (piece.get("name") or piece.get("arguments")):
                self._legacy.add(index)
                self._receive_call(piece)
            if self._names is not UNCHANGED:
                self._read_legacy(index, delta)
        reason = choice.get("finish_reason")
        if reason:
            reason = self._finish(index, reason, delta)  # which may add withheld calls
        first = index not in self._started
        if not first or "tool_calls" in delta:
            for name in TEXTS:
                if name in delta and not delta[name]:
                    del delta[name]
        logprobs = choice.get("logprobs")
        if logprobs is not None:
            logprobs = normalize_logprobs(logprobs)
        if not (reason or first or delta) and logprobs is None:
            return None
        if first:
            self._started.add(index)
            delta = {"role": "assistant", **delta}
        normalized: dict[str, Any] = {"index": index, "delta": delta, "finish_reason": reason or None}
        if logprobs is not None:
            normalized["logprobs"] = logprobs
        return normalized

    def _finish(self, index: int, reason: str, delta: dict[str, Any]) -> str:
        """Return the finish reason for the client, and put all withheld text into the last *delta*."""
        self._finished.add(index)
        if index in self._legacy and (name := self._legacy_names.close(index)):
            delta["function_call"] = name
        assembler = self._calls.get(index)
        signature = self._signatures.pop(index, None)
        if assembler is not None:
            pieces = assembler.close(cut_off=reason in CUT_OFF)
            pieces += assembler.sign(self._details.get(index, {}))
            if signature is not None:
                pieces += assembler.sign_first(signature)
            self._add_pieces(index, pieces, delta)
            self.findings.add(index, assembler)
        called = assembler is not None and not assembler.is_empty
        if signature is not None and not called:
            delta["extra_content"] = {"google": {"thought_signature": signature}}
            self.findings.signed.append(Signed("", "", "", signature))
        layout = self._layouts.pop(index, None)
        if layout is not None and (thoughts := read_thoughts(layout, assembler)) is not None:
            self.findings.thoughts.append(thoughts)
            if shown := shown_thoughts(thoughts, self._with_places):
                delta["thinking_blocks"] = shown
        if self._surrogates:
            release_surrogates(self._surrogates, index, delta)
            if "tool_calls" in delta:
                delta["tool_calls"] = join_pieces(delta["tool_calls"])
        return finish_reason_of(reason, called, index in self._legacy)

    def _read_legacy(self, index: int, delta: dict[str, Any]) -> None:
        """Replace the piece of a legacy call in *delta* by the part that can be sent now."""
        piece = self._legacy_names.read(index, delta["function_call"] or {})
        if piece:
            delta["function_call"] = piece
        else:
            del delta["function_call"]

    def _read_late(self, index: int, given: dict[str, Any]) -> None:
        """Add a thought signature that comes after its choice has ended to the findings, which the caller stores.

        The client does not get the signature, but sends the call's id back later, by which the signature is found.
        """
        assembler, calls = self._calls.get(index), given.get("tool_calls")
        if assembler is None or not calls:
            return
        for call in calls:
            if not has_only_openai_fields(call) and not (call.get("function") or {}).get("arguments"):
                assembler.read(call)
        self.findings.signed += assembler.signed(ended=True)

    def _read_calls(self, index: int, calls: list[dict[str, Any]], delta: dict[str, Any]) -> None:
        """Put the pieces that *calls* add into *delta*, each with its call's position as ``index``."""
        assembler = self._calls.get(index)
        if assembler is None:
            assembler = self._calls[index] = CallAssembler(self._ids, index, self._names)
        for call in calls:
            self._receive_call(call.get("function"))
        self._add_pieces(index, [piece for call in calls for piece in assembler.read(call)], delta)
        self.findings.signed += assembler.signed(ended=False)

    def _receive_call(self, function: Any) -> None:
        """Keep the text of a piece of a call: the name of its tool, and arguments."""
        if isinstance(function, dict):
            for text in (function.get("name"), function.get("arguments")):
                if isinstance(text, str):
                    self._receive(text)

    def _add_pieces(self, index: int, pieces: list[dict[str, Any]], delta: dict[str, Any]) -> None:
        if not pieces:
            return
        for piece in pieces:
            text = piece["function"]["arguments"]
            if text and (self._surrogates or not text.isascii()):
                piece["function"]["arguments"] = join_surrogates(
                    self._surrogates, (index, piece["index"]), text
                )
        known = delta.get("tool_calls")
        if known or len(pieces) > 1:
            pieces = join_pieces([*(known or ()), *pieces])
        delta["tool_calls"] = pieces


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None
