"""Gemini's ``generateContent`` wire: OpenAI's format in and out, Gemini's JSON in between. Pure.

What goes in was sanitized for its Gemini profile, so nothing is repaired here; what cannot be written all the same
is an :class:`~proxy.core.errors.InvalidRequest`, and what is no answer an :class:`~proxy.core.errors.UpstreamFault`. No
clock, no randomness: ids that Gemini left out are derived from the answer. On the way out:

    requests    the body as a whole               declarations  tools and tool choice
    contents    the history's turns               schemas       a tool's parameters as Gemini's ``Schema``
    results     tool results as responses         settings      generation settings
    media       ``data:`` URLs as inline data     thinking      reasoning effort
    call_ids    the ids of calls                  formats       the form of the answer
    extras      Gemini's own fields, by name      embeddings    texts to embed, and what comes back

On the way in: ``payloads`` reads the JSON, ``reading`` is what whole answers (``answers``) and streams (``streams``)
share, ``candidates`` reads one candidate's parts, ``finishing`` its end, ``logprobs`` its probabilities, ``usage``
the tokens (``counts`` their numbers), ``left_out`` what has no place, ``refusals`` Google's errors.

``wire`` puts all of them behind the protocol of every wire.
"""

from proxy.upstream.wires.gemini.answers import read_answer
from proxy.upstream.wires.gemini.embeddings import (
    EMBEDDING_PARAMETERS,
    MOST_TEXTS,
    build_embedding_request,
    embedding_method,
    read_embeddings,
)
from proxy.upstream.wires.gemini.extras import with_extras
from proxy.upstream.wires.gemini.refusals import is_bad_key, read_error
from proxy.upstream.wires.gemini.requests import SUPPORTED, build_request, carried_parameters
from proxy.upstream.wires.gemini.streams import StreamReader

__all__ = [
    "EMBEDDING_PARAMETERS",
    "MOST_TEXTS",
    "SUPPORTED",
    "StreamReader",
    "build_embedding_request",
    "build_request",
    "carried_parameters",
    "embedding_method",
    "is_bad_key",
    "read_answer",
    "read_embeddings",
    "read_error",
    "with_extras",
]
