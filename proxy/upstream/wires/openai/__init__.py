"""OpenAI's wire: chat completions, embeddings and text completions.

In the order of the data:

    parameters   the names of parameters on this wire
    requests     the bodies of requests
    answers      whole answers and stream events of chats
    shapes       the types inside an answer, brought into OpenAI's shape
    finishing    finish reasons
    texts        text completions
    embeddings   lists of embeddings
    refusals     errors
    wire         all of them behind the protocol of wires
"""

from proxy.upstream.wires.openai.answers import StreamReader, read_answer
from proxy.upstream.wires.openai.embeddings import read_embeddings
from proxy.upstream.wires.openai.parameters import refused_parameters
from proxy.upstream.wires.openai.refusals import read_error
from proxy.upstream.wires.openai.requests import build_request, build_text_request
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
