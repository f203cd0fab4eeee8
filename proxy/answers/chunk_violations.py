"""Checks the chunks of a stream against the guarantees of the strict chunk (:mod:`proxy.answers.chunk_rules`).

This module shares no code with the normalizer (:mod:`proxy.answers.normalize`), whose chunks it checks. It reads chunks
in the order in which a client gets them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from proxy.answers.chunk_rules import ChunkViolation
from proxy.answers.chunk_shapes import (
    TEXTS,
    are_logprobs,
    are_thoughts,
    behind_object,
    has_delta_types,
    has_fields,
    has_head_types,
    is_choice,
    is_piece,
    is_said,
    is_signed,
    is_usage,
)
from proxy.core.strict_chunk import FinishReason, StrictChunk


def find_chunk_violations(
    chunks: Iterable[Mapping[str, Any]], *, complete: bool = True
) -> tuple[ChunkViolation, ...]:
    """Return a violation for each rule that *chunks* (decoded JSON) break, in reading order.

    With *complete* false, rules about the stream's end are not checked, since the stream was cut off. The normalizer
    cannot guarantee ``arguments_no_object``, since a model may write arguments that are not JSON.
    """
    stream = _Stream()
    for chunk in chunks:
        stream.read(chunk)
    if complete:
        stream.end()
    return tuple(stream.found)


_FINISHES = frozenset(get_args(FinishReason))
_LEGAL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class _Call:
    arguments: list[str] = field(default_factory=list)
    signed: bool = False


@dataclass(slots=True)
class _Choice:
    calls: list[_Call] = field(default_factory=list)
    finish: Any = None
    legacy: bool = False
    signed: bool = False


class _Stream:
    """The state of the stream so far, and its violations."""

    def __init__(self) -> None:
        self.found: dict[ChunkViolation, None] = {}  # each once, in reading order
        self._at = -1
        self._choices: dict[int, _Choice] = {}
        self._head: tuple[Any, ...] | None = None
        self._ids: set[str] = set()
        self._usage_seen = False

    def read(self, chunk: Mapping[str, Any]) -> None:
        self._at += 1
        given = chunk.get("choices")
        choices = given if isinstance(given, list) else []
        if not has_fields(chunk, StrictChunk) or given is not choices:
            self._note("chunk_fields")
        self._read_head(chunk)
        if choices and self._usage_seen:
            self._note("usage_not_last")
        if "usage" in chunk:
            if choices:
                self._note("usage_beside_choices")
            if self._usage_seen:
                self._note("usage_repeated")
            if not is_usage(chunk["usage"]):
                self._note("usage_counts")
            self._usage_seen = True
        elif not choices:
            self._note("chunk_empty")
        seen: set[int] = set()
        for choice in choices:
            if not is_choice(choice):
                self._note("choice_fields")
                continue
            index = choice["index"]
            if index in seen:
                self._note("choice_twice_in_chunk", index)
            seen.add(index)
            self._read_choice(choice, index)

    def end(self) -> None:
        """Note the violations at the end of the stream."""
        self._at += 1
        if not self._choices:
            self._note("no_choice")
        for index, choice in self._choices.items():
            if choice.finish is None:
                self._note("choice_unfinished", index)

    def _note(self, rule: str, choice: int | None = None) -> None:
        self.found[ChunkViolation(rule, self._at, choice)] = None

    def _read_head(self, chunk: Mapping[str, Any]) -> None:
        head = tuple(chunk.get(name) for name in ("id", "created", "model"))
        if not has_head_types(chunk):
            self._note("head_types")
        if self._head is None:
            self._head = head
        elif head != self._head:
            self._note("head_changed")

    def _read_choice(self, given: dict[str, Any], index: int) -> None:
        delta, reason = given["delta"], given.get("finish_reason")
        first = index not in self._choices
        choice = self._choices.setdefault(index, _Choice())
        if choice.finish is not None:
            self._note("choice_after_finish", index)
        if first and delta.get("role") != "assistant":
            self._note("role_missing", index)
        if not first and "role" in delta:
            self._note("role_repeated", index)
        if not first and not delta and reason is None and "logprobs" not in given:
            self._note("delta_empty", index)
        if "logprobs" in given and not are_logprobs(given["logprobs"]):
            self._note("logprobs_shape", index)
        self._read_delta(delta, choice, index, first, ends=reason is not None)
        if reason is not None:
            self._finish(choice, index, reason)

    def _read_delta(
        self, delta: dict[str, Any], choice: _Choice, index: int, first: bool, *, ends: bool
    ) -> None:
        if not has_delta_types(delta):
            self._note("delta_fields", index)
        for name in TEXTS:
            text = delta.get(name)
            if name in delta and not text and (not first or "tool_calls" in delta):
                self._note("text_empty", index)
            self._note_half(text, index)
        if "extra_content" in delta:
            choice.signed = self._sign(delta, choice.signed, index)
        if "thinking_blocks" in delta and (not ends or not are_thoughts(delta["thinking_blocks"])):
            self._note("thoughts_shape", index)
        choice.legacy = choice.legacy or bool(delta.get("function_call"))
        if "tool_calls" in delta:
            self._read_pieces(delta["tool_calls"], choice, index)

    def _read_pieces(self, pieces: Any, choice: _Choice, index: int) -> None:
        if not isinstance(pieces, list) or not pieces or not all(map(is_piece, pieces)):
            self._note("piece_fields", index)
            return
        if len({piece["index"] for piece in pieces}) < len(pieces):
            self._note("call_twice_in_delta", index)
        for piece in pieces:
            place = piece["index"]
            if place == len(choice.calls):
                choice.calls.append(_Call())
                self._read_call_head(piece, index)
            elif place > len(choice.calls):
                self._note("call_place", index)
                continue
            elif {"id", "type"} & piece.keys() or "name" in piece["function"]:
                self._note("call_head_repeated", index)
            call = choice.calls[place]
            call.arguments.append(piece["function"]["arguments"])
            self._note_half(piece["function"]["arguments"], index)
            if "extra_content" in piece:
                call.signed = self._sign(piece, call.signed, index)

    def _read_call_head(self, piece: dict[str, Any], index: int) -> None:
        call_id = piece.get("id")
        named = is_said(piece["function"].get("name"))
        if not is_said(call_id) or piece.get("type") != "function" or not named:
            self._note("call_head_missing", index)
        elif _LEGAL_ID.fullmatch(call_id) is None:
            self._note("call_id_illegal", index)
        elif call_id in self._ids:
            self._note("call_id_shared", index)
        else:
            self._ids.add(call_id)

    def _sign(self, holder: dict[str, Any], signed: bool, index: int) -> bool:
        if not is_signed(holder["extra_content"]):
            self._note("signature_shape", index)
        if signed:
            self._note("signature_repeated", index)
        return True

    def _note_half(self, text: Any, index: int) -> None:
        if isinstance(text, str) and _HALF.search(text):
            self._note("text_half", index)

    def _finish(self, choice: _Choice, index: int, reason: Any) -> None:
        choice.finish = reason
        if not isinstance(reason, str) or reason not in _FINISHES:
            self._note("finish_unknown", index)
            return
        held = {"tool_calls": bool(choice.calls), "function_call": choice.legacy}
        if choice.calls and reason in ("stop", "function_call"):
            self._note("finish_hides_calls", index)
        elif not held.get(reason, True):
            self._note("finish_without_calls", index)
        for call in choice.calls:
            rest = behind_object("".join(call.arguments))
            if rest is not None and rest.startswith("{"):
                self._note("arguments_of_two", index)
            elif rest != "" and reason == "tool_calls":
                self._note("arguments_no_object", index)
