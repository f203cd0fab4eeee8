"""The lessons of each deployment: its factor of tokens to estimates, and its window.

They are kept in memory, for each deployment and tenant. A tenant's requests may bring up words of its clients, so
their lessons count for that tenant. Lessons that two tenants agree on count for all (:mod:`proxy.state.agreement`), as
does a window from an error with one of the provider's codes. Without keys there is one tenant.

Only errors shrink a window (:mod:`proxy.state.learn_overflow`). It grows again where an answer proves it larger, or
when it is an hour old. Then one request may test it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from proxy.core.deployment import Deployment, Key
from proxy.core.tenant_lru import TenantLru
from proxy.resilience.read_overflow import Overflow
from proxy.state.agreement import Agreement
from proxy.state.learn_overflow import Lesson, Refused, learn_overflow
from proxy.state.taught import Counted, Taught, observe_answer, untaught

_BELIEVED_S = 3_600.0
"""Seconds for which a learned window holds."""

_MOST = 4_096
"""The most deployments that are kept, each tenant's counted separately. A wildcard may stand for any number of names.
"""


class LearnedWindows:
    """The lessons of all deployments. ``tenant`` is the name of the client's key, "" without keys."""

    def __init__(self) -> None:
        self._taught: TenantLru[Key, Taught] = TenantLru(_MOST)
        self._agreed: dict[Key, Agreement] = {}

    def carry(self, moved: Mapping[int, int]) -> LearnedWindows:
        """Return the lessons of a new configuration: those of the entries that are in both, shared with this one.

        *moved* maps their old positions to new ones.
        """
        learned_windows = LearnedWindows()
        for tenant, (position, model), taught in self._taught.entries():
            if position in moved:
                learned_windows._taught.put(tenant, (moved[position], model), taught)
        for (position, model), agreed in self._agreed.items():
            if position in moved:
                learned_windows._agreed[moved[position], model] = agreed
        return learned_windows

    def of(self, deployment: Deployment, now: float, tenant: str = "") -> Taught:
        """Return the lessons of *deployment* for *tenant* at *now*, on the loop's clock.

        At first, these are its family's.

        Where there is no more room, the least recently used lessons are dropped.
        """
        taught = self._taught.use(tenant, deployment.key) or self._remember(deployment, tenant)
        if taught.learned is not None and now >= taught.until:
            taught.learned = None
        return taught

    def lessons_for_plan(self, deployment: Deployment, now: float, tenant: str = "") -> Taught:
        """Return the lessons to plan a request of *tenant* by: its own, and those that count for all.

        A tenant without a factor of its own begins with the agreed one, and keeps it. From then on only its own
        requests change its factor. Otherwise other tenants would move its cuts back and forth.
        """
        taught = self._taught.use(tenant, deployment.key) or self._remember(deployment, tenant)
        if taught.learned is not None and now >= taught.until:
            taught.learned = None
        agreed = self._agreed.get(deployment.key)
        if agreed is None or not agreed.says_anything:
            return taught
        if agreed.calibration is not None and not taught.has_factor:
            taught.calibration, taught.has_factor = agreed.calibration, True
        return agreed.applied_to(taught, now)

    def look(self, deployment: Deployment, now: float, tenant: str = "") -> Taught:
        """Return the same without storing that they were used. A look at made-up names drops nothing."""
        taught = self._taught.find(tenant, deployment.key) or untaught(deployment)
        if taught.learned is not None and now >= taught.until:
            taught = replace(taught, learned=None)
        agreed = self._agreed.get(deployment.key)
        if agreed is None:
            return taught
        if agreed.calibration is not None and not taught.has_factor:
            taught = replace(taught, calibration=agreed.calibration)
        return agreed.applied_to(taught, now)

    def raise_factor(self, deployment: Deployment, factor: float, now: float, tenant: str = "") -> None:
        """Plan by *factor* from now on if it is larger, since a request could not be planned with the smaller one.

        If each request tried the smaller one first, two plans would alternate, and cuts would move back and forth.
        """
        taught = self.of(deployment, now, tenant)
        if factor > taught.calibration.sticky:
            taught.calibration = replace(taught.calibration, sticky=factor)
            taught.has_factor = True

    def learn(
        self, deployment: Deployment, overflow: Overflow, refused: Refused, now: float, tenant: str = ""
    ) -> Lesson:
        """Return the lesson of *overflow*, the answer to *refused* of *tenant*, and store it."""
        taught = self.of(deployment, now, tenant)
        lesson = learn_overflow(overflow, refused, taught.calibration, taught.proved)
        if lesson.calibration != taught.calibration:
            taught.calibration, taught.has_factor = lesson.calibration, True
            taught.has_own_factor = not overflow.inside_text
        agreed = self._agreement_on(deployment.key)
        if lesson.learned is not None:
            taught.learned, taught.until = lesson.learned, now + _BELIEVED_S
            taught.inside_text = lesson.inside_text
            if lesson.for_all:
                agreed.set_named(lesson.learned, taught.until)
        agreed.renew(now)
        return lesson

    def observe(self, deployment: Deployment, counted: Counted, now: float, tenant: str = "") -> None:
        """Learn from the provider's count of an answered prompt of *tenant*."""
        observe_answer(
            self.of(deployment, now, tenant), counted.estimated, counted.actual, media=counted.media
        )
        agreed = self._agreement_on(deployment.key)
        agreed.disprove(counted.actual)
        agreed.renew(now)

    def refuses_usage(self, deployment: Deployment, now: float, tenant: str = "") -> None:
        """Store that a server does not know the parameter that asks for a stream's usage."""
        self.of(deployment, now, tenant).reports_usage = False
        self._agreement_on(deployment.key).renew(now)

    def _remember(self, deployment: Deployment, tenant: str) -> Taught:
        key, taught = deployment.key, untaught(deployment)
        self._agreement_on(key).tenants[tenant] = taught
        gone = self._taught.put(tenant, key, taught)
        if gone is not None:
            left = self._agreement_on(gone.key).tenants
            left.pop(gone.tenant, None)
            if not left:
                del self._agreed[gone.key]
        return taught

    def _agreement_on(self, key: Key) -> Agreement:
        agreed = self._agreed.get(key)
        if agreed is None:
            agreed = self._agreed[key] = Agreement()
        return agreed
