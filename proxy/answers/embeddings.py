"""Lists of embeddings in OpenAI's shape: all there, in order, in the format that was asked for. Pure.

OpenAI's format in base64 is the numbers as float32, little endian. Its client asks for it unless told otherwise;
servers that do not know it send numbers, as all do that speak another wire, and those are packed here. What comes
packed is passed on as it is.
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
"""Bytes of a number of an embedding in JSON."""


def check_embeddings(answer: Answer, wanted: int, encoding: Encoding, model: str) -> Answer:
    """Return *answer* in OpenAI's shape, by index; *model* names it where the provider does not.

    Raises :class:`AnswerUnusable` for one that does not hold *wanted* embeddings, or not one for each place. Nobody
    could tell a client which of its texts an embedding is of.
    """
    data = answer.get("data")
    if not isinstance(data, list) or not all(isinstance(one, Mapping) for one in data):
        raise _unusable("The provider answered with something that is no list of embeddings.")
    if len(data) != wanted:
        words = f"The provider answered with {len(data)} embeddings; {wanted} were asked for."
        raise _unusable(words, Cause.NOT_AN_ANSWER if data else Cause.EMPTY)
    given = answer.get("model")
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": at, "embedding": _written(one.get("embedding"), encoding)}
            for at, one in enumerate(_in_order(data))
        ],
        "model": given if isinstance(given, str) and given else model,
        "usage": read_usage(answer) or dict.fromkeys(_USAGE, 0),
    }


def weight_of(answer: Answer) -> int:
    """Return what work on *answer*, as a provider gave it, costs: as the bytes of a usual body, by its first embedding.

    The embeddings of one model are alike, and one that is not is told by whoever reads it.
    """
    data = answer.get("data")
    if not isinstance(data, list) or not data or not isinstance(data[0], Mapping):
        return 0
    first = data[0].get("embedding")
    if isinstance(first, str):
        return len(first) * len(data)
    return _BYTES_OF_NUMBER * len(first) * len(data) if isinstance(first, list) else 0


def join_embeddings(answers: Sequence[Answer]) -> Answer:
    """Return one answer of those to the parts of one request, in their order."""
    if len(answers) == 1:
        return answers[0]
    data = [one for answer in answers for one in answer["data"]]
    usage = {name: sum(answer["usage"][name] for answer in answers) for name in _USAGE}
    return {**answers[0], "data": [{**one, "index": at} for at, one in enumerate(data)], "usage": usage}


def read_usage(answer: Mapping[str, Any]) -> dict[str, int]:
    """Return what the provider counted; empty where it did not. There is nothing but a prompt."""
    usage = answer.get("usage")
    if not isinstance(usage, Mapping):
        return {}
    counts = [count for name in _USAGE if type(count := usage.get(name)) is int and count >= 0]
    return dict(zip(_USAGE, (counts[0], counts[-1]), strict=True)) if counts else {}


def _in_order(data: list[Any]) -> list[Any]:
    """Return *data* by index; as it stands where no index is named, or one and the same for all."""
    places = [one.get("index") for one in data]
    if all(place == places[0] for place in places):
        return data
    if not all(type(place) is int for place in places) or sorted(places) != list(range(len(data))):
        raise _unusable("The provider's answer does not tell which embedding is which.")
    return sorted(data, key=lambda one: one["index"])


def _written(embedding: Any, encoding: Encoding) -> Any:
    if isinstance(embedding, str) and embedding:
        return embedding if encoding == "base64" else _unpacked(embedding)
    if not isinstance(embedding, list) or not embedding:
        raise _unusable("The provider's answer holds an embedding that is none.")
    packed = _packed(embedding)  # in any case: this is how it is found out that they are numbers
    return packed if encoding == "base64" else embedding


def _packed(numbers: list[Any]) -> str:
    try:
        floats = array("f", numbers)
    except (TypeError, OverflowError):
        raise _unusable("The provider's answer holds an embedding that is none.") from None
    return b64encode(_little_endian(floats).tobytes()).decode()


def _unpacked(text: str) -> list[float]:
    try:
        floats = array("f", b64decode(text, validate=True))
    except ValueError:
        raise _unusable("The provider's answer holds an embedding that is none.") from None
    return _little_endian(floats).tolist()


def _little_endian(floats: array[float]) -> array[float]:
    if sys.byteorder == "big":
        floats.byteswap()
    return floats


def _unusable(words: str, cause: Cause = Cause.NOT_AN_ANSWER) -> AnswerUnusable:
    return AnswerUnusable(words, cause=cause)
