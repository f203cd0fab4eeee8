"""Reads the lists of embeddings of servers that speak OpenAI's wire."""

from __future__ import annotations

from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import Answer
from proxy.upstream.wires.openai.refusals import raise_error
from proxy.upstream.wires.payloads import load_payload

NO_EMBEDDINGS = "The provider answered with something that is no list of embeddings."


def read_embeddings(body: bytes) -> Answer:
    """Return the answer in *body*. :mod:`proxy.answers.embeddings` checks that all embeddings are there.

    Raises :class:`UpstreamFault` for a 200 without a list: HTML, an error object, other JSON.
    """
    value = load_payload(body)
    raise_error(value)
    if not isinstance(value, dict) or not isinstance(value.get("data"), list):
        raise UpstreamFault(NO_EMBEDDINGS)
    return value
