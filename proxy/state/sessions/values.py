"""Reads and writes the values of sessions: in batches that a store can take, and off the event loop where long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from proxy.core.offload import run_offloaded
from proxy.state.sessions.packed_values import Header, Packed, pack_value, part_key, read_header, unpack_value
from proxy.state.sessions.record_store import PART_BYTES, Change, RecordStore
from proxy.state.sessions.session_errors import HistoryTooLong

T = TypeVar("T")

_BATCH_BYTES = 2 * PART_BYTES
"""The most bytes of one exchange with a store, as far as the sizes are known before."""

_USUAL_BYTES = 8 * 2**10
"""The assumed bytes of a value whose size is not known before."""

_MOST_KEYS = 256
"""The most keys of one look-up. A look-up of 1,000 keys holds the event loop up for 8 ms."""

_WEIGHT = 4
"""The cost of packing a byte, in bytes of a usual body. Above 128 KiB of JSON a worker thread does it."""


class Loaded(NamedTuple):
    """A value that was read: its bytes as stored and as JSON, and the keys of its parts."""

    value: Any
    stored_bytes: int
    raw_bytes: int
    keys: tuple[str, ...]


class Allowance:
    """The bytes of JSON that one request may still read. Small values may unpack to large ones."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._left = max_bytes

    def spend(self, size_bytes: int) -> None:
        """Raise :class:`HistoryTooLong` if no *size_bytes* are left."""
        self._left -= size_bytes
        if self._left < 0:
            raise HistoryTooLong(self._max_bytes)


async def read_values(
    store: RecordStore,
    tenant: str,
    sizes: Mapping[str, int | None],
    allowance: Allowance,
) -> dict[str, Loaded]:
    """Return the values under the keys of *sizes*, without those that are missing or damaged.

    *sizes* has the bytes of each value as stored, or None where they are not known. Raises
    :class:`HistoryTooLong`, and :class:`proxy.state.sessions.session_errors.SessionsUnavailable`.
    """
    found = dict[str, Loaded]()
    for batch in _batches(sizes):
        firsts = await store.get(tenant, batch)
        gathered = dict[str, tuple[Header, tuple[bytes, ...]]]()
        raw_bytes = 0
        for key in batch:
            if (first := firsts.get(key)) is None:
                continue
            if (header := read_header(first)) is None:
                store.count_corrupt()
                continue
            allowance.spend(header.raw_bytes)
            further: Sequence[bytes] | None = ()
            if header.further_parts:
                further = await _read_parts(store, tenant, key, header.further_parts)
            if further is not None:
                gathered[key] = (header, (first, *further))
                raw_bytes += header.raw_bytes
        unpacked = await run_offloaded(raw_bytes * _WEIGHT, partial(_unpack_all, gathered))
        for key, loaded in unpacked.items():
            if loaded is None:
                store.count_corrupt()
            else:
                found[key] = loaded
    return found


async def pack_values(values: Mapping[str, Any], weight: int) -> dict[str, Packed]:
    """Return each of *values* as it is stored. *weight* is their size as JSON, roughly. Raises :class:`ValueError`."""
    return await run_offloaded(
        weight * _WEIGHT, lambda: {key: pack_value(each) for key, each in values.items()}
    )


async def write_values(store: RecordStore, tenant: str, packed: Mapping[str, Packed], change: Change) -> bool:
    """Write *packed* and make *change*, together. Return False where another value stands than the expected one.

    Further parts are written before. So a reader finds a value whole or not at all. Parts without their value are
    dropped by their age.
    """
    parts = {
        part_key(key, number): part
        for key, each in packed.items()
        for number, part in enumerate(each.parts)
        if number
    }
    for batch in _batches({key: len(part) for key, part in parts.items()}):
        await store.change(tenant, Change({key: parts[key] for key in batch}))
    firsts = {key: each.parts[0] for key, each in packed.items()}
    return await store.change(tenant, Change({**firsts, **change.values}, change.removed, change.expected))


def decode(store: RecordStore, read: Callable[[Any], T], loaded: Loaded | None) -> T | None:
    """Return the result of *read* for a value that was loaded, or None. A value of another form counts as corrupt."""
    return None if loaded is None else decode_value(store, read, loaded.value)


def decode_value(store: RecordStore, read: Callable[[Any], T], value: Any) -> T | None:
    """Return the result of *read* for *value*, or None for a value of another form, which counts as corrupt."""
    try:
        return read(value)
    except ValueError:
        store.count_corrupt()
        return None


async def _read_parts(store: RecordStore, tenant: str, key: str, number: int) -> Sequence[bytes] | None:
    keys = [part_key(key, each) for each in range(1, number + 1)]
    parts: dict[str, bytes] = {}
    for batch in _batches(dict.fromkeys(keys, PART_BYTES)):
        read = await store.get(tenant, batch)
        if len(read) < len(batch):
            return None
        parts.update(read)
    return [parts[each] for each in keys]


def _unpack_all(gathered: Mapping[str, tuple[Header, tuple[bytes, ...]]]) -> dict[str, Loaded | None]:
    return {key: _unpack(key, header, parts) for key, (header, parts) in gathered.items()}


def _unpack(key: str, header: Header, parts: tuple[bytes, ...]) -> Loaded | None:
    try:
        value = unpack_value(header, parts)
    except ValueError:
        return None
    keys = (key, *(part_key(key, number) for number in range(1, len(parts))))
    return Loaded(value, sum(map(len, parts)), header.raw_bytes, keys)


def _batches(sizes: Mapping[str, int | None]) -> Iterable[list[str]]:
    batch, size = list[str](), 0
    for key, each in sizes.items():
        known = _USUAL_BYTES if each is None else each
        if batch and (size + known > _BATCH_BYTES or len(batch) == _MOST_KEYS):
            yield batch
            batch, size = [], 0
        batch.append(key)
        size += known
    if batch:
        yield batch
