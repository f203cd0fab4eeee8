"""A queue in which clients take turns, each with one piece of work at a time.

A client with a thousand pieces of work makes another client wait for at most one of them.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Waiting work, by client. Equal items of one client are stored once.

    A client's next item is taken only after its last item is done (:meth:`done`). So two workers never serve the same
    client at once. A new client waits for at most one item of each client ahead of it.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, dict[T, None]] = {}
        self._turns: dict[str, None] = {}
        """The clients with waiting work and none in progress, in the order of their turns."""

        self._working: set[str] = set()
        self._size = 0

    def __len__(self) -> int:
        """Return the number of waiting items."""
        return self._size

    def put(self, client: str, item: T) -> None:
        """Add *item* behind the other waiting items of *client*."""
        own = self._waiting.setdefault(client, {})
        self._size += item not in own
        own[item] = None
        if client not in self._working:
            self._turns[client] = None  # a client that has a turn keeps it

    def take(self) -> tuple[str, T] | None:
        """Take the next item, and return its client and the item. Returns None if no client may begin another item."""
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
        """Note that the item in progress for *client* is done.

        The client's next item waits behind all clients that wait now.
        """
        self._working.discard(client)
        if client in self._waiting:
            self._turns[client] = None

    def discard(self, client: str, item: T) -> bool:
        """Remove *item*. Returns False if it was no longer waiting."""
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
