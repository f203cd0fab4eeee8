"""What happens after a failed attempt: the table's row, and what the request has used up already. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from proxy.resilience.back_off import LONGEST_WAIT_S, back_off
from proxy.resilience.failure_table import ANY, Elsewhere, Row


class Step(StrEnum):
    """What to do next."""

    RETRY = "retry"
    REPAIR = "repair"
    FALL_BACK = "fall_back"
    GIVE_UP = "give_up"


@dataclass(frozen=True, slots=True)
class Action:
    """What to do next, and after how many seconds."""

    step: Step
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Situation:
    """What a request has used up, and what is left for it."""

    tries: int
    """Failed attempts on this model's pool."""

    tries_of_kind: int
    """Those of them that failed like this one, this one included."""

    num_retries: int
    left_s: float
    """Seconds of the total deadline."""

    another_ready: bool
    """Whether another deployment of the pool takes requests now."""

    budget_left: bool
    """Whether the deployment's retry budget allows one more."""

    can_repair: bool
    """Whether a repair is known that changes something, and none was made before."""

    can_fall_back: bool
    """Whether there is a further model of the kind that the row asks for."""

    larger_ready: bool = False
    """Whether a deployment of the pool that was not asked may take a longer request than the one that failed."""


def decide_action(row: Row, asked_s: float | None, situation: Situation, random: float) -> Action:
    """Return what to do after a failure of *row*'s kind; *asked_s* is the delay that the provider asked for.

    A retry goes to another deployment of the pool at once if one is ready: waiting only helps the one that failed. It
    is within the retry budget like any other, but for what is that deployment's alone: its key, its quota.
    A wait that is longer than :data:`LONGEST_WAIT_S`, or than the deadline, is not begun.
    """
    if row.repair and situation.can_repair:
        return Action(Step.REPAIR)
    fall_back = Action(Step.FALL_BACK) if situation.can_fall_back else Action(Step.GIVE_UP)
    if row.elsewhere is Elsewhere.LARGER:
        return Action(Step.RETRY) if situation.larger_ready and situation.left_s > 0 else fall_back
    if _may_retry(row, situation):
        if situation.another_ready and (situation.budget_left or row.elsewhere is Elsewhere.AT_ONCE):
            return Action(Step.RETRY)
        if row.again != 0 and situation.budget_left:
            wait = back_off(situation.tries, asked_s, random)
            if wait <= min(LONGEST_WAIT_S * 1.2, situation.left_s) and (asked_s or 0.0) <= LONGEST_WAIT_S:
                return Action(Step.RETRY, wait)
    return Action(Step.GIVE_UP) if row.elsewhere is Elsewhere.NEVER else fall_back


def _may_retry(row: Row, situation: Situation) -> bool:
    if situation.tries > situation.num_retries or situation.left_s <= 0:
        return False
    if row.again == 0:  # a bad key or a used-up quota is one deployment's; the pool may hold others
        return row.elsewhere is Elsewhere.AT_ONCE and situation.another_ready
    return row.again == ANY or situation.tries_of_kind <= row.again
