"""A queue in which clients take turns, each with one piece of work at a time. Pure.

A client with a thousand pieces of work makes others wait for one of them, and never for its second.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Work that waits, by client. Equal items of one client are one.

    A client gets its next item when the last one is done (:meth:`done`). So two workers always work for two clients,
    and a client that comes new waits for one item of each client before it, at most.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, dict[T, None]] = {}
        self._turns: dict[str, None] = {}
        """The clients that wait and have nothing being done, in the order in which they get their turn."""

        self._working: set[str] = set()
        self._size = 0

    def __len__(self) -> int:
        """Return how many items wait."""
        return self._size

    def put(self, client: str, item: T) -> None:
        """Add *item* behind what *client* waits for."""
        own = self._waiting.setdefault(client, {})
        self._size += item not in own
        own[item] = None
        if client not in self._working:
            self._turns[client] = None  # keeps its turn where it has one

    def take(self) -> tuple[str, T] | None:
        """Return the next item and its client, which works from now on; None where nobody may begin."""
        if not self._turns:
            return None
        client = next(iter(self._turns))
        del self._turns[client]
        own = self._waiting[client]
        item = next(iter(own))
        self._remove(client, item)
        self._working.add(client)
        return client, item

    def done(self, client: str) -> None:
        """Note that what *client* got is done; its next item waits behind all clients that wait now."""
        self._working.discard(client)
        if client in self._waiting:
            self._turns[client] = None

    def discard(self, client: str, item: T) -> bool:
        """Remove *item*, and tell whether it was still waiting."""
        if item not in self._waiting.get(client, ()):
            return False
        self._remove(client, item)
        if client not in self._waiting:
            self._turns.pop(client, None)
        return True

    def _remove(self, client: str, item: T) -> None:
        own = self._waiting[client]
        del own[item]
        if not own:
            del self._waiting[client]
        self._size -= 1
