"""The order in which waiting clients get scarce places, such as slots for work in parallel. Nothing is awaited here."""

from __future__ import annotations

from typing import Generic, TypeVar

WaiterT = TypeVar("WaiterT")


class FairTurns(Generic[WaiterT]):
    """The *places* that clients share, and the queues of the clients that wait for a place.

    - A free place goes to the waiting client that holds the fewest. Among clients that hold equally many, it goes to
    the one that has waited longest with that number.
    - Within one client, waiters are served in the order of their arrival.
    - The last *kept_free* places are for clients that hold none. So a client with slow work does not keep a new client
      waiting. A client that is alone can have all other places.

    The time of a call depends on the number of places, not of waiters. Only :meth:`drop_newest` takes longer. A waiter
    is any hashable value. The same value must not wait twice at a time.
    """

    def __init__(self, places: int, *, kept_free: int = 0) -> None:
        self._free = places
        self._kept_free = kept_free
        self._held: dict[str, int] = {}
        self._queues: dict[str, dict[WaiterT, None]] = {}
        self._ready: list[dict[str, None]] = [{} for _ in range(places + 1)]
        """The clients with a queue, by the number of places that they hold.

        Clients that hold the same number are in the order in which they began to wait while holding that number.
        """
        self._waiting = 0

    @property
    def waiting(self) -> int:
        """The number of all waiters."""
        return self._waiting

    def held_by(self, client: str) -> int:
        """Return the number of places that *client* holds."""
        return self._held.get(client, 0)

    def ask(self, client: str, waiter: WaiterT) -> bool:
        """Take a place for *client* and return True, or append *waiter* to its queue and return False."""
        held = self.held_by(client)
        if self._may_take(held):
            self._set_held(client, held + 1)
            self._free -= 1
            return True
        self._queues.setdefault(client, {})[waiter] = None
        self._ready[held][client] = None
        self._waiting += 1
        return False

    def release(self, client: str) -> WaiterT | None:
        """Take a place back from *client*. Returns the waiter that gets the place, or None if the place stays free."""
        self._free += 1
        self._set_held(client, self.held_by(client) - 1)
        for held, ready in enumerate(self._ready):
            if ready:
                return self._serve(next(iter(ready)), held) if self._may_take(held) else None
        return None

    def withdraw(self, client: str, waiter: WaiterT) -> bool:
        """Remove *waiter* from its queue. Returns False if it is not waiting."""
        queue = self._queues.get(client, {})
        if waiter not in queue:
            return False
        del queue[waiter]
        self._waiting -= 1
        if not queue:
            del self._queues[client]
            del self._ready[self.held_by(client)][client]
        return True

    def drop_newest(self, asking: str) -> WaiterT:
        """Remove and return the newest waiter of the longest queue.

        If the queue of the client *asking* is among the longest, that queue is chosen.

        At least one client must be waiting. The time grows with the number of waiting clients.
        """
        client = max(self._queues, key=lambda one: (len(self._queues[one]), one == asking))
        waiter = next(reversed(self._queues[client]))
        self.withdraw(client, waiter)
        return waiter

    def _may_take(self, held: int) -> bool:
        return self._free > (self._kept_free if held else 0)

    def _serve(self, client: str, held: int) -> WaiterT:
        waiter = next(iter(self._queues[client]))
        self.withdraw(client, waiter)
        self._free -= 1
        self._set_held(client, held + 1)
        return waiter

    def _set_held(self, client: str, held: int) -> None:
        if client in self._queues:
            del self._ready[self.held_by(client)][client]
            self._ready[held][client] = None
        if held:
            self._held[client] = held
        else:
            self._held.pop(client, None)
