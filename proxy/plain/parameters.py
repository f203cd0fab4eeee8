"""What a client may set for embeddings and text completions: an allow-list, as :mod:`proxy.parameters` is for chats.

Sources: OpenAI's references of both endpoints (2026-11). ``metadata``, ``extra_body`` and their like are left out for
the reasons that are given there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from proxy.parameter_types import Count, Flag, Number, Text

Kinds = Mapping[str, TypeAdapter[Any]]

_EMBEDDINGS: dict[str, Any] = {
    "dimensions": Count,
    "encoding_format": Literal["float", "base64"],
    "user": Text,
}

_COMPLETIONS: dict[str, Any] = {
    "best_of": Annotated[int, Field(strict=True, ge=1, le=20)],
    "echo": Flag,
    "frequency_penalty": Number,
    "logit_bias": dict[Text, Number],
    "logprobs": Annotated[int, Field(strict=True, ge=0)],
    "max_tokens": Annotated[int, Field(strict=True, ge=0)],
    "n": Annotated[int, Field(strict=True, ge=1, le=8)],
    "presence_penalty": Number,
    "seed": Annotated[int, Field(strict=True)],
    "stop": Text | list[Text],
    "stream": Flag,
    "stream_options": dict[str, Any],
    "suffix": Text,
    "temperature": Number,
    "top_p": Number,
    "user": Text,
}


def _adapters(kinds: dict[str, Any]) -> Kinds:
    return MappingProxyType({name: TypeAdapter(kind) for name, kind in kinds.items()})


EMBEDDING_PARAMETERS: Kinds = _adapters(_EMBEDDINGS)
"""Every parameter of an embedding, beside ``model`` and ``input``, with its type."""

COMPLETION_PARAMETERS: Kinds = _adapters(_COMPLETIONS)
"""Every parameter of a text completion, beside ``model`` and ``prompt``, with its type.

``max_tokens`` may be 0: with ``echo`` that asks for the log probabilities of the prompt alone.
"""
