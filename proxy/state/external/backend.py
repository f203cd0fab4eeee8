"""The interface of a backend: a server or a file that keeps bytes by name, outside this process's memory.

A backend knows no tenants, spaces or secrets. :class:`proxy.state.external.external_store.ExternalStore` makes the
names, checks the values, limits the waits and handles every failure. A backend opens its own connections. Each of its
methods usually makes one round trip. A failure raises :class:`StoreFault`, or :class:`StoreInUse` when opening.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol


class FaultKind(StrEnum):
    """The kind of a store's failure, as the label ``kind`` of ``turnright_store_errors_total``."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"
    FULL = "full"
    READ_ONLY = "read_only"
    CORRUPT = "corrupt"
    """A value that this version cannot read. It counts as missing."""

    REFUSED = "refused"
    """An error that the server answered with, such as a wrong type under a key or a missing permission."""

    DROPPED = "dropped"
    """A write that was dropped, since too many writes waited."""

    TOO_LARGE = "too_large"


class StoreFault(Exception):
    """A failure of a backend. The message holds no address, no key and no value."""

    def __init__(self, kind: FaultKind, message: str = "") -> None:
        super().__init__(message or kind.value)
        self.kind = kind


class StoreInUse(Exception):
    """Another process uses the store, which only one may use. The message names the file and the setting."""


class Entry(NamedTuple):
    """One entry to write: its name, its value, and the seconds that it is kept."""

    name: str
    value: bytes
    lifetime_s: float


ENTRY_BYTES = 512
"""The bytes that an entry of an account counts beside its value: its name, and what the backend keeps with it."""


class Bounds(NamedTuple):
    """The most bytes of one account, and of all accounts of a backend together."""

    account_bytes: int
    all_bytes: int


class Expected(NamedTuple):
    """The value that has to stand under *name* for a change to be made. None means that no value stands there."""

    name: str
    value: bytes | None


@dataclass(frozen=True, slots=True)
class AccountChange:
    """A change of the entries of one account: all of it is made, or nothing.

    The names of an account's entries begin with *account* and a colon. All of *entries* have the same lifetime. Beyond
    *bounds*, the account's least recently used entries are dropped, and then those of the account with the most bytes.
    """

    account: str
    bounds: Bounds
    entries: Sequence[Entry] = ()
    removed: Sequence[str] = ()
    """The names of the entries to delete."""

    expected: Expected | None = None


class Backend(Protocol):
    """Keeps bytes by name. Another process may use the same backend at the same time if :attr:`is_shared` is true."""

    @property
    def is_shared(self) -> bool:
        """True where several processes may use the backend. False for a file of one process."""

    async def open(self) -> None:
        """Connect, or open the file. May be called again after a failure."""

    async def close(self) -> None:
        """Close the connections or the file. Writes that were accepted before are finished."""

    async def ping(self) -> None:
        """Return if the backend answers. Raises :class:`StoreFault` otherwise."""

    async def get(self, names: Sequence[str]) -> Mapping[str, bytes]:
        """Return the values under *names*, without those that are missing or have expired."""

    async def put(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Write *entries*, replacing older values. Return the entries that the backend refused one by one.

        Raises :class:`StoreFault` where nothing is known of the entries, or where the backend takes no writes at all.
        """

    async def swap(self, name: str, old: bytes | None, new: bytes | None, lifetime_s: float) -> bytes | None:
        """Replace the value *old* by *new*, if *old* stands under *name*. Return the value that stands afterwards.

        None for *old* means that no value stands there. None for *new* deletes the value.
        """

    async def delete(self, names: Sequence[str]) -> None:
        """Delete the values under *names*."""

    async def change_account(self, change: AccountChange) -> bool:
        """Make *change*. Return False, and change nothing, where another value stands than the expected one.

        Another process can read the entries once this returns. Entries outside of accounts are never dropped for it.
        """

    async def renew(self, account: str, names: Sequence[str], lifetime_s: float) -> None:
        """Count a use of the entries *names* of *account*, and keep those that stand for *lifetime_s* from now on."""

    async def clear_account(self, account: str) -> int:
        """Delete some entries of *account*, and return their number. 0 means that the account has none."""
