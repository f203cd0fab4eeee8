"""One learned window as it stands in the store, and the changes to it that wait to be written.

The store holds no moments. A process believes a window for an hour after it first reads the window. It drops the window
earlier if the store no longer holds that window. The store holds a window for an hour after it was learned.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from proxy.state import Store
from proxy.state.sharing.lesson_values import Window, read_window, write_window
from proxy.state.spaces import WINDOWS

_OWN_S = 10.0
"""Seconds after a window was learned here. In these seconds, what the store holds neither replaces nor ends the window.

The write may still be on its way.
"""

MARK = "mark"
"""The key of a random value that shows that the store answers. Without it, a missing window means nothing."""


class WindowHolder(Protocol):
    """Holds the lessons that one stored window changes."""

    def adopt_window(self, window: Window, now: float, until: float) -> None:
        """Believe *window* until *until*, except where an answer has proved that the real one is larger.

        Lessons that believe *window* already keep their own end.
        """

    def drop_window(self, now: float) -> None:
        """Forget the window."""


@dataclass(frozen=True, slots=True)
class _Own:
    """A window that was learned here, and the moments at which it was learned and expires."""

    value: bytes
    learned_at: float
    until: float


class SharedWindow:
    """The window under *key* of *tenant*. *holder* holds the lessons that it changes."""

    __slots__ = ("_disproved", "_holder", "_mark", "_own", "_published", "_stands", "_tenant", "key")

    def __init__(self, key: str, tenant: str, holder: WindowHolder) -> None:
        self.key = key
        self._tenant = tenant
        self._holder = holder
        self._own: _Own | None = None
        self._published = True
        self._disproved = 0
        self._stands = math.inf
        self._mark: bytes | None = None

    @property
    def has_writes(self) -> bool:
        """True where a change waits to be written."""
        return not self._published or self._disproved > 0

    def publish(self, window: Window, now: float) -> None:
        """Publish *window*, which was learned here at *now*."""
        self._own = _Own(write_window(window), now, now + WINDOWS.lifetime_s)
        self._published, self._disproved, self._stands = False, 0, window.learned.window

    def disprove(self, answered: int) -> bool:
        """Let the window be deleted if *answered*, the tokens of an answered prompt, exceed it. Return True if so."""
        if answered <= self._stands:
            return False
        self._own, self._published, self._stands = None, True, math.inf
        self._disproved = max(self._disproved, answered)
        return True

    async def write(self, store: Store, now: float) -> None:
        """Write the changes that wait."""
        if self._disproved:
            await self._delete(store)
        own = self._own
        if self._published or own is None:
            return
        if now >= own.until:
            self._published = True
            return
        stand = await store.put(
            WINDOWS, {self.key: own.value}, tenant=self._tenant, lifetime_s=own.until - now
        )
        if self._own is own and stand.get(self.key) == own.value:
            self._published = True

    async def _delete(self, store: Store) -> None:
        disproved = self._disproved
        found = await store.get(WINDOWS, [MARK, self.key], tenant=self._tenant)
        if MARK not in found:  # the store did not answer
            return
        value = found.get(self.key)
        window = None if value is None else read_window(value)
        if value is not None and window is not None and window.learned.window < disproved:
            await store.swap(WINDOWS, self.key, value, None, tenant=self._tenant)
        if self._disproved == disproved:
            self._disproved = 0

    def see(self, value: bytes | None, now: float, mark: bytes | None) -> bool:
        """Take over the stored *value*, None where the store has none. Return True where *mark* has changed.

        *mark* is a value that stays the same in one store. It is None where the store did not answer. A missing window
        then means nothing. It means nothing with a new *mark* either: the store may have been emptied.
        """
        is_new = mark != self._mark
        self._mark = mark
        if mark is not None:
            self._see(value, now, is_new=is_new)
        return is_new

    def _see(self, value: bytes | None, now: float, *, is_new: bool) -> None:
        own = self._own
        if own is not None and now >= own.until:
            own, self._own, self._published = None, None, True
        if value is None:
            self._miss(own, now, is_new=is_new)
            return
        window = read_window(value)
        if window is None or window.learned.window < self._disproved:
            return
        self._stands = window.learned.window
        until = now + WINDOWS.lifetime_s
        if own is not None and own.value == value:
            until = own.until
        elif own is not None and now < own.learned_at + _OWN_S:
            return
        else:
            self._own, self._published = None, True
        self._holder.adopt_window(window, now, until)

    def _miss(self, own: _Own | None, now: float, *, is_new: bool) -> None:
        if own is not None and (is_new or now < own.learned_at + _OWN_S):
            self._published = False
        elif not is_new:
            self._own, self._published, self._stands = None, True, math.inf
            self._holder.drop_window(now)
