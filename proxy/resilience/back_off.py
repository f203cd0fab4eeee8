"""How long to wait before the next try. Pure: the random number is an argument."""

from __future__ import annotations

_BASE_S = 0.5
_MOST_S = 8.0
"""openai-python's numbers."""

LONGEST_WAIT_S = 30.0
"""A provider that asks for more is not waited for while a client holds the line: it hears of it instead."""

_OVER_ASKED = 0.2
"""What is asked for is the earliest moment; everyone who was refused comes back then (gemini-cli adds as much)."""


def back_off(tries: int, asked_s: float | None, random: float) -> float:
    """Return the seconds before the next try after *tries* failed ones.

    Exponential with full jitter (Brooker, "Exponential Backoff And Jitter", 2015), and never before the moment that the
    provider asked for. *random* is from [0, 1).
    """
    if asked_s is not None:
        return asked_s * (1.0 + _OVER_ASKED * random)
    # 1030 doublings overflow a float; long before that the bound holds
    return min(_MOST_S, _BASE_S * 2.0 ** min(tries - 1, 32)) * random
