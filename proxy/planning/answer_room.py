"""Lowers an answer's limit where a prompt fits its model's window, but not together with that limit.

Older Claude models say "input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000" (continue#6080).
The history need not be cut then. Claude Code lowers the limit by itself on these words, and other clients do not. It
asks any model for 32,000 tokens, so that other providers' words with both numbers count for its format too.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from proxy.core.chat_request import ChatRequest
from proxy.core.source import ANTHROPIC_MESSAGES
from proxy.resilience.read_overflow import Overflow
from sanitizers import Change

LEAST_ROOM = 1_024
"""The least tokens of an answer that are worth a request. With fewer, the history has to be cut."""

_STEP = "repair"
_NAMES = ("max_completion_tokens", "max_tokens")


def find_room(overflow: Overflow, request: ChatRequest) -> int | None:
    """Return the tokens that *overflow*, the provider's error for *request*, leaves for an answer.

    None is returned where these are too few, where the words may be a quotation, and where the prompt's own tokens are
    unknown.
    """
    limit, prompt = overflow.limit, overflow.requested
    if limit is None or prompt is None or overflow.of_bytes or overflow.in_request:
        return None
    if overflow.with_output:
        source = request.source
        if overflow.output is None or source is None or source.format != ANTHROPIC_MESSAGES:
            return None
        prompt -= overflow.output
    room = limit - prompt
    return room if prompt >= 0 and room >= LEAST_ROOM else None


def with_room(request: ChatRequest, room: int) -> tuple[ChatRequest, tuple[Change, ...]]:
    """Return *request* with at most *room* tokens for the answer, and the change.

    Without a change, *request* itself is returned. A request without a limit gets one.
    """
    parameters = request.parameters
    given = [name for name in _NAMES if parameters.get(name) is not None] or ["max_tokens"]
    lower = {name: room for name in given if parameters.get(name) is None or parameters[name] > room}
    if not lower:
        return request, ()
    changes = tuple(Change(_STEP, "replaced", 0, "answer_room", name) for name in lower)
    return replace(request, parameters=MappingProxyType({**parameters, **lower})), changes
