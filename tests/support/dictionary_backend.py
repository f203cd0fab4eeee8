"""A backend in a dictionary, whose failures a test chooses, and the listener that counts its failures."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from proxy.state.external.backend import ENTRY_BYTES, AccountChange, Entry, FaultKind, StoreFault


class DictionaryBackend:
    """Keeps values in :attr:`values`. Several stores may share one dictionary, as replicas share a server."""

    is_shared = True

    def __init__(self, values: dict[str, bytes] | None = None) -> None:
        self.values = {} if values is None else values
        self.lifetimes: dict[str, float] = {}
        self.calls: Counter[str] = Counter()
        self.asked: Sequence[str] = ()
        """The names of the newest look-up."""

        self.fault: Callable[[str], FaultKind | None] = lambda _: None
        """Returns the failure of the next call of a method, or None for success."""

        self.frozen: asyncio.Event | None = None
        """Calls wait for this event, if there is one."""

    def fail(self, kind: FaultKind | None, *methods: str) -> None:
        """Let *methods*, or all of them, fail with *kind*. None lets them work again."""
        self.fault = lambda method: kind if not methods or method in methods else None

    async def open(self) -> None:
        """Count the call, and fail if the test wants it."""
        await self._note("open")

    async def close(self) -> None:
        """Count the call."""
        self.calls["close"] += 1

    async def ping(self) -> None:
        """Count the call, and fail if the test wants it."""
        await self._note("ping")

    async def get(self, names: Sequence[str]) -> Mapping[str, bytes]:
        """Return the values under *names*."""
        self.asked = names
        await self._note("get")
        return {name: self.values[name] for name in names if name in self.values}

    async def put(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Write *entries*."""
        await self._note("put")
        for entry in entries:
            self.values[entry.name] = entry.value
            self.lifetimes[entry.name] = entry.lifetime_s
        return ()

    async def swap(self, name: str, old: bytes | None, new: bytes | None, lifetime_s: float) -> bytes | None:
        """Replace *old* by *new* under *name*, if *old* stands there."""
        await self._note("swap")
        if self.values.get(name) == old:
            if new is None:
                self.values.pop(name, None)
            else:
                self.values[name] = new
                self.lifetimes[name] = lifetime_s
        return self.values.get(name)

    async def delete(self, names: Sequence[str]) -> None:
        """Delete the values under *names*."""
        await self._note("delete")
        for name in names:
            self.values.pop(name, None)

    async def change_account(self, change: AccountChange) -> bool:
        """Change the account. Its oldest entries, by their last write or renewal, are dropped beyond its bound."""
        await self._note("change_account")
        if change.expected is not None and self.values.get(change.expected.name) != change.expected.value:
            return False
        for entry in change.entries:
            self.values.pop(entry.name, None)
            self.values[entry.name] = entry.value
            self.lifetimes[entry.name] = entry.lifetime_s
        for name in change.removed:
            self.values.pop(name, None)
        self._shrink(f"{change.account}:", change.bounds.account_bytes)
        self._shrink(change.account.rpartition("{")[0], change.bounds.all_bytes)
        return True

    async def renew(self, account: str, names: Sequence[str], lifetime_s: float) -> None:
        """Make *names* the newest entries."""
        await self._note("renew")
        for name in names:
            if name in self.values:
                self.values[name] = self.values.pop(name)
                self.lifetimes[name] = lifetime_s

    async def clear_account(self, account: str) -> int:
        """Delete the entries of *account*."""
        await self._note("clear_account")
        names = [name for name in self.values if name.startswith(f"{account}:")]
        for name in names:
            del self.values[name]
        return len(names)

    def _shrink(self, beginning: str, most: int) -> None:
        names = [name for name in self.values if name.startswith(beginning)]
        size = sum(len(self.values[name]) + ENTRY_BYTES for name in names)
        for name in names:
            if size <= most:
                return
            size -= len(self.values.pop(name)) + ENTRY_BYTES

    async def _note(self, method: str) -> None:
        self.calls[method] += 1
        if self.frozen is not None:
            await self.frozen.wait()
        if (kind := self.fault(method)) is not None:
            raise StoreFault(kind)


class CountedEvents:
    """A listener that counts: errors by kind, skipped look-ups, and changes of state in their order."""

    def __init__(self) -> None:
        self.errors: Counter[FaultKind] = Counter()
        self.skipped = 0
        self.waiting = 0
        self.changes: list[str] = []

    def count_error(self, kind: FaultKind) -> None:
        """Count one failure."""
        self.errors[kind] += 1

    def count_skipped(self) -> None:
        """Count a look-up that was not made."""
        self.skipped += 1

    def set_waiting(self, size_bytes: int) -> None:
        """Keep the bytes of the writes that wait."""
        self.waiting = size_bytes

    def went_down(self, fault: StoreFault) -> None:
        """Note that the store went down."""
        self.changes.append(f"down: {fault.kind}")

    def came_up(self) -> None:
        """Note that the store came up."""
        self.changes.append("up")

    def stopped_writing(self, kind: FaultKind, seconds: float) -> None:
        """Note that the store takes no writes."""
        self.changes.append(f"no writes: {kind} {seconds:g} s")

    def resumed_writing(self) -> None:
        """Note that the store takes writes again."""
        self.changes.append("writes")
