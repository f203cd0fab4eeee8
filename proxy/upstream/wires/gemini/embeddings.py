"""Embeddings on Gemini's wire: ``embedContent`` for one text, ``batchEmbedContents`` for several.

Sources: ai.google.dev/api/embeddings. A batch takes 100 texts (langchainjs#4491, weaviate#11277).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.errors import InvalidRequest, UpstreamFault
from proxy.core.text_request import separate_inputs
from proxy.upstream.wires.gemini.counts import read_count
from proxy.upstream.wires.gemini.extras import camel_name
from proxy.upstream.wires.gemini.refusals import raise_error

MAX_TEXTS = 100
"""The most texts of one request."""

EMBEDDING_PARAMETERS = frozenset({"dimensions", "encoding_format", "input"})
"""The parameters that this wire carries. The proxy itself applies ``encoding_format`` to the answer."""

_WRITTEN_HERE = frozenset({"content", "model", "outputDimensionality", "requests"})
_NO_EMBEDDINGS = "The provider answered with something that is no list of embeddings."


def embedding_method(value: Any) -> str:
    """Return the method that embeds *value*, an ``input`` that was checked."""
    return "embedContent" if len(separate_inputs(value)) == 1 else "batchEmbedContents"


def build_embedding_request(
    parameters: Mapping[str, Any], extras: Mapping[str, Any], model: str
) -> dict[str, Any]:
    """Return the body for *parameters*, whose types were checked.

    *extras* are Gemini's own fields, such as ``taskType``, and are sent with each text. *model* is Gemini's own name of
    the model. Raises :class:`InvalidRequest`, with the field's name in ``param``, for token ids, which mean nothing to
    Gemini. The same error is raised for an extra field that other parameters set.
    """
    own = added_fields(parameters, extras)
    requests = []
    for text in separate_inputs(parameters["input"]):
        if not isinstance(text, str):
            raise InvalidRequest(
                "This model takes texts and no tokens: 'input' must be a string or an array of strings.",
                param="input",
            )
        requests.append({"model": f"models/{model}", "content": {"parts": [{"text": text}]}, **own})
    return requests[0] if len(requests) == 1 else {"requests": requests}


def added_fields(parameters: Mapping[str, Any], extras: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that each request gets by *parameters* and *extras*, by their names in camel case.

    Raises :class:`InvalidRequest`, with the field's name in ``param``, for an extra field that other parameters set.
    """
    added = {camel_name(name): value for name, value in extras.items()}
    for name in extras:
        if camel_name(name) in _WRITTEN_HERE:
            raise InvalidRequest(f"'{name}' cannot be set: it is made of the other parameters.", param=name)
    if "dimensions" in parameters:
        added["outputDimensionality"] = parameters["dimensions"]
    return added


def read_embeddings(body: Any, *, model: str) -> dict[str, Any]:
    """Return the answer in *body*, the parsed JSON of a 200, as OpenAI's list.

    Raises :class:`UpstreamFault` for an error object, with its status, and for a body that is no answer.
    """
    raise_error(body)
    if not isinstance(body, Mapping):
        raise UpstreamFault(_NO_EMBEDDINGS)
    given = body.get("embeddings", [body["embedding"]] if "embedding" in body else None)
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise UpstreamFault(_NO_EMBEDDINGS)
    data = [
        {"object": "embedding", "index": at, "embedding": one.get("values")} for at, one in enumerate(given)
    ]
    answer: dict[str, Any] = {"object": "list", "data": data, "model": model}
    usage = body.get("usageMetadata")
    tokens = read_count(usage.get("promptTokenCount")) if isinstance(usage, Mapping) else None
    return (
        answer if tokens is None else {**answer, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}
    )
