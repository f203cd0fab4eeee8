"""Holds the window and the token factor of one deployment, as learned from one tenant's answers and errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from proxy.core.deployment import Deployment
from sanitizers.budget.calibration import Calibration, initial, observe
from sanitizers.budget.families import Family
from sanitizers.budget.find_family import family_of

TIGHT = 0.8
"""The share of a refused size, or of the limit, that is used after an overflow."""


LEAST_WINDOW = 1_024
"""The smallest window in tokens that is believed. Every model's window is larger."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A window learned from an error: the provider's number, or a guess from a refused size."""

    window: int
    guessed: bool = False


_FIRST = 3
_NEW = 64
_EVERY = 16
_APART_S = 1.0
"""The sampling of answers for calibration.

The first 64 answers are sampled until three observations exist. Then one in sixteen is sampled. Later samples are at
least a second apart. Counting a long prompt takes 5 ms, and a busy deployment gives enough samples.
"""


class LessonShare(Protocol):
    """Shares the lessons of one deployment and tenant with other processes. No method waits.

    Callers change the lessons first, and then say what they changed.
    """

    used_at: float
    """The moment of the last use, on the loop's clock. Only lessons in use are read from the store."""

    def note_answer(self, lessons: DeploymentLessons, before: DeploymentLessons, actual: int) -> None:
        """Propose the factor that an answer taught, if it changed. *actual* are the prompt's tokens.

        While the store answers, *lessons* keep the factor for plans of *before* until the store takes the proposal. A
        window below *actual* is deleted from the store.
        """

    def note_overflow(self, lessons: DeploymentLessons, before: DeploymentLessons, now: float) -> None:
        """Propose the factor and publish the window that an overflow taught, where they changed."""

    def note_raised(self, lessons: DeploymentLessons) -> None:
        """Propose a factor that a plan needed."""

    def note_named(self, learned: Learned, now: float) -> None:
        """Publish the window of an error with a provider's code, for all tenants."""

    def note_no_usage(self) -> None:
        """Publish that streams lack usage."""


@dataclass(slots=True)
class DeploymentLessons:
    """The lessons of one deployment for one tenant (a client's key)."""

    family: Family
    calibration: Calibration
    learned: Learned | None = None
    until: float = 0.0
    """The moment at which *learned* expires, on the loop's clock."""

    inside_text: bool = False
    """True where *learned* counts for this tenant alone, since the error's overflow words may be a quotation.

    They stood inside a text of the error, or in the request too.
    """

    proved: int = 0
    """Tokens of the largest prompt that was answered and counted."""

    answers: int = 0
    counted_at: float = float("-inf")
    """The moment of the newest counted answer, on the loop's clock."""

    reports_usage: bool = True
    """True where a request to the deployment may ask for a stream's usage. Some servers do not know the parameter."""

    has_factor: bool = False
    """True where the calibration differs from the family's."""

    has_own_factor: bool = False
    """True where the calibration was learned from the tenant's own requests."""

    share: LessonShare | None = None
    """Shares the lessons with other processes. None where no store outlives the process."""


class Counted(NamedTuple):
    """An answered prompt, in tokens."""

    estimated: int
    """The estimate, without a factor."""

    actual: int
    """The provider's count."""

    media: bool
    """True where the prompt holds more than text."""


def no_lessons(deployment: Deployment) -> DeploymentLessons:
    """Return the lessons of a deployment without observations: the defaults of its model's family."""
    family = family_of(deployment.model)
    return DeploymentLessons(family, initial(family))


def is_sampled(lessons: DeploymentLessons, now: float) -> bool:
    """Count an answer at *now*. Return True where the answer's usage is to be compared with the estimate."""
    lessons.answers += 1
    is_new = lessons.calibration.observations < _FIRST and lessons.answers <= _NEW
    if not is_new and (lessons.answers % _EVERY or now < lessons.counted_at + _APART_S):
        return False
    lessons.counted_at = now
    return True


def observe_answer(lessons: DeploymentLessons, estimated: int, actual: int, *, media: bool) -> None:
    """Learn from the provider's count *actual* of an answered prompt, whose estimate was *estimated*."""
    calibration = observe(lessons.calibration, estimated, actual, media=media)
    if calibration is not lessons.calibration:
        lessons.calibration, lessons.has_factor, lessons.has_own_factor = calibration, True, True
    lessons.proved = max(lessons.proved, actual)
    if lessons.learned is not None and actual > lessons.learned.window:
        lessons.learned = None
