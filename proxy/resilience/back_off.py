"""The delay before the next attempt. The random number is an argument."""

from __future__ import annotations

_BASE_S = 0.5
_MAX_S = 8.0
"""openai-python's numbers."""

LONGEST_WAIT_S = 30.0
"""The longest delay that a request waits for. If a provider asks for more, the client gets the error instead."""

_OVER_ASKED = 0.2
"""The share of a requested delay that jitter adds. All refused clients return at that moment (gemini-cli adds as
much)."""


def back_off(tries: int, asked_s: float | None, random: float) -> float:
    """Return the seconds before the next attempt, after *tries* failed ones.

    Exponential with full jitter (Brooker, "Exponential Backoff And Jitter", 2015), and never before the delay
    *asked_s* of the provider. *random* is from [0, 1).
    """
    if asked_s is not None:
        return asked_s * (1.0 + _OVER_ASKED * random)
    # 1030 doublings overflow a float. The bound holds long before that.
    return min(_MAX_S, _BASE_S * 2.0 ** min(tries - 1, 32)) * random
