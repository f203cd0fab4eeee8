"""Brings embeddings into OpenAI's form: complete, in order, in the requested encoding.

OpenAI's base64 format holds the numbers as little-endian float32. OpenAI's client requests it by default. Servers that
do not know base64, and providers with other formats, send numbers. This module converts an embedding only where its
encoding differs from the requested one.
"""

from __future__ import annotations

import sys
from array import array
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from proxy.core.errors import AnswerUnusable
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer

Encoding: TypeAlias = Literal["float", "base64"]

_USAGE = ("prompt_tokens", "total_tokens")

_BYTES_OF_NUMBER = 20
"""Bytes of one number of an embedding in JSON."""


def check_embeddings(answer: Answer, wanted: int, encoding: Encoding, model: str) -> Answer:
    """Return *answer* in OpenAI's form, ordered by index. *model* is used where the provider names none.

    Raises :class:`AnswerUnusable` for embeddings that cannot be read, and for an answer without exactly one embedding
    for each of the *wanted* inputs. With any other number a client could not match the embeddings to its texts.
    """
    data = answer.get("data")
    if not isinstance(data, list) or not all(isinstance(entry, Mapping) for entry in data):
        raise _unusable("The provider's answer is not a list of embeddings.")
    if len(data) != wanted:
        words = f"The provider answered with {len(data)} embeddings, not with the requested {wanted}."
        raise _unusable(words, Cause.NOT_AN_ANSWER if data else Cause.EMPTY)
    given = answer.get("model")
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": at, "embedding": _in_encoding(entry.get("embedding"), encoding)}
            for at, entry in enumerate(_in_order(data))
        ],
        "model": given if isinstance(given, str) and given else model,
        "usage": read_usage(answer) or dict.fromkeys(_USAGE, 0),
    }


def weight_of(answer: Answer) -> int:
    """Return the estimated CPU cost of a provider's *answer*, as a number of bytes of JSON.

    Only the first embedding is measured, since all embeddings of a model have the same length.
    """
    data = answer.get("data")
    if not isinstance(data, list) or not data or not isinstance(data[0], Mapping):
        return 0
    first = data[0].get("embedding")
    if isinstance(first, str):
        return len(first) * len(data)
    return _BYTES_OF_NUMBER * len(first) * len(data) if isinstance(first, list) else 0


def join_embeddings(answers: Sequence[Answer]) -> Answer:
    """Return the *answers* to the parts of one request as one answer, with the embeddings in the same order."""
    if len(answers) == 1:
        return answers[0]
    data = [entry for answer in answers for entry in answer["data"]]
    usage = {name: sum(answer["usage"][name] for answer in answers) for name in _USAGE}
    return {**answers[0], "data": [{**entry, "index": at} for at, entry in enumerate(data)], "usage": usage}


def read_usage(answer: Mapping[str, Any]) -> dict[str, int]:
    """Return the provider's token counts, or an empty dict. Embeddings have no completion tokens."""
    usage = answer.get("usage")
    if not isinstance(usage, Mapping):
        return {}
    counts = [count for name in _USAGE if type(count := usage.get(name)) is int and count >= 0]
    return dict(zip(_USAGE, (counts[0], counts[-1]), strict=True)) if counts else {}


def _in_order(data: list[Any]) -> list[Any]:
    """Return *data* ordered by index. Where all indexes are missing or equal, the order stays."""
    places = [entry.get("index") for entry in data]
    if all(place == places[0] for place in places):
        return data
    if not all(type(place) is int for place in places) or sorted(places) != list(range(len(data))):
        raise _unusable("The provider's answer does not give each embedding one index.")
    return sorted(data, key=lambda entry: entry["index"])


def _in_encoding(embedding: Any, encoding: Encoding) -> Any:
    if isinstance(embedding, str) and embedding:
        return embedding if encoding == "base64" else _unpacked(embedding)
    if not isinstance(embedding, list) or not embedding:
        raise _unusable("The provider's answer holds an embedding that is not a list of numbers.")
    packed = _packed(embedding)  # packed in both cases, which checks that they are numbers
    return packed if encoding == "base64" else embedding


def _packed(numbers: list[Any]) -> str:
    try:
        floats = array("f", numbers)
    except (TypeError, OverflowError):
        raise _unusable("The provider's answer holds an embedding that is not a list of numbers.") from None
    return b64encode(_little_endian(floats).tobytes()).decode()


def _unpacked(text: str) -> list[float]:
    try:
        floats = array("f", b64decode(text, validate=True))
    except ValueError:
        raise _unusable("The provider's answer holds an embedding that is not a list of numbers.") from None
    return _little_endian(floats).tolist()


def _little_endian(floats: array[float]) -> array[float]:
    if sys.byteorder == "big":
        floats.byteswap()
    return floats


def _unusable(words: str, cause: Cause = Cause.NOT_AN_ANSWER) -> AnswerUnusable:
    return AnswerUnusable(words, cause=cause)
