"""OpenAI's chat format for forwarding. Chunks and answers are already in this format and are sent unchanged."""

from __future__ import annotations

from proxy.core.source import OPENAI_CHAT as NAME
from proxy.ingress.openai_answers import OpenAIFormat, OpenAIStream
from proxy.ingress.openai_chat.read_request import parse_chat_request


class OpenAIChat(OpenAIFormat):
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` for chat completions."""

    name = NAME
    id_prefix = "chatcmpl-"
    stream = OpenAIStream(NAME)
    read_request = staticmethod(parse_chat_request)


OPENAI_CHAT = OpenAIChat()
