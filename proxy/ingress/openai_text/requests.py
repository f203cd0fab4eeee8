"""Reads the bytes of a request for embeddings or a text completion, or raises an error that names the fault.

A client may set only the parameters listed here, and those in ``allowed_openai_params``
(:mod:`proxy.ingress.openai_chat.parameters`). Sources: OpenAI's references of both endpoints (2026-11). ``metadata``,
``extra_body`` and similar parameters are left out for the reasons given in the chat format's module.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from proxy.core.errors import InvalidRequest
from proxy.core.text_request import TextRequest, check_inputs
from proxy.ingress.json_fields import (
    load_object,
    named_model,
    read_model,
    refuse_nesting,
    take_stream_switches,
)
from proxy.ingress.parameter_limits import check_unknown
from proxy.ingress.parameter_types import Count, Flag, Kinds, Number, Text, check_type, kinds_of

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
"""Every parameter that a client may set for embeddings, except ``model`` and ``input``, with its type."""

COMPLETION_PARAMETERS: Kinds = kinds_of(_COMPLETIONS)
"""Every parameter that a client may set for a text completion, except ``model`` and ``prompt``, with its type.

``max_tokens`` may be 0: with ``echo`` that asks for the log probabilities of the prompt alone.
"""


def parse_embedding_request(
    body: bytes, *, max_nesting: int, mends: bool = False, weight: int = 0
) -> TextRequest:
    """Return the request for embeddings in *body*, which costs *weight* to parse. *mends* has no effect.

    Raises :class:`InvalidRequest` for anything but a JSON object, and for nesting deeper than *max_nesting*. The same
    error, with ``param``, is raised for a missing model, a missing or faulty input, and a known parameter of the wrong
    type.
    """
    return _parse(body, "input", EMBEDDING_PARAMETERS, max_nesting, weight)


def parse_completion_request(
    body: bytes, *, max_nesting: int, mends: bool = False, weight: int = 0
) -> TextRequest:
    """Return the request for a text completion in *body*. Raises the errors of :func:`parse_embedding_request`."""
    return _parse(body, "prompt", COMPLETION_PARAMETERS, max_nesting, weight)


def _parse(body: bytes, asked: str, kinds: Kinds, max_nesting: int, weight: int) -> TextRequest:
    fields = load_object(body)
    try:
        return _read(fields, asked, kinds, max_nesting, weight)
    except InvalidRequest as error:
        error.asked_model = named_model(fields)
        raise


def _read(fields: dict[str, Any], asked: str, kinds: Kinds, max_nesting: int, weight: int) -> TextRequest:
    refuse_nesting(fields, max_nesting)
    model = read_model(fields)
    if fields.get(asked) is None:
        raise InvalidRequest(f"'{asked}' is required.", param=asked)
    known: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "model" or value is None:
            continue
        if name == asked:
            check_inputs(name, value)
            known[name] = value
        elif name in kinds:
            check_type(name, value, kinds[name])
            known[name] = value
        else:
            unknown[name] = value
    if unknown:
        check_unknown(unknown)
    stream, include_usage = take_stream_switches(known)
    return TextRequest(
        model, stream, include_usage, MappingProxyType(known), MappingProxyType(unknown), weight
    )
