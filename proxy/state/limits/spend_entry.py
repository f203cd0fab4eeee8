"""The stored form of what one process has spent for an account in a period.

Only its own process writes an entry, with a version that grows. So of two entries the one of the higher version is the
newer one, and a write that comes late or twice changes nothing. One change is made by others: where a process has died,
its reservation expires, and is then charged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

_FIELDS = 7
_DIGITS = 16
"""The most digits of a number that a script keeps exactly."""


@dataclass(frozen=True, slots=True)
class SpendEntry:
    """The totals of one process, and what its running requests may cost until *expires_us* (Unix time in µs).

    *reserved* is None where the reservation has expired and was charged.
    """

    version: int
    nano: int
    estimated: int
    tokens: int
    requests: int
    reserved: int | None = 0
    expires_us: int = 0

    def is_newer_than(self, other: SpendEntry | None) -> bool:
        """Return True where this entry replaces *other*."""
        if other is None or self.version != other.version:
            return other is None or self.version > other.version
        return self.reserved is None and other.reserved is not None

    def charged_at(self, now_us: int) -> SpendEntry:
        """Return the entry as it counts at *now_us*: an expired reservation is spent, and estimated."""
        reserved = self.reserved
        if not reserved or self.expires_us > now_us:
            return self
        return replace(self, nano=self.nano + reserved, estimated=self.estimated + reserved, reserved=None)


def write_entry(entry: SpendEntry) -> str:
    """Return the stored form of *entry*: numbers with a space between. A reservation that was charged is ``-``."""
    reserved = "-" if entry.reserved is None else entry.reserved
    return (
        f"{entry.version} {entry.nano} {entry.estimated} {entry.tokens} {entry.requests} "
        f"{reserved} {entry.expires_us}"
    )


def read_entry(value: bytes) -> SpendEntry | None:
    """Return the entry in *value*, or None where *value* cannot be read."""
    parts = value.split(b" ")
    if len(parts) != _FIELDS:
        return None
    is_charged = parts[5] == b"-"
    if is_charged:
        parts[5] = b"0"
    if not all(part.isdigit() and len(part) <= _DIGITS for part in parts):
        return None
    version, nano, estimated, tokens, requests, reserved, expires_us = map(int, parts)
    return SpendEntry(
        version, nano, estimated, tokens, requests, None if is_charged else reserved, expires_us
    )
