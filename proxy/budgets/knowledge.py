"""What each deployment has taught: how its tokens compare with the estimates, and how much it takes.

Kept in memory, for each deployment apart. A window shrinks by errors alone (:mod:`proxy.budgets.learn_overflow`), and
grows again where an answer proves it larger, or when it is an hour old: then one request may find out anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from proxy.budgets.learn_overflow import Lesson, Refused, learn_overflow
from proxy.budgets.limits import Learned
from proxy.config import Deployment
from proxy.resilience.read_overflow import Overflow
from sanitizers.budget.calibration import Calibration, initial, observe
from sanitizers.budget.families import Family, family_of

_FIRST = 3
_NEW = 64
_EVERY = 16
_APART_S = 1.0
"""Counted for calibration are a deployment's answers until three have taught something, of the first 64, and then one
in sixteen, a second apart at least: to count a long prompt takes 5 ms, and a busy deployment has taught enough."""

_BELIEVED_S = 3_600.0
"""Seconds for which a learned window holds."""

_MOST = 4_096
"""Deployments that are remembered; a wildcard may stand for any number of names."""


@dataclass(slots=True)
class Taught:
    """What one deployment has taught."""

    family: Family
    calibration: Calibration
    learned: Learned | None = None
    until: float = 0.0
    """When *learned* is to be found out anew, on the loop's clock."""

    proved: int = 0
    """Tokens of the largest prompt that was answered and counted."""

    answers: int = 0
    counted_at: float = float("-inf")
    """When an answer was counted last, on the loop's clock."""

    reports_usage: bool = True
    """Whether its streams may be asked for usage: some servers do not know the parameter."""


class Knowledge:
    """What all deployments have taught."""

    def __init__(self) -> None:
        self._taught: dict[tuple[int, str], Taught] = {}

    def carry(self, moved: Mapping[int, int]) -> Knowledge:
        """Return the knowledge of a new configuration: what the entries that are in both have taught, and will teach.

        *moved* are their positions, old to new.
        """
        knowledge = Knowledge()
        for (position, model), taught in self._taught.items():
            if position in moved:
                knowledge._taught[moved[position], model] = taught
        return knowledge

    def of(self, deployment: Deployment, now: float) -> Taught:
        """Return what *deployment* has taught by *now*, on the loop's clock; at first, what its family says.

        What was asked for least lately is forgotten, where there is no more room.
        """
        key = deployment.key
        taught = self._taught.pop(key, None)
        if taught is None:
            if len(self._taught) >= _MOST:
                del self._taught[next(iter(self._taught))]
            taught = _untaught(deployment)
        self._taught[key] = taught
        if taught.learned is not None and now >= taught.until:
            taught.learned = None
        return taught

    def look(self, deployment: Deployment, now: float) -> Taught:
        """Return the same without remembering that anybody asked: a look at made-up names pushes nothing out."""
        taught = self._taught.get(deployment.key) or _untaught(deployment)
        if taught.learned is not None and now >= taught.until:
            return replace(taught, learned=None)
        return taught

    def plan_by(self, deployment: Deployment, factor: float, now: float) -> None:
        """Plan by *factor* from now on, where that is larger: a request could not be planned with the smaller one.

        If each request tried the smaller one first, two plans would take turns, and cuts would move to and fro.
        """
        taught = self.of(deployment, now)
        if factor > taught.calibration.sticky:
            taught.calibration = replace(taught.calibration, sticky=factor)

    def learn(self, deployment: Deployment, overflow: Overflow, refused: Refused, now: float) -> Lesson:
        """Learn from *overflow*, the answer to *refused*, and return what it taught."""
        taught = self.of(deployment, now)
        lesson = learn_overflow(overflow, refused, taught.calibration, taught.proved)
        taught.calibration = lesson.calibration
        if lesson.learned is not None:
            taught.learned, taught.until = lesson.learned, now + _BELIEVED_S
        return lesson


def _untaught(deployment: Deployment) -> Taught:
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
    taught.calibration = observe(taught.calibration, estimated, actual, media=media)
    taught.proved = max(taught.proved, actual)
    if taught.learned is not None and actual > taught.learned.window:
        taught.learned = None
