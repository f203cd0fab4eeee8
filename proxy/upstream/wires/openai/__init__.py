"""OpenAI's wire: chat completions, embeddings and text completions.

The modules, in the order of the data:

    azure            Azure's addresses and headers
    provider_forms   the forms of addresses, model names and messages at each provider
    parameters       the names of parameters on this wire
    requests         the bodies of requests
    answers          whole answers and stream events of chats
    shapes           the types inside an answer, brought into OpenAI's shape
    finishing        finish reasons
    odd_usage        usage in another place of a stream
    texts            text completions
    embeddings       lists of embeddings
    refusals         errors
    wire             all of them as the protocol of wires
"""

from proxy.upstream.wires.openai.answers import StreamReader, read_answer
from proxy.upstream.wires.openai.requests import build_request

__all__ = ["StreamReader", "build_request", "read_answer"]
