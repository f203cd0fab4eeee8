"""What each deployment has taught: how its tokens compare with the estimates, and how much it takes.

Kept in memory, for each deployment apart. A window shrinks by errors alone, and grows again where an answer proves it
larger.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.config import Deployment
from proxy.resilience.deployment_key import key_of
from sanitizers.budget.calibration import Calibration, initial, observe
from sanitizers.budget.families import Family, family_of

_FIRST = 3
_EVERY = 16
"""After its first answers, the share of a deployment's answers that are counted for calibration: one in sixteen."""

_MOST = 4_096
"""Deployments that are remembered; a wildcard may stand for any number of names."""


@dataclass(slots=True)
class Taught:
    """What one deployment has taught."""

    family: Family
    calibration: Calibration
    window: int | None = None
    answers: int = 0


class Knowledge:
    """What all deployments have taught."""

    def __init__(self) -> None:
        self._taught: dict[tuple[int, str], Taught] = {}

    def of(self, deployment: Deployment) -> Taught:
        """Return what *deployment* has taught; at first, what its family says."""
        key = key_of(deployment)
        taught = self._taught.get(key)
        if taught is None:
            if len(self._taught) >= _MOST:
                del self._taught[next(iter(self._taught))]
            family = family_of(deployment.model)
            taught = self._taught[key] = Taught(family, initial(family))
        return taught

    def is_sampled(self, deployment: Deployment) -> bool:
        """Count an answer, and tell whether its usage is to be compared with the estimate."""
        taught = self.of(deployment)
        taught.answers += 1
        return taught.calibration.observations < _FIRST or taught.answers % _EVERY == 0

    def observe(self, deployment: Deployment, estimated: int, actual: int, *, media: bool) -> None:
        """Learn from the provider's count of a prompt that was *estimated*."""
        taught = self.of(deployment)
        taught.calibration = observe(taught.calibration, estimated, actual, media=media)
        if taught.window is not None and actual > taught.window:
            taught.window = actual

    def learn_overflow(
        self, deployment: Deployment, *, limit: int | None, requested: int | None, sent: int, media: bool
    ) -> None:
        """Learn from an overflow: its *limit* and what was *requested*, where the provider says, in tokens.

        *sent* is what the request was taken to come to. Without a limit the window is what did not fit.
        """
        taught = self.of(deployment)
        if requested is not None and sent:
            self.observe(deployment, round(sent / taught.calibration.live), requested, media=media)
        if limit is not None and limit > 0:
            taught.window = limit
        elif requested is None and sent:
            taught.window = min(taught.window or sent, sent)
