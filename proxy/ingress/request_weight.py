"""Estimates the cost of the work on a request, by which it is done in a worker thread or not."""

from __future__ import annotations

from operator import methodcaller

from sanitizers.outline import Outline

_USUAL_MESSAGE = 1024
"""Bytes of an agent's usual message: 300 of them are 354 KB (benchmarks/gateway)."""

_USUAL_PART = 512
"""Bytes of a usual body that take as long to plan as one tool call or one content part."""

_PARSED_FASTER = 4
"""Cost of parsing divided by the cost of planning, for objects that are neither messages, calls nor content parts."""

_CONTENT_OF, _CALLS_OF = methodcaller("get", "content"), methodcaller("get", "tool_calls")


def request_weight(body: bytes, parse_weight: int, outline: Outline) -> int:
    """Return the cost of the work on a request with *body*, whose history *outline* describes.

    The bytes count, or the messages, calls and parts, or *parse_weight*, whichever is most. The last is the cost of
    parsing the body (:func:`proxy.core.offload.parse_weight`). The unit is the cost of one byte of a usual history.
    """
    messages = outline.messages
    parts = len(outline.call_ids)
    if outline.odd:  # the other messages have no parts
        odd = [messages[index] for index in outline.odd]
        held = (*map(_CONTENT_OF, odd), *map(_CALLS_OF, odd))
        parts += sum(map(len, [some for some in held if some.__class__ is list]))
    history = _USUAL_MESSAGE * len(messages) + _USUAL_PART * parts
    return max(len(body), parse_weight // _PARSED_FASTER, history)
