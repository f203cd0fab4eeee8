"""What each deployment has taught: how its tokens compare with the estimates, and how much it takes.

Kept in memory, for each deployment and each tenant apart: what a tenant's requests bring up may be what its clients
wrote, so it counts for that tenant. For all counts what two tenants agree on (:mod:`proxy.state.agreement`), and a
window that was named under one of the provider's codes. Where no keys are asked for there is one tenant.

A window shrinks by errors alone (:mod:`proxy.state.learn_overflow`), and grows again where an answer proves it
larger, or when it is an hour old: then one request may find out anew.
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
"""Deployments that are remembered, each tenant's apart; a wildcard may stand for any number of names."""


class LearnedWindows:
    """What all deployments have taught; ``tenant`` is the name of the client's key, empty where none is asked for."""

    def __init__(self) -> None:
        self._taught: TenantLru[Key, Taught] = TenantLru(_MOST)
        self._agreed: dict[Key, Agreement] = {}

    def carry(self, moved: Mapping[int, int]) -> LearnedWindows:
        """Return the knowledge of a new configuration: what the entries that are in both have taught, and will teach.

        *moved* are their positions, old to new.
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
        """Return what *deployment* has taught *tenant* by *now*, on the loop's clock; at first, what its family says.

        What was asked for least lately is forgotten, where there is no more room.
        """
        taught = self._taught.use(tenant, deployment.key) or self._remember(deployment, tenant)
        if taught.learned is not None and now >= taught.until:
            taught.learned = None
        return taught

    def plan_with(self, deployment: Deployment, now: float, tenant: str = "") -> Taught:
        """Return what to plan a request of *tenant* by: what its own requests have taught, and what counts for all.

        A tenant that has taught no factor begins with the agreed one, and keeps it: from then on its factor moves by
        its own requests alone, lest other tenants move its cuts to and fro.
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
        """Return the same without remembering that anybody asked: a look at made-up names pushes nothing out."""
        taught = self._taught.find(tenant, deployment.key) or untaught(deployment)
        if taught.learned is not None and now >= taught.until:
            taught = replace(taught, learned=None)
        agreed = self._agreed.get(deployment.key)
        if agreed is None:
            return taught
        if agreed.calibration is not None and not taught.has_factor:
            taught = replace(taught, calibration=agreed.calibration)
        return agreed.applied_to(taught, now)

    def plan_by(self, deployment: Deployment, factor: float, now: float, tenant: str = "") -> None:
        """Plan by *factor* from now on, where that is larger: a request could not be planned with the smaller one.

        If each request tried the smaller one first, two plans would take turns, and cuts would move to and fro.
        """
        taught = self.of(deployment, now, tenant)
        if factor > taught.calibration.sticky:
            taught.calibration = replace(taught.calibration, sticky=factor)
            taught.has_factor = True

    def learn(
        self, deployment: Deployment, overflow: Overflow, refused: Refused, now: float, tenant: str = ""
    ) -> Lesson:
        """Learn from *overflow*, the answer to *refused* of *tenant*, and return what it taught."""
        taught = self.of(deployment, now, tenant)
        lesson = learn_overflow(overflow, refused, taught.calibration, taught.proved)
        if lesson.calibration != taught.calibration:
            taught.calibration, taught.has_factor = lesson.calibration, True
            taught.is_witness = not overflow.within
        agreed = self._agreement_on(deployment.key)
        if lesson.learned is not None:
            taught.learned, taught.until = lesson.learned, now + _BELIEVED_S
            taught.within = lesson.within
            if lesson.for_all:
                agreed.name(lesson.learned, taught.until)
        agreed.renew(now)
        return lesson

    def observe(self, deployment: Deployment, counted: Counted, now: float, tenant: str = "") -> None:
        """Learn from the provider's count of a prompt of *tenant* that was answered."""
        observe_answer(
            self.of(deployment, now, tenant), counted.estimated, counted.actual, media=counted.media
        )
        agreed = self._agreement_on(deployment.key)
        agreed.disprove(counted.actual)
        agreed.renew(now)

    def refuses_usage(self, deployment: Deployment, now: float, tenant: str = "") -> None:
        """Note that a server does not know the parameter by which a stream's usage is asked for."""
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
