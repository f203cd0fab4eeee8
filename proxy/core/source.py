"""The original bytes of a request and the original events of an answer, each with the name of its format.

Only a wire (:mod:`proxy.upstream.wires`) of that format may send a request's bytes to a provider. Only the writer of a
client with that format may send an answer's events. Without the name, the bytes of one format could be sent as those of
another.
"""

from __future__ import annotations

from typing import Any

from sanitizers import Messages
from sanitizers.record import record

OPENAI_CHAT = "openai_chat"
"""The format of OpenAI's chat completions, which is the internal form too.

Answers in this format need no source of their own.
"""

OPENAI_RESPONSES = "openai_responses"
"""The format of OpenAI's Responses API."""

SOURCE = "source"
"""The key of an :class:`AnswerSource` in an answer or a chunk, as a wire returns them."""


@record
class Source:
    """The body of one request, and the history that was read from it."""

    format: str
    """The name of the client's format (:class:`proxy.forwarding.answer_format.ClientFormat`)."""

    body: bytes
    """The request's bytes as they were parsed, after any repair that made them readable."""

    messages: Messages
    """The history in *body*. A call's history is unchanged as long as it is this same object."""


@record
class AnswerSource:
    """The provider's own event or body that one chunk or one whole answer was converted from."""

    format: str
    """The name of the format that *event* is in."""

    event: Any
    """The native event of a stream, or the native body of a whole answer.

    It is decoded JSON and must not be changed.
    """
