"""OpenAI's chat completions wire: the request's bytes, and what comes back. Pure."""

from proxy.wires.openai.answers import StreamReader, read_answer
from proxy.wires.openai.parameters import refused_parameters
from proxy.wires.openai.refusals import read_error
from proxy.wires.openai.requests import build_request

__all__ = ["StreamReader", "build_request", "read_answer", "read_error", "refused_parameters"]
