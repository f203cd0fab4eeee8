"""OpenAI's chat format for forwarding. Chunks and answers are already in this format and are sent unchanged."""

from __future__ import annotations

from proxy.core.json_text import EVENT_STREAM, write_json
from proxy.core.source import OPENAI_CHAT as NAME
from proxy.forwarding.answer_format import StreamWriter
from proxy.ingress.openai_answers import KEEP_ALIVE, OpenAIStream, write_error, write_native_answer
from proxy.ingress.openai_chat.read_request import parse_chat_request

_STREAM = OpenAIStream(NAME)


class OpenAIChat:
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` for chat completions."""

    name = NAME
    id_prefix = "chatcmpl-"
    stream_content_type = EVENT_STREAM
    keep_alive = KEEP_ALIVE
    read_request = staticmethod(parse_chat_request)
    write_answer = staticmethod(write_json)
    write_native_answer = staticmethod(write_native_answer)
    write_error = staticmethod(write_error)

    def write_stream(self) -> StreamWriter:
        """Return the writer of a streamed answer."""
        return _STREAM


OPENAI_CHAT = OpenAIChat()
