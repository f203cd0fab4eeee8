"""Checks the types of the values in a strict chunk. :mod:`proxy.core.strict_chunk` lists its keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn, TypeGuard

from proxy.core.canonical_chat import ExtraContent, GoogleExtra
from proxy.core.strict_chunk import (
    CallPiece,
    ChunkChoice,
    CompletionTokensDetails,
    Delta,
    LegacyPiece,
    Logprobs,
    PieceFunction,
    PromptTokensDetails,
    Usage,
)

TEXTS = ("content", "reasoning_content", "refusal")
"""The text fields of a delta."""

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_DETAILS = {
    "prompt_tokens_details": PromptTokensDetails,
    "completion_tokens_details": CompletionTokensDetails,
}


def has_fields(value: Any, kind: Any) -> bool:
    """Return True where *value* is an object with all required keys of the TypedDict *kind*, and no unknown ones."""
    return isinstance(value, Mapping) and (
        kind.__required_keys__ <= value.keys() <= kind.__annotations__.keys()
    )


def has_head_types(chunk: Mapping[str, Any]) -> bool:
    """Return True where *chunk* has the fields that every chunk begins with, each of its type."""
    return (
        chunk.get("object") == "chat.completion.chunk"
        and is_said(chunk.get("id"))
        and is_said(chunk.get("model"))
        and type(chunk.get("created")) is int
        and chunk["created"] > 0
    )


def is_choice(choice: Any) -> bool:
    """Return True where *choice* has the fields of a choice, a non-negative index, and an object as its delta."""
    return (
        has_fields(choice, ChunkChoice) and _is_count(choice["index"]) and isinstance(choice["delta"], dict)
    )


def has_delta_types(delta: dict[str, Any]) -> bool:
    """Return True where *delta* has only known fields, each of its type. Pieces of calls are not checked."""
    legacy, audio, notes = (delta.get(name) for name in ("function_call", "audio", "annotations"))
    return (
        has_fields(delta, Delta)
        and all(delta.get(name) is None or isinstance(delta[name], str) for name in TEXTS)
        and (legacy is None or (has_fields(legacy, LegacyPiece) and _are_texts(legacy)))
        and (audio is None or isinstance(audio, dict))
        and (notes is None or (isinstance(notes, list) and all(isinstance(one, dict) for one in notes)))
    )


def is_piece(piece: Any) -> bool:
    """Return True for a piece of a call. Its id and type are not checked here."""
    return (
        has_fields(piece, CallPiece)
        and _is_count(piece["index"])
        and has_fields(piece["function"], PieceFunction)
        and _are_texts(piece["function"])
    )


def is_signed(extra: Any) -> bool:
    """Return True where *extra*, an ``extra_content``, holds a signature and nothing else."""
    return (
        has_fields(extra, ExtraContent)
        and has_fields(extra["google"], GoogleExtra)
        and is_said(extra["google"]["thought_signature"])
    )


def are_thoughts(blocks: Any) -> bool:
    """Return True where *blocks* is a list of blocks of thinking, in litellm's form."""
    return (
        isinstance(blocks, list)
        and bool(blocks)
        and all(
            isinstance(block, Mapping) and block.get("type") in ("thinking", "redacted_thinking")
            for block in blocks
        )
    )


def is_usage(usage: Any) -> bool:
    """Return True where *usage* holds only counts, and its total is the sum of the other two."""
    if not has_fields(usage, Usage) or not all(_is_count(usage[name]) for name in _COUNTS):
        return False
    prompt, completion, total = (usage[name] for name in _COUNTS)
    return prompt + completion == total and all(
        has_fields(usage[name], kind) and all(map(_is_count, usage[name].values()))
        for name, kind in _DETAILS.items()
        if name in usage
    )


def are_logprobs(value: Any) -> bool:
    """Return True where *value* holds lists of tokens, or nulls."""
    return has_fields(value, Logprobs) and all(
        tokens is None or (isinstance(tokens, list) and all(map(_is_token, tokens)))
        for tokens in value.values()
    )


def is_said(value: Any) -> TypeGuard[str]:
    """Return True for a text that is not empty."""
    return isinstance(value, str) and value != ""


def behind_object(text: str) -> str | None:
    """Return the stripped text after the JSON object at the start of *text*, or None without such an object."""
    text = text.strip()
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return text[end:].lstrip() if isinstance(value, dict) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _are_texts(values: Mapping[str, Any]) -> bool:
    return all(isinstance(value, str) for value in values.values())


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0  # not isinstance, since True is an int too


def _is_token(token: Any) -> bool:
    return isinstance(token, dict) and isinstance(token.get("token"), str)
