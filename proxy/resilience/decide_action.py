"""Decides what follows a failed attempt, and after which delay.

The failure table's row decides, with the request's remaining retries and time. Callers pass the random number that
spreads the delays (jitter).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from proxy.resilience.failure_table import ANY, Fallback, Row

_BASE_S = 0.5
_MAX_S = 8.0
"""The first and the longest delay in seconds before jitter, as in openai-python."""

LONGEST_WAIT_S = 30.0
"""The longest delay that a request waits for.

If a provider asks for more, the request goes to another deployment or model, or fails at once.
"""

_OVER_ASKED = 0.2
"""The largest share of a requested delay that jitter adds.

Without jitter, all refused clients would return at the same moment (gemini-cli adds as much).
"""


def back_off(tries: int, asked_s: float | None, random: float) -> float:
    """Return the seconds before the next attempt, after *tries* failed ones.

    The delay grows exponentially, with full jitter (Brooker, "Exponential Backoff And Jitter", 2015). If the provider
    requests the delay *asked_s*, the result is never shorter. *random* is from [0, 1).
    """
    if asked_s is not None:
        return asked_s * (1.0 + _OVER_ASKED * random)
    # 1030 doublings overflow a float. The bound holds long before that.
    return min(_MAX_S, _BASE_S * 2.0 ** min(tries - 1, 32)) * random


class Step(StrEnum):
    """The next step of a request."""

    RETRY = "retry"
    REPAIR = "repair"
    FALL_BACK = "fall_back"
    GIVE_UP = "give_up"


@dataclass(frozen=True, slots=True)
class Action:
    """The next step, and the seconds to wait before it."""

    step: Step
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Situation:
    """The attempts that a request has used, and the options that remain."""

    tries: int
    """Failed attempts on this model's pool."""

    tries_of_kind: int
    """Failed attempts with this kind of failure, this one included."""

    num_retries: int
    left_s: float
    """Seconds until the total deadline."""

    another_ready: bool
    """True where another deployment of the pool takes requests now."""

    budget_left: bool
    """True where the deployment's retry budget allows one more."""

    can_repair: bool
    """True where a repair would change the request, and none was made before."""

    can_fall_back: bool
    """True where there is another fallback model of the kind that the row requires."""

    higher_order_ready: bool = False
    """True where a deployment with a higher ``order`` than all tried ones takes requests now."""

    larger_ready: bool = False
    """True where an untried deployment of the pool may take a longer request than the deployment that failed."""


def decide_action(row: Row, asked_s: float | None, situation: Situation, random: float) -> Action:
    """Return the action after a failure of *row*'s kind. *asked_s* is the provider's delay.

    A retry goes at once to another deployment of the pool if one is ready, since waiting only helps the failed one. The
    retry budget limits retries, except for failures of one deployment alone, such as its key or its quota. No wait
    begins if the provider asks for more than :data:`LONGEST_WAIT_S`, or if the deadline would come first.

    A deployment with a higher ``order`` is a fallback for the deployments with a lower one. Neither the number of
    retries nor the retry budget limits such a fallback (LiteLLM's ``order``).
    """
    if row.repair and situation.can_repair:
        return Action(Step.REPAIR)
    fall_back = Action(Step.FALL_BACK) if situation.can_fall_back else Action(Step.GIVE_UP)
    if row.fallback is Fallback.LARGER:
        return Action(Step.RETRY) if situation.larger_ready and situation.left_s > 0 else fall_back
    if _may_retry(row, situation):
        if situation.another_ready and (situation.budget_left or row.fallback is Fallback.AT_ONCE):
            return Action(Step.RETRY)
        if row.retries != 0 and situation.budget_left:
            wait = back_off(situation.tries, asked_s, random)
            if wait <= min(LONGEST_WAIT_S * 1.2, situation.left_s) and (asked_s or 0.0) <= LONGEST_WAIT_S:
                return Action(Step.RETRY, wait)
    if (
        situation.higher_order_ready
        and row.fallback in (Fallback.AFTER, Fallback.AT_ONCE)
        and situation.left_s > 0
    ):
        return Action(Step.RETRY)
    return Action(Step.GIVE_UP) if row.fallback is Fallback.NEVER else fall_back


def _may_retry(row: Row, situation: Situation) -> bool:
    if situation.tries > situation.num_retries or situation.left_s <= 0:
        return False
    if row.retries == 0:  # A bad key or a used-up quota is one deployment's. The pool may hold others.
        return row.fallback is Fallback.AT_ONCE and situation.another_ready
    return row.retries == ANY or situation.tries_of_kind <= row.retries
