"""The lessons of one deployment for one tenant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from proxy.core.deployment import Deployment
from sanitizers.budget.calibration import Calibration, initial, observe
from sanitizers.budget.families import Family, family_of

TIGHT = 0.8
"""The share of a refused size, or of the limit, that is used after an overflow."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A window that an error taught: the provider's number, or a guess from a refused size."""

    window: int
    guessed: bool = False


_FIRST = 3
_NEW = 64
_EVERY = 16
_APART_S = 1.0
"""Answers that are counted for calibration: until three of the first 64 have taught a factor, then one in sixteen.
These are at least a second apart. Counting a long prompt takes 5 ms, and a busy deployment has taught enough."""


@dataclass(slots=True)
class Taught:
    """The lessons of one deployment for one tenant."""

    family: Family
    calibration: Calibration
    learned: Learned | None = None
    until: float = 0.0
    """The moment at which *learned* expires, on the loop's clock."""

    inside_text: bool = False
    """True where *learned* comes from words inside a text, which count for this tenant alone."""

    proved: int = 0
    """Tokens of the largest prompt that was answered and counted."""

    answers: int = 0
    counted_at: float = float("-inf")
    """The moment of the newest counted answer, on the loop's clock."""

    reports_usage: bool = True
    """True where its streams may be asked for usage. Some servers do not know the parameter."""

    has_factor: bool = False
    """True where the calibration differs from the family's."""

    has_own_factor: bool = False
    """True where the tenant's own requests have taught the calibration."""


class Counted(NamedTuple):
    """An answered prompt, in tokens."""

    estimated: int
    """The estimate, without a factor."""

    actual: int
    """The provider's count."""

    media: bool
    """True where the prompt holds more than text."""


def untaught(deployment: Deployment) -> Taught:
    """Return the lessons of a deployment that has taught nothing: its family's defaults."""
    family = family_of(deployment.model)
    return Taught(family, initial(family))


def is_sampled(taught: Taught, now: float) -> bool:
    """Count an answer at *now*. Return True where its usage is to be compared with the estimate."""
    taught.answers += 1
    is_new = taught.calibration.observations < _FIRST and taught.answers <= _NEW
    if not is_new and (taught.answers % _EVERY or now < taught.counted_at + _APART_S):
        return False
    taught.counted_at = now
    return True


def observe_answer(taught: Taught, estimated: int, actual: int, *, media: bool) -> None:
    """Learn from the provider's count *actual* of an answered prompt, whose estimate was *estimated*."""
    calibration = observe(taught.calibration, estimated, actual, media=media)
    if calibration is not taught.calibration:
        taught.calibration, taught.has_factor, taught.has_own_factor = calibration, True, True
    taught.proved = max(taught.proved, actual)
    if taught.learned is not None and actual > taught.learned.window:
        taught.learned = None
