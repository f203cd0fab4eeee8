"""OpenAI's formats of text completions and embeddings, for forwarding."""

from __future__ import annotations

from proxy.ingress.openai_answers import OpenAIFormat, OpenAIStream
from proxy.ingress.openai_text.requests import parse_completion_request, parse_embedding_request


class OpenAICompletions(OpenAIFormat):
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` for text completions."""

    name = "openai_completions"
    id_prefix = "cmpl-"
    stream = OpenAIStream(name)
    read_request = staticmethod(parse_completion_request)


class OpenAIEmbeddings(OpenAICompletions):
    """Implements the same protocol for embeddings. Their answers have no id and are never streamed."""

    name = "openai_embeddings"
    read_request = staticmethod(parse_embedding_request)


OPENAI_COMPLETIONS = OpenAICompletions()
OPENAI_EMBEDDINGS = OpenAIEmbeddings()
