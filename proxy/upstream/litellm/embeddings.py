"""A call for embeddings as litellm's arguments, and what of it litellm must not see."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from proxy.config.addresses import OPENAI_SERVERS
from proxy.core.errors import InvalidRequest
from proxy.core.inputs import Inputs, separate_inputs
from proxy.core.upstream_call import TextCall

_TAKES_TOKENS = OPENAI_SERVERS | {"azure", "openai"}
"""Providers that embed tokens; others read texts, and litellm fails on the numbers (1.105.3)."""

_TAKES_FORMAT = frozenset({"openai"})
"""Providers that are asked for a format; the answers of others are written in it later
(:mod:`proxy.forwarding.text.embedding`)."""

_GOOGLE = frozenset({"gemini", "vertex_ai"})
_REFERENCE = re.compile(r"files/|gs://|data:[^,]*;base64,")
"""What litellm makes of a text for Google that begins so: a file that it looks up with our key, or media (1.105.3)."""


def embedding_arguments(call: TextCall) -> dict[str, Any]:
    """Return the arguments of ``aembedding`` that come of the client's parameters.

    A format is always named to OpenAI's own provider: the SDK asks for base64 by itself, and decodes it. Raises
    :class:`InvalidRequest`, with the place in ``param``, for an input that would not be embedded as what it is.
    """
    provider = call.deployment.provider
    inputs = separate_inputs(call.parameters["input"])
    if provider not in _TAKES_TOKENS:
        _refuse_tokens(inputs)
    if provider in _GOOGLE:
        _refuse_references(inputs)
    arguments = dict(call.parameters)
    encoding = arguments.pop("encoding_format", "float")
    if provider in _TAKES_FORMAT:
        arguments["encoding_format"] = encoding
    return arguments


def _refuse_tokens(inputs: Inputs) -> None:
    if not all(isinstance(text, str) for text in inputs):
        raise InvalidRequest(
            "This model takes texts and no tokens: 'input' must be a string or an array of strings.",
            param="input",
        )


def _refuse_references(inputs: Sequence[Any]) -> None:
    for at, text in enumerate(inputs):
        if _REFERENCE.match(text):
            raise InvalidRequest(
                f"'input[{at}]' begins like a reference to a file, and would not be embedded as a text.",
                param=f"input[{at}]",
            )
