"""The shared lessons of one deployment and tenant.

One process may hold several copies of the lessons, since two entries of its configuration may name one deployment. Each
copy keeps its own live factor, which follows the newest answers. Requests of all copies are planned by the shared
factor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from proxy.state import Store
from proxy.state.agreement import Agreement
from proxy.state.lessons import DeploymentLessons, Learned
from proxy.state.sharing.coded_window import CodedWindow, Copies
from proxy.state.sharing.lesson_values import NO_USAGE, Window, says_no_usage
from proxy.state.sharing.shared_factor import Proposal, SharedFactor
from proxy.state.sharing.shared_window import SharedWindow
from proxy.state.spaces import LESSONS

_TRIES = 3
"""The most attempts to write one factor at once. Only a raised factor is tried again after it has lost."""


class LessonPair:
    """The shared lessons of one tenant and one deployment (:class:`proxy.state.lessons.LessonShare`).

    *coded* is the deployment's coded window. *changed* is called when a write waits. *is_reachable* tells whether the
    store answered when it was last asked.
    """

    def __init__(
        self,
        place: tuple[str, str],
        coded: CodedWindow,
        changed: Callable[[LessonPair], None],
        is_reachable: Callable[[], bool],
    ) -> None:
        self.place = place
        self.identity, self.tenant = place
        self.coded = coded
        self.used_at = 0.0
        self.copies: Copies = {}
        coded.copies[self.tenant] = self.copies

        self.factor = SharedFactor()
        self.window = SharedWindow(self.identity, self.tenant, self)
        self.usage_key = f"{self.identity}/usage"
        self._no_usage_waits = False
        self._changed = changed
        self._is_reachable = is_reachable

    @property
    def has_writes(self) -> bool:
        """True where a change waits to be written."""
        return self.factor.proposal is not None or self._no_usage_waits or self._has_windows

    @property
    def _has_windows(self) -> bool:
        return self.window.has_writes or self.coded.window.has_writes

    def note_answer(self, lessons: DeploymentLessons, before: DeploymentLessons, actual: int) -> None:
        """Propose a factor and disprove windows (:class:`proxy.state.lessons.LessonShare`)."""
        self._propose_later(lessons, before)
        disproved = self.window.disprove(actual)
        if self.coded.window.disprove(actual) or disproved:
            self._changed(self)

    def note_overflow(self, lessons: DeploymentLessons, before: DeploymentLessons, now: float) -> None:
        """Propose a factor and publish a window (:class:`proxy.state.lessons.LessonShare`)."""
        if lessons.calibration.sticky < before.calibration.sticky:
            self._propose_later(lessons, before)
        elif lessons.calibration != before.calibration:
            self.note_raised(lessons)
        if lessons.learned is not None and (lessons.learned, lessons.until) != (before.learned, before.until):
            self.window.publish(Window(lessons.learned, lessons.inside_text), now)
            self._changed(self)

    def note_raised(self, lessons: DeploymentLessons) -> None:
        """Propose a factor that is used at once (:class:`proxy.state.lessons.LessonShare`)."""
        self._propose(lessons, raised=True)

    def note_named(self, learned: Learned, now: float) -> None:
        """Publish the coded window (:class:`proxy.state.lessons.LessonShare`)."""
        self.coded.window.publish(Window(learned), now)
        self._changed(self)

    def note_no_usage(self) -> None:
        """Publish that streams lack usage (:class:`proxy.state.lessons.LessonShare`)."""
        self._no_usage_waits = True
        self._changed(self)

    def _propose_later(self, lessons: DeploymentLessons, before: DeploymentLessons) -> None:
        """Propose the factor of *lessons*.

        Until the store takes it, plan by the factor of *before*, if the store answers.
        """
        if _fields(lessons) == _fields(before):
            return
        if self._propose(lessons) and self._is_reachable():
            lessons.calibration = replace(lessons.calibration, sticky=before.calibration.sticky)
            lessons.has_own_factor = before.has_own_factor

    def _propose(self, lessons: DeploymentLessons, *, raised: bool = False) -> bool:
        waits = self.factor.propose(Proposal(*_fields(lessons), raised=raised))
        if waits:
            self._changed(self)
        return waits

    async def write(self, store: Store, now: float) -> bool:
        """Write the changes that are due at *now*. Return False where the store could not say what stands."""
        if self._no_usage_waits:
            stand = await store.put(LESSONS, {self.usage_key: NO_USAGE}, tenant=self.tenant)
            self._no_usage_waits = self.usage_key not in stand
        for window in (self.window, self.coded.window):
            if window.has_writes:
                await window.write(store, now)
        for _ in range(_TRIES):
            proposal = self.factor.proposal
            if proposal is None or not self.factor.is_due(now):
                break
            new = self.factor.value_of(proposal)
            stands = await self._swap(store, new)
            if stands is None:
                self.factor.note_written(now)
                self._use_unshared(proposal, now)
                return False
            if self.factor.settle(proposal, new, stands):
                self.factor.note_written(now)
            self._apply_factor(now)
        return True

    async def _swap(self, store: Store, new: bytes) -> bytes | None:
        """Write *new* if the known value still stands. Return the value that stands, None where nobody knows."""
        known, key, tenant = self.factor.known, self.identity, self.tenant
        if known is not None:
            if await store.swap(LESSONS, key, known, new, tenant=tenant):
                return new
            stands = (await store.get(LESSONS, [key], tenant=tenant)).get(key)
            if stands is not None:
                return None if stands == known else stands
        return (await store.put(LESSONS, {key: new}, tenant=tenant, absent_only=True)).get(key)

    def _use_unshared(self, proposal: Proposal, now: float) -> None:
        """Plan by *proposal*, as a process without a store does. The proposal still waits to be written."""
        for lessons, agreed in self.copies.values():
            lessons.calibration = replace(lessons.calibration, sticky=proposal.sticky)
            lessons.has_factor, lessons.has_own_factor = True, proposal.own
            agreed.renew(now)

    def see_lessons(self, found: Mapping[str, bytes], now: float, *, is_new: bool) -> None:
        """Take over the stored factor and usage lesson in *found*.

        *is_new* says that the store may have been emptied. The usage lesson is then published again.
        """
        self.factor.see(found.get(self.identity))
        self._apply_factor(now)
        self._restore_factor()
        usage = found.get(self.usage_key)
        for lessons, agreed in self.copies.values():
            if lessons.reports_usage and usage is not None and says_no_usage(usage):
                lessons.reports_usage = False
                agreed.renew(now)
            elif is_new and not lessons.reports_usage and usage is None:
                self.note_no_usage()

    def _apply_factor(self, now: float) -> None:
        for lessons, agreed in self.copies.values():
            before = _fields(lessons)
            self.factor.apply_to(lessons)
            if _fields(lessons) != before:
                agreed.renew(now)

    def _restore_factor(self) -> None:
        """Propose the factor of this process where the store has none, or has one without an observation.

        In the first case the store lost its factor. In the second, this tenant stored the factor that other tenants
        agree on before it had an observation.
        """
        stands = self.factor.standing
        if self.factor.proposal is not None:
            return
        for lessons, _ in self.copies.values():
            if stands is None:
                if lessons.has_factor:
                    self._propose(lessons)
            elif lessons.calibration.observations and not stands.observed:
                self._propose(lessons)

    def add_copy(self, lessons: DeploymentLessons, agreed: Agreement, now: float) -> None:
        """Share *lessons*, which count in *agreed*, from now on."""
        self.copies[id(lessons)] = lessons, agreed
        lessons.share = self
        self._apply_factor(now)

    def remove_copy(self, lessons: DeploymentLessons) -> None:
        """Share *lessons* no longer."""
        self.copies.pop(id(lessons), None)
        lessons.share = None

    def adopt_window(self, window: Window, now: float, until: float) -> None:
        """Believe *window* (:class:`proxy.state.sharing.shared_window.WindowHolder`)."""
        for lessons, agreed in self.copies.values():
            believed = lessons.learned == window.learned and now < lessons.until
            if window.learned.window > lessons.proved and not believed:
                lessons.learned, lessons.until, lessons.inside_text = (
                    window.learned,
                    until,
                    window.inside_text,
                )
                agreed.renew(now)

    def drop_window(self, now: float) -> None:
        """Forget the window (:class:`proxy.state.sharing.shared_window.WindowHolder`)."""
        for lessons, agreed in self.copies.values():
            if lessons.learned is not None:
                lessons.learned = None
                agreed.renew(now)


def _fields(lessons: DeploymentLessons) -> tuple[float, bool, bool]:
    """Return the fields of *lessons* that a stored factor has."""
    calibration = lessons.calibration
    return calibration.sticky, lessons.has_own_factor, calibration.observations > 0
