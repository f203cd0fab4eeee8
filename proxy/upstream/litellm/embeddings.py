"""Builds litellm's arguments for a call for embeddings, and refuses inputs that litellm would misread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from proxy.config.addresses import OPENAI_SERVERS
from proxy.core.errors import InvalidRequest
from proxy.core.text_request import Inputs, separate_inputs
from proxy.core.upstream_call import TextCall

_TAKES_TOKENS = OPENAI_SERVERS | {"azure", "openai"}
"""Providers that embed tokens. Others read texts, and litellm fails on the numbers (1.105.3)."""

_TAKES_FORMAT = frozenset({"openai"})
"""Providers that get the client's format. For others :mod:`proxy.forwarding.text.embedding` writes it later."""

_GOOGLE = frozenset({"gemini", "vertex_ai"})
_REFERENCE = re.compile(r"files/|gs://|data:[^,]*;base64,")
"""Starts of a text that litellm takes for a file or media when it calls Google (1.105.3).

It would look up the file with the proxy's key.
"""


def embedding_arguments(call: TextCall) -> dict[str, Any]:
    """Return the arguments of ``aembedding`` that come from the client's parameters.

    OpenAI's own provider always gets a format. Without one its SDK asks for base64 and decodes it. Raises
    :class:`InvalidRequest`, with the place in ``param``, for an input that would not be embedded as it is.
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
