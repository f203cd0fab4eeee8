"""OpenAI's wire: chat completions, embeddings, text completions; the request's bytes, and what comes back. Pure.

``wire`` puts all of them behind the protocol of every wire.
"""

from proxy.upstream.wires.openai.answers import StreamReader, read_answer
from proxy.upstream.wires.openai.embeddings import read_embeddings
from proxy.upstream.wires.openai.parameters import refused_parameters
from proxy.upstream.wires.openai.refusals import read_error
from proxy.upstream.wires.openai.requests import build_request
from proxy.upstream.wires.openai.text_requests import build_text_request
from proxy.upstream.wires.openai.texts import TextStreamReader, read_text_answer

__all__ = [
    "StreamReader",
    "TextStreamReader",
    "build_request",
    "build_text_request",
    "read_answer",
    "read_embeddings",
    "read_error",
    "read_text_answer",
    "refused_parameters",
]
