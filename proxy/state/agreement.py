"""The lessons that count for all tenants of one deployment, by two tenants' agreement or a provider's code.

A tenant is a client's key. A lesson is a learned context window, a learned token factor, or that streams lack usage.
Without a provider's code, one tenant alone changes nothing here. Of several windows, the second smallest counts, since
errors of two tenants support it. Of several factors, the second largest counts, for the same reason. A window from an
error with a code counts at once, until it expires or an answer proves the window larger.
"""

from __future__ import annotations

from dataclasses import replace

from proxy.state.lessons import DeploymentLessons, Learned
from sanitizers.budget.calibration import Calibration

_TWO = 2


class Agreement:
    """The lessons of one deployment's tenants, and the lessons that count for all tenants."""

    __slots__ = ("calibration", "named", "no_usage", "says_anything", "tenants", "window")

    def __init__(self) -> None:
        self.tenants: dict[str, DeploymentLessons] = {}
        self.named: tuple[Learned, float] | None = None
        """The window from an error with a code, and the moment at which it expires."""

        self.window: tuple[Learned, float] | None = None
        """The window that errors of two tenants support, and the time when the earlier of their lessons expires."""

        self.calibration: Calibration | None = None
        self.no_usage = False
        self.says_anything = False
        """True where any lesson counts for all tenants."""

    def set_named(self, learned: Learned, until: float) -> None:
        """Store a window from an error with a code. :meth:`renew` has to follow."""
        self.named = learned, until

    def renew(self, now: float) -> None:
        """Compute anew which of the tenants' lessons count for all tenants at *now*."""
        tenants = self.tenants.values()
        windows = sorted(
            (
                (lessons.learned, lessons.until)
                for lessons in tenants
                if lessons.learned is not None and not lessons.inside_text and now < lessons.until
            ),
            key=lambda lesson: (lesson[0].window, lesson[0].guessed),
        )[:_TWO]
        self.window = None
        if len(windows) == _TWO:
            (first, first_until), (second, second_until) = windows
            guessed = first.guessed or second.guessed
            self.window = Learned(second.window, guessed), min(first_until, second_until)
        factors = sorted(
            (lessons.calibration for lessons in tenants if lessons.has_own_factor), key=_factor_of
        )
        self.calibration = replace(factors[-_TWO], observations=1) if len(factors) >= _TWO else None
        self.no_usage = sum(not lessons.reports_usage for lessons in tenants) >= _TWO
        agreed = self.window is not None or self.calibration is not None or self.no_usage
        self.says_anything = agreed or self.named is not None

    def disprove(self, answered: int) -> None:
        """Drop the window from an error with a code if the provider has *answered* a prompt of more tokens.

        :meth:`renew` has to follow.
        """
        if self.named is not None and answered > self.named[0].window:
            self.named = None

    def applied_to(self, lessons: DeploymentLessons, now: float) -> DeploymentLessons:
        """Return one tenant's *lessons*, with the window and the usage lesson that count for all tenants."""
        if self.window is not None and now >= self.window[1]:
            self.renew(now)
        learned = lessons.learned
        for said in (self.named, self.window):
            if said is None or now >= said[1] or said[0].window <= lessons.proved:
                continue
            if learned is None or said[0].window < learned.window:
                learned = said[0]
        reports_usage = lessons.reports_usage and not self.no_usage
        if learned is lessons.learned and reports_usage == lessons.reports_usage:
            return lessons
        return replace(lessons, learned=learned, reports_usage=reports_usage)


def _factor_of(calibration: Calibration) -> float:
    return calibration.sticky
