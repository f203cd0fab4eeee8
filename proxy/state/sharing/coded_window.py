"""The shared window of one deployment from errors with a provider's code. The window counts for all tenants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from proxy.state.agreement import Agreement
from proxy.state.lessons import DeploymentLessons
from proxy.state.sharing.lesson_values import Window
from proxy.state.sharing.shared_window import SharedWindow

Copies: TypeAlias = dict[int, tuple[DeploymentLessons, Agreement]]
"""The lessons of one tenant and deployment and the agreements that they count in, by the :func:`id` of the lessons."""


class CodedWindow:
    """The window from errors with a provider's code, which counts for all tenants of one deployment."""

    def __init__(self, identity: str) -> None:
        self.copies: dict[str, Copies] = {}
        """The lessons of the deployment, by tenant. The window changes the agreements that they count in."""

        self.window = SharedWindow(f"{identity}/coded", "", self)

    def adopt_window(self, window: Window, now: float, until: float) -> None:
        """Believe *window* for all tenants (:class:`proxy.state.sharing.shared_window.WindowHolder`)."""
        if window.inside_text or window.learned.guessed:
            return
        for agreed in self._agreements():
            named = agreed.named
            if named is None or named[0] != window.learned or now >= named[1]:
                agreed.set_named(window.learned, until)
                agreed.renew(now)

    def drop_window(self, now: float) -> None:
        """Forget the window for all tenants."""
        for agreed in self._agreements():
            if agreed.named is not None:
                agreed.named = None
                agreed.renew(now)

    def _agreements(self) -> Iterable[Agreement]:
        copies = (copy for copies in self.copies.values() for copy in copies.values())
        return {id(agreed): agreed for _, agreed in copies}.values()
