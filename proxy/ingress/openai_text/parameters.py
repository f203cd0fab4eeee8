"""The allow-list of parameters that a client may set for embeddings and text completions.

:mod:`proxy.ingress.openai_chat.parameters` is the same for chats.

Sources: OpenAI's references of both endpoints (2026-11). ``metadata``, ``extra_body`` and similar parameters are left
out for the reasons given there.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from proxy.ingress.parameter_types import Count, Flag, Kinds, Number, Text, kinds_of

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


EMBEDDING_PARAMETERS: Kinds = kinds_of(_EMBEDDINGS)
"""Every parameter of an embedding, except ``model`` and ``input``, with its type."""

COMPLETION_PARAMETERS: Kinds = kinds_of(_COMPLETIONS)
"""Every parameter of a text completion, except ``model`` and ``prompt``, with its type.

``max_tokens`` may be 0: with ``echo`` that asks for the log probabilities of the prompt alone.
"""
