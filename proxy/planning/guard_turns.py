"""Applies the turn guard, which stops agents that do not end their turn, to a client's request before planning.

:mod:`sanitizers.turns` holds the rules. This module applies these rules to a request.
:mod:`proxy.forwarding.chat.gate_answer` applies the rules to the answer.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from proxy.core.chat_request import MAX_KNOWN, ChatRequest
from proxy.core.errors import InvalidRequest
from sanitizers.turns import Declared, Guarded, TurnPolicy, guard_turn, guard_without_rounds

MAX_ROUNDS = "x-turnright-max-rounds"
"""The header in which a client sends a lower limit on rounds of tool calls than the operator's."""

_MAX_DIGITS = 9


def read_max_rounds(value: str | None) -> int | None:
    """Return the limit in the header's *value*, None without a header. Raises :class:`InvalidRequest` for a bad number.

    0 is refused, since it would mean no limit. A client can only lower the operator's limit.
    """
    if value is None:
        return None
    text = value.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS and int(text)):
        raise InvalidRequest(f"'{MAX_ROUNDS}' must be a whole number of at least 1.", param=MAX_ROUNDS)
    return int(text)


def guard_chat(
    chat: ChatRequest, policy: TurnPolicy | None, asked: int | None, *, mode: str
) -> tuple[ChatRequest, Guarded | None]:
    """Return *chat* after the turn guard, and its findings. Where the guard is off, return *chat* and None.

    *mode* is the mode of sanitizing. Only ``repair`` makes an inserted user message legal at every provider. In other
    modes the guard writes into a tool result.
    """
    if policy is None:
        return chat, None
    known, parameters = chat.known_tools, chat.parameters
    declared = None
    if known is not None and parameters.get("tools") is known.tools and "functions" not in parameters:
        declared = _declared(known.names, policy)
    if asked is not None:
        policy = policy.lowered(asked)
    guarded, outline = None, chat.known_outline
    if outline is not None:
        guarded = guard_without_rounds(outline, parameters, policy, declared)
    if guarded is None:
        guarded = guard_turn(chat.messages, parameters, policy, declared, in_result=mode != "repair")
    if not guarded.changes:
        return chat, guarded
    return replace(chat, messages=guarded.messages, parameters=guarded.parameters), guarded


@lru_cache(maxsize=MAX_KNOWN)
def _declared(names: tuple[str, ...], policy: TurnPolicy) -> Declared:
    return Declared(names, policy.delegating(names))
