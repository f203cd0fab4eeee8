"""Reads and writes the values of sessions: in batches that a store can take, and off the event loop where long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import orjson

from proxy.core.json_size import estimate_decoded
from proxy.core.offload import run_offloaded
from proxy.state.sessions.packed_values import Header, Packed, join_parts, pack_value, part_key, read_header
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


Admit: TypeAlias = Callable[[int], None]
"""Reserves bytes of memory for values before they are decoded, or raises an error."""

_COPIES = 4
"""The memory of a value besides its decoded form, in multiples of its JSON, as for a request's body."""


class Allowance:
    """The bytes of JSON that one request may still read. Small values may unpack to large ones.

    *admit* reserves the memory of the decoded values. JSON of empty lists takes 58 times its bytes.
    """

    def __init__(self, max_bytes: int, admit: Admit | None = None) -> None:
        self._max_bytes = max_bytes
        self._left = max_bytes
        self.admit = admit

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
        if allowance.admit is None:
            unpacked = await run_offloaded(raw_bytes * _WEIGHT, partial(_unpack_all, gathered))
        else:
            joined = await run_offloaded(raw_bytes * _WEIGHT, partial(_join_all, gathered))
            allowance.admit(joined.memory_bytes)
            unpacked = await run_offloaded(raw_bytes * _WEIGHT, partial(_decode_all, joined.values, gathered))
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


_Gathered: TypeAlias = Mapping[str, tuple[Header, tuple[bytes, ...]]]


class _Joined(NamedTuple):
    """The JSON of values, None for a damaged one, and the memory that they take once they are decoded."""

    values: dict[str, bytes | None]
    memory_bytes: int


def _unpack_all(gathered: _Gathered) -> dict[str, Loaded | None]:
    return _decode_all(_join(gathered), gathered)


def _join_all(gathered: _Gathered) -> _Joined:
    values = _join(gathered)
    bodies = [body for body in values.values() if body is not None]
    return _Joined(values, sum(_COPIES * len(body) + estimate_decoded(body) for body in bodies))


def _join(gathered: _Gathered) -> dict[str, bytes | None]:
    joined = dict[str, bytes | None]()
    for key, (header, parts) in gathered.items():
        try:
            joined[key] = join_parts(header, parts)
        except ValueError:
            joined[key] = None
    return joined


def _decode_all(joined: Mapping[str, bytes | None], gathered: _Gathered) -> dict[str, Loaded | None]:
    return {
        key: None if (body := joined[key]) is None else _decode(key, header, parts, body)
        for key, (header, parts) in gathered.items()
    }


def _decode(key: str, header: Header, parts: tuple[bytes, ...], body: bytes) -> Loaded | None:
    try:
        value = orjson.loads(body)
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
