"""The lessons of one deployment for one tenant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from proxy.core.deployment import Deployment
from sanitizers.budget.calibration import Calibration, initial, observe
from sanitizers.budget.families import Family, family_of

TIGHT = 0.8
"""The share of what a provider has refused for its length, or of its limit, that is used from then on."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A window that an error has taught: the provider's number, or a guess by what did not fit."""

    window: int
    guessed: bool = False


_FIRST = 3
_NEW = 64
_EVERY = 16
_APART_S = 1.0
"""Counted for calibration are a deployment's answers until three have taught something, of the first 64, and then one
in sixteen, a second apart at least: to count a long prompt takes 5 ms, and a busy deployment has taught enough."""


@dataclass(slots=True)
class Taught:
    """The lessons of one deployment for one tenant."""

    family: Family
    calibration: Calibration
    learned: Learned | None = None
    until: float = 0.0
    """When *learned* is to be found out anew, on the loop's clock."""

    within: bool = False
    """Whether *learned* is of words within a text, which count for this tenant alone."""

    proved: int = 0
    """Tokens of the largest prompt that was answered and counted."""

    answers: int = 0
    counted_at: float = float("-inf")
    """When an answer was counted last, on the loop's clock."""

    reports_usage: bool = True
    """Whether its streams may be asked for usage: some servers do not know the parameter."""

    has_factor: bool = False
    """Whether the calibration is another than the family's."""

    is_witness: bool = False
    """Whether the tenant's own requests have taught the calibration."""


class Counted(NamedTuple):
    """A prompt that was answered, in tokens."""

    estimated: int
    """Without any factor."""

    actual: int
    """By the provider's count."""

    media: bool
    """Whether it holds anything but text."""


def untaught(deployment: Deployment) -> Taught:
    """Return what is known of a deployment that has taught nothing: what holds for its family."""
    family = family_of(deployment.model)
    return Taught(family, initial(family))


def is_sampled(taught: Taught, now: float) -> bool:
    """Count an answer that came *now*, and tell whether its usage is to be compared with the estimate."""
    taught.answers += 1
    is_new = taught.calibration.observations < _FIRST and taught.answers <= _NEW
    if not is_new and (taught.answers % _EVERY or now < taught.counted_at + _APART_S):
        return False
    taught.counted_at = now
    return True


def observe_answer(taught: Taught, estimated: int, actual: int, *, media: bool) -> None:
    """Learn from the provider's count of a prompt that was *estimated*, and was answered."""
    calibration = observe(taught.calibration, estimated, actual, media=media)
    if calibration is not taught.calibration:
        taught.calibration, taught.has_factor, taught.is_witness = calibration, True, True
    taught.proved = max(taught.proved, actual)
    if taught.learned is not None and actual > taught.learned.window:
        taught.learned = None
