"""The turn guard's place in a request: before anything is planned, in what the client sent. Pure.

What is decided is :mod:`sanitizers.turns`; here is how a request is given to it. Its answer:
:mod:`proxy.forwarding.chat.gate_answer`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest
from proxy.core.known_tools import MOST_KNOWN
from sanitizers.turns import Declared, Guarded, TurnPolicy, guard_turn, guard_without_rounds

MAX_ROUNDS = "x-turnright-max-rounds"
"""The header by which a client lowers its limit."""

_MOST_DIGITS = 9


def read_max_rounds(value: str | None) -> int | None:
    """Return the limit in the header's *value*, None without one; raises :class:`InvalidRequest` for no number.

    Not 0, which would be no limit: a client can only lower the operator's.
    """
    if value is None:
        return None
    text = value.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS and int(text)):
        raise InvalidRequest(f"'{MAX_ROUNDS}' must be a whole number of at least 1.", param=MAX_ROUNDS)
    return int(text)


def guard_chat(
    chat: ChatRequest, policy: TurnPolicy | None, asked: int | None, *, mode: str
) -> tuple[ChatRequest, Guarded | None]:
    """Return *chat* as the guard leaves it, and what it found; *chat* itself and None where it is off.

    *mode* is that of sanitizing: only ``repair`` gives a further user message a legal place at every provider.
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


@lru_cache(maxsize=MOST_KNOWN)
def _declared(names: tuple[str, ...], policy: TurnPolicy) -> Declared:
    return Declared(names, policy.delegating(names))
