"""Shares the lessons of deployments with other processes through the store, and keeps them over a restart.

A tenant's lessons never change another tenant's: a process shares the lessons of each tenant separately. It reads the
lessons of the tenants and deployments that it served in the last hour. Agreements of two tenants are computed in each
process.

No request waits for these exchanges. :meth:`SharedLessons.poll` writes what changed, and reads. Without an answer from
the store, each process learns alone.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import islice
from secrets import token_bytes

from proxy.core.deployment import Deployment
from proxy.state import Store
from proxy.state.agreement import Agreement
from proxy.state.deployment_identity import identity_of
from proxy.state.lessons import DeploymentLessons
from proxy.state.sharing.coded_window import CodedWindow
from proxy.state.sharing.lesson_pair import LessonPair
from proxy.state.sharing.shared_window import MARK, SharedWindow
from proxy.state.spaces import LESSONS, WINDOWS

PERIOD_S = 5.0
"""Seconds between two reads of the same lessons."""

_SLACK_S = 0.5
"""A poll may come this much too early and still read all lessons, since timers are not exact."""

_USED_S = 3_600.0
"""Seconds after the last use for which lessons are read."""

_CAPACITY = 4_096
"""The most pairs of a tenant and a deployment that are shared."""

_AT_ONCE = 512
"""The most pairs that one poll reads, and the most that it writes. The others follow in the next polls."""

_MARK_LIFETIME_S = 30 * 86_400.0
"""Seconds for which a store is marked (:data:`proxy.state.sharing.shared_window.MARK`)."""


class SharedLessons:
    """Shares lessons through *store* (:class:`proxy.state.learned_windows.LessonSharing`).

    *token* returns the random value that marks a new store.
    """

    def __init__(self, store: Store, token: Callable[[], bytes] = lambda: token_bytes(8)) -> None:
        self._store = store
        self._token = token
        self._pairs: OrderedDict[tuple[str, str], LessonPair] = OrderedDict()
        self._coded: dict[str, CodedWindow] = {}
        self._unread: dict[tuple[str, str], LessonPair] = {}
        self._dirty: dict[tuple[str, str], LessonPair] = {}
        self._full_at = -math.inf
        self.is_reachable = True
        """False where the store could not say what stands when it was last asked."""

        self.wanted = asyncio.Event()
        """Set where a poll is wanted soon: something changed, or lessons are used for the first time."""

    def join(
        self, deployment: Deployment, tenant: str, lessons: DeploymentLessons, agreed: Agreement, now: float
    ) -> None:
        """Share *lessons* from now on (:class:`proxy.state.learned_windows.LessonSharing`)."""
        place = identity_of(deployment), tenant
        pair = self._pairs.get(place)
        if pair is None:
            if len(self._pairs) >= _CAPACITY:
                return
            coded = self._coded.get(place[0])
            if coded is None:
                coded = self._coded[place[0]] = CodedWindow(place[0])
            pair = LessonPair(place, coded, self._note_changed, lambda: self.is_reachable)
            self._pairs[place] = pair
        pair.used_at = now
        pair.add_copy(lessons, agreed, now)
        self._unread[place] = pair
        self.wanted.set()

    def leave(self, lessons: DeploymentLessons) -> None:
        """Share *lessons* no longer (:class:`proxy.state.learned_windows.LessonSharing`)."""
        pair = lessons.share
        if isinstance(pair, LessonPair):
            pair.remove_copy(lessons)
            self._drop_unused(pair)

    async def poll(self, now: float) -> None:
        """Write what changed, and read the lessons that are due. Two polls must not run at the same time."""
        self.wanted.clear()
        await self._write(now)
        if now >= self._full_at + PERIOD_S - _SLACK_S:
            self._full_at = now
            self._forget_idle(now)
            pairs = list(islice(self._pairs.values(), _AT_ONCE))
            for pair in pairs:
                self._pairs.move_to_end(pair.place)
        else:
            pairs = list(islice(self._unread.values(), _AT_ONCE))
        await self._read(pairs, now)
        if self._unread:
            self.wanted.set()

    async def _write(self, now: float) -> None:
        pairs = list(islice(self._dirty.values(), _AT_ONCE))
        if not pairs:
            return
        async with asyncio.TaskGroup() as group:
            written = [group.create_task(pair.write(self._store, now)) for pair in pairs]
        for pair, task in zip(pairs, written, strict=True):
            self.is_reachable = self.is_reachable and task.result()
            self._dirty.pop(pair.place, None)
            if pair.has_writes:  # behind the others, since its time may not have come
                self._dirty[pair.place] = pair
            else:
                self._drop_unused(pair)

    async def _read(self, pairs: Sequence[LessonPair], now: float) -> None:
        tenants: dict[str, list[LessonPair]] = {}
        coded: dict[str, CodedWindow] = {}
        for pair in pairs:
            self._unread.pop(pair.place, None)
            if not pair.copies:
                continue
            tenants.setdefault(pair.tenant, []).append(pair)
            coded[pair.identity] = pair.coded
        if coded:
            tenants.setdefault("", [])
        async with asyncio.TaskGroup() as group:
            for tenant, members in tenants.items():
                windows = [pair.window for pair in members]
                if not tenant:
                    windows += [one.window for one in coded.values()]
                group.create_task(self._read_tenant(tenant, members, windows, now))
        for pair in pairs:
            if pair.has_writes:
                self._dirty[pair.place] = pair

    async def _read_tenant(
        self, tenant: str, pairs: Sequence[LessonPair], windows: Sequence[SharedWindow], now: float
    ) -> None:
        keys = [MARK, *(window.key for window in windows)]
        found = await self._store.get(WINDOWS, keys, tenant=tenant)
        mark = found.get(MARK)
        if mark is None:
            put = self._store.put
            values = {MARK: self._token()}
            stands = await put(WINDOWS, values, tenant=tenant, lifetime_s=_MARK_LIFETIME_S, absent_only=True)
            mark = stands.get(MARK)
        self.is_reachable = mark is not None
        restored = {window.key for window in windows if window.see(found.get(window.key), now, mark)}
        if mark is None or not pairs:
            return
        keys = [key for pair in pairs for key in (pair.identity, pair.usage_key)]
        stored = await self._store.get(LESSONS, keys, tenant=tenant)
        for pair in pairs:
            pair.see_lessons(stored, now, is_new=pair.identity in restored)

    def _note_changed(self, pair: LessonPair) -> None:
        self._dirty[pair.place] = pair
        self.wanted.set()

    def _forget_idle(self, now: float) -> None:
        idle = [pair for pair in self._pairs.values() if now >= pair.used_at + _USED_S]
        for pair in idle:
            for lessons, _ in list(pair.copies.values()):
                pair.remove_copy(lessons)
            self._drop(pair)

    def _drop_unused(self, pair: LessonPair) -> None:
        if not pair.copies and not pair.has_writes:
            self._drop(pair)

    def _drop(self, pair: LessonPair) -> None:
        if self._pairs.get(pair.place) is not pair:
            return
        for pairs in (self._pairs, self._unread, self._dirty):
            pairs.pop(pair.place, None)
        del pair.coded.copies[pair.tenant]
        if not pair.coded.copies:
            self._coded.pop(pair.identity, None)
