"""Judges and answers requests to OpenAI's embeddings endpoint. A vector depends on its input alone.

Sources of the texts: an input that is none, BERTopic#1594; a model that only chats, ragflow#1835; an argument that
nobody knows, coroot#698. A request may have at most 2,048 inputs (API reference).
"""

import hashlib
import json
from array import array
from base64 import b64encode
from typing import Any

from tests.support.openai_emulator.judging import Refusal

SIZE = 8
MOST = 2048
KNOWN = {"dimensions", "encoding_format", "input", "model", "user"}


def judge_embeddings(body: Any) -> Refusal | None:
    """Return OpenAI's error for an embeddings request, or None if OpenAI accepts the request."""
    if not isinstance(body, dict) or not body.get("model"):
        return Refusal("you must provide a model parameter")
    for name in body:
        if name not in KNOWN:
            return Refusal(f"Unrecognized request argument supplied: {name}")
    if str(body["model"]).startswith(("gpt-", "o1", "o3", "o4")):
        return Refusal("You are not allowed to generate embeddings from this model", status=403)
    if body.get("encoding_format", "float") not in ("base64", "float"):
        return Refusal("Invalid value for 'encoding_format'.", "encoding_format", "invalid_value")
    inputs = list_inputs(body.get("input"))
    if not inputs or len(inputs) > MOST or not all(map(_is_input, inputs)):
        return Refusal(
            "'$.input' is invalid. Please check the API reference: "
            "https://platform.openai.com/docs/api-reference."
        )
    return None


def embeddings(body: dict[str, Any], count: int | None = None, *, shuffled: bool = False) -> dict[str, Any]:
    """Return the answer. *count* sets the number of embeddings, and *shuffled* reverses their order."""
    inputs = list_inputs(body["input"])
    chosen = (inputs * 2)[: len(inputs) if count is None else count]
    data = [
        {"object": "embedding", "index": at, "embedding": _embedding(one, body)}
        for at, one in enumerate(chosen)
    ]
    tokens = sum(_tokens(one) for one in inputs)
    return {
        "object": "list",
        "data": data[::-1] if shuffled else data,
        "model": body["model"],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def vector_of(one: Any, size: int = SIZE) -> list[float]:
    """Return the vector of one input. Its numbers are exact in float32, so that floats and base64 hold the same."""
    digest = hashlib.shake_128(json.dumps(one).encode()).digest(2 * size)
    return [number / 32768 for number in array("h", digest)]


def list_inputs(value: Any) -> list[Any]:
    """Return the single inputs in a request's `input` or `prompt`."""
    if isinstance(value, list) and not (value and isinstance(value[0], int)):
        return value
    return [value]


def _is_input(one: Any) -> bool:
    if isinstance(one, list):
        return bool(one) and all(type(token) is int for token in one)
    return isinstance(one, str) and bool(one)


def _tokens(one: Any) -> int:
    return len(one) if isinstance(one, list) else 1 + len(one) // 4


def _embedding(one: Any, body: dict[str, Any]) -> Any:
    vector = vector_of(one, body.get("dimensions") or SIZE)
    if body.get("encoding_format") == "base64":
        return b64encode(array("f", vector).tobytes()).decode()
    return vector
