"""Holds the lessons of each deployment: its token factor and its window, learned from answers and errors.

The token factor corrects the proxy's token estimates towards the provider's counts. Lessons are kept in memory, for
each deployment and tenant. An error may repeat words of the tenant's clients, so its lessons count for that tenant
alone. Lessons that two tenants agree on count for all (:mod:`proxy.state.agreement`), as does a window from an error
with one of the provider's codes. Without keys there is one tenant. A store that outlives the process gets a copy of the
lessons (:mod:`proxy.state.sharing.shared_lessons`).

Only errors shrink a window (:mod:`proxy.state.learn_overflow`). A learned window is dropped when an answer proves it
too small, or when it is an hour old. The next requests then use the known window again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from proxy.core.deployment import Deployment, Key
from proxy.core.tenant_lru import TenantLru
from proxy.resilience.read_overflow import Overflow
from proxy.state.agreement import Agreement
from proxy.state.learn_overflow import Lesson, Refused, learn_overflow
from proxy.state.lessons import Counted, DeploymentLessons, no_lessons, observe_answer

_BELIEVED_S = 3_600.0
"""Seconds for which a learned window holds."""

_CAPACITY = 4_096
"""The most pairs of a tenant and a deployment whose lessons are kept. A wildcard may stand for any number of names.
"""


class LessonSharing(Protocol):
    """Shares lessons with other processes. No method waits."""

    def join(
        self, deployment: Deployment, tenant: str, lessons: DeploymentLessons, agreed: Agreement, now: float
    ) -> None:
        """Share *lessons* from now on: set ``lessons.share``, unless too many are shared already.

        *agreed* is the agreement on the deployment.
        """

    def leave(self, lessons: DeploymentLessons) -> None:
        """Share *lessons* no longer, and set ``lessons.share`` to None. Changes that wait are still written."""


class LearnedWindows:
    """The lessons of all deployments. ``tenant`` is the name of the client's key, "" without keys.

    *sharing* is None where no store outlives the process.
    """

    def __init__(self, sharing: LessonSharing | None = None) -> None:
        self._sharing = sharing
        self._lessons: TenantLru[Key, DeploymentLessons] = TenantLru(_CAPACITY)
        self._agreed: dict[Key, Agreement] = {}

    def carry(self, moved: Mapping[int, int]) -> LearnedWindows:
        """Return the lessons for a new configuration: those of entries that both configurations hold.

        *moved* maps the entries' old positions to new ones. Both objects share the lessons. Lessons are shared with
        other processes again at their next use, since the new entry may name another cloud project.
        """
        learned_windows = LearnedWindows(self._sharing)
        if self._sharing is not None:
            for entry in self._lessons.entries():
                self._sharing.leave(entry.value)
        for tenant, (position, model), lessons in self._lessons.entries():
            if position in moved:
                learned_windows._lessons.put(tenant, (moved[position], model), lessons)
        for (position, model), agreed in self._agreed.items():
            if position in moved:
                learned_windows._agreed[moved[position], model] = agreed
        return learned_windows

    def lessons_of(self, deployment: Deployment, now: float, tenant: str = "") -> DeploymentLessons:
        """Return the lessons of *deployment* for *tenant* at *now*, on the loop's clock.

        At first, these are the defaults of the model's family.

        Beyond :data:`_CAPACITY` entries, the tenant with the most entries loses its least recently used lessons.
        """
        lessons = self._lessons.use(tenant, deployment.key) or self._remember(deployment, tenant)
        if self._sharing is not None:
            self._share(self._sharing, deployment, tenant, lessons, now)
        if lessons.learned is not None and now >= lessons.until:
            lessons.learned = None
        return lessons

    def lessons_for_plan(self, deployment: Deployment, now: float, tenant: str = "") -> DeploymentLessons:
        """Return the lessons by which a request of *tenant* is planned: its own, and those that count for all tenants.

        A tenant without a factor of its own begins with the agreed one, and keeps it. From then on only its own
        requests change its factor. Otherwise other tenants would change how much of its histories is cut.
        """
        lessons = self._lessons.use(tenant, deployment.key) or self._remember(deployment, tenant)
        if self._sharing is not None:
            self._share(self._sharing, deployment, tenant, lessons, now)
        if lessons.learned is not None and now >= lessons.until:
            lessons.learned = None
        agreed = self._agreed.get(deployment.key)
        if agreed is None or not agreed.says_anything:
            return lessons
        if agreed.calibration is not None and not lessons.has_factor:
            lessons.calibration, lessons.has_factor = agreed.calibration, True
        return agreed.applied_to(lessons, now)

    def peek(self, deployment: Deployment, now: float, tenant: str = "") -> DeploymentLessons:
        """Return the lessons of :meth:`lessons_for_plan` without changing the stored ones.

        A look-up of made-up model names drops no stored lessons.
        """
        lessons = self._lessons.find(tenant, deployment.key) or no_lessons(deployment)
        if lessons.learned is not None and now >= lessons.until:
            lessons = replace(lessons, learned=None)
        agreed = self._agreed.get(deployment.key)
        if agreed is None:
            return lessons
        if agreed.calibration is not None and not lessons.has_factor:
            lessons = replace(lessons, calibration=agreed.calibration)
        return agreed.applied_to(lessons, now)

    def raise_factor(self, deployment: Deployment, factor: float, now: float, tenant: str = "") -> None:
        """Store *factor* if it exceeds the tenant's factor, with which a request could not be planned.

        If each request tried the smaller factor first, two plans would alternate. Cuts would move back and forth.
        """
        lessons = self.lessons_of(deployment, now, tenant)
        if factor > lessons.calibration.sticky:
            lessons.calibration = replace(lessons.calibration, sticky=factor)
            lessons.has_factor = True
            if lessons.share is not None:
                lessons.share.note_raised(lessons)

    def learn(
        self, deployment: Deployment, overflow: Overflow, refused: Refused, now: float, tenant: str = ""
    ) -> Lesson:
        """Return and store the lesson of *overflow*, the error that answered the request *refused* of *tenant*."""
        lessons = self.lessons_of(deployment, now, tenant)
        before = None if lessons.share is None else replace(lessons)
        lesson = learn_overflow(overflow, refused, lessons.calibration, lessons.proved)
        if lesson.calibration != lessons.calibration:
            lessons.calibration, lessons.has_factor = lesson.calibration, True
            lessons.has_own_factor = not overflow.inside_text
        agreed = self._agreement_on(deployment.key)
        if lesson.learned is not None:
            lessons.learned, lessons.until = lesson.learned, now + _BELIEVED_S
            lessons.inside_text = lesson.inside_text
            if lesson.for_all:
                agreed.set_named(lesson.learned, lessons.until)
        if lessons.share is not None and before is not None:
            lessons.share.note_overflow(lessons, before, now)
            if lesson.learned is not None and lesson.for_all:
                lessons.share.note_named(lesson.learned, now)
        agreed.renew(now)
        return lesson

    def observe(self, deployment: Deployment, counted: Counted, now: float, tenant: str = "") -> None:
        """Learn from the provider's count of an answered prompt of *tenant*."""
        lessons = self.lessons_of(deployment, now, tenant)
        before = None if lessons.share is None else replace(lessons)
        observe_answer(lessons, counted.estimated, counted.actual, media=counted.media)
        agreed = self._agreement_on(deployment.key)
        agreed.disprove(counted.actual)
        if lessons.share is not None and before is not None:
            lessons.share.note_answer(lessons, before, counted.actual)
        agreed.renew(now)

    def refuses_usage(self, deployment: Deployment, now: float, tenant: str = "") -> None:
        """Store that a server does not know the parameter that asks for a stream's usage."""
        lessons = self.lessons_of(deployment, now, tenant)
        lessons.reports_usage = False
        if lessons.share is not None:
            lessons.share.note_no_usage()
        self._agreement_on(deployment.key).renew(now)

    def _remember(self, deployment: Deployment, tenant: str) -> DeploymentLessons:
        key, lessons = deployment.key, no_lessons(deployment)
        self._agreement_on(key).tenants[tenant] = lessons
        gone = self._lessons.put(tenant, key, lessons)
        if gone is not None:
            left = self._agreement_on(gone.key).tenants
            left.pop(gone.tenant, None)
            if not left:
                del self._agreed[gone.key]
            if self._sharing is not None:
                self._sharing.leave(gone.value)
        return lessons

    def _share(
        self,
        sharing: LessonSharing,
        deployment: Deployment,
        tenant: str,
        lessons: DeploymentLessons,
        now: float,
    ) -> None:
        if lessons.share is None:
            sharing.join(deployment, tenant, lessons, self._agreement_on(deployment.key), now)
        else:
            lessons.share.used_at = now

    def _agreement_on(self, key: Key) -> Agreement:
        agreed = self._agreed.get(key)
        if agreed is None:
            agreed = self._agreed[key] = Agreement()
        return agreed
