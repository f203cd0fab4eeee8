"""Tests of reading and writing values in batches."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

import pytest
from typing_extensions import override

from proxy.state.sessions.memory_records import MemoryRecords
from proxy.state.sessions.packed_values import part_key
from proxy.state.sessions.record_store import PART_BYTES, Change
from proxy.state.sessions.session_errors import HistoryTooLong
from proxy.state.sessions.values import Allowance, decode, pack_values, read_values, write_values
from tests.support.session_stores import LIMITS, MIB


class CountedRecords(MemoryRecords):
    """Values in memory, with the sizes of all exchanges."""

    def __init__(self) -> None:
        super().__init__(LIMITS)
        self.read: list[list[str]] = []
        self.written: list[list[str]] = []

    @override
    async def get(self, tenant: str, keys: Iterable[str]) -> Mapping[str, bytes]:
        asked = list(keys)
        self.read.append(asked)
        return await super().get(tenant, asked)

    @override
    async def change(self, tenant: str, change: Change) -> bool:
        self.written.append(list(change.values))
        return await super().change(tenant, change)

    def largest(self) -> int:
        """Return the most bytes of one look-up."""
        held = self._accounts["blue"].values
        return max(sum(len(held[key].value) for key in keys if key in held) for keys in self.read)


def noise(size: int, seed: int = 1) -> str:
    """Return a text that hardly compresses to less than *size* bytes."""
    return random.Random(seed).randbytes(size).hex()


async def test_exchanges_are_small_enough_for_a_server() -> None:
    """Parts are written before their value, and no exchange has much more than half a MiB."""
    store = CountedRecords()
    values = {"big": noise(3 * MIB), **{f"small{number}": noise(20_000, number) for number in range(100)}}
    packed = await pack_values(values, 8 * MIB)
    await write_values(store, "blue", {"big": packed["big"]}, Change({"head": b"h"}))
    assert store.written[-1] == ["big", "head"]
    assert all(len(keys) <= 2 for keys in store.written[:-1])
    await write_values(store, "blue", {key: each for key, each in packed.items() if key != "big"}, Change())
    sizes = {key: each.stored_bytes for key, each in packed.items()}
    loaded = await read_values(store, "blue", {**sizes, "missing": None}, Allowance(16 * MIB))

    assert {key: each.value for key, each in loaded.items()} == values
    assert store.largest() <= 3 * PART_BYTES
    assert loaded["big"].keys == (
        "big",
        *(part_key("big", number) for number in range(1, len(loaded["big"].keys))),
    )
    assert loaded["big"].stored_bytes == packed["big"].stored_bytes
    assert loaded["big"].raw_bytes == 6 * MIB + 2


async def test_many_small_values_are_read_in_few_exchanges() -> None:
    """256 keys at most are asked for at once."""
    store = CountedRecords()
    packed = await pack_values({str(number): number for number in range(600)}, 600)
    await write_values(store, "blue", packed, Change())
    loaded = await read_values(store, "blue", dict.fromkeys(packed, 10), Allowance(MIB))

    assert len(loaded) == 600
    assert [len(keys) for keys in store.read] == [256, 256, 88]


async def test_value_that_lacks_a_part_is_missing() -> None:
    """A value is whole, or not there."""
    store = CountedRecords()
    packed = await pack_values({"big": noise(MIB)}, MIB)
    await write_values(store, "blue", packed, Change())
    await store.change("blue", Change(removed=[part_key("big", 2)]))

    assert await read_values(store, "blue", {"big": None}, Allowance(8 * MIB)) == {}


async def test_change_with_another_value_than_expected_writes_no_value() -> None:
    """The parts that were written before are not read by anybody."""
    store = CountedRecords()
    packed = await pack_values({"a": 1}, 1)

    assert not await write_values(store, "blue", packed, Change(expected=("head", b"other")))
    assert await read_values(store, "blue", {"a": None}, Allowance(100)) == {}


async def test_allowance_is_spent_before_anything_is_unpacked() -> None:
    """A value beyond the allowance raises."""
    store = CountedRecords()
    packed = await pack_values({"a": "x" * 100_000, "b": "x" * 100_000}, 200_000)
    await write_values(store, "blue", packed, Change())
    await read_values(store, "blue", {"a": None, "b": None}, Allowance(200_004))
    with pytest.raises(HistoryTooLong):
        await read_values(store, "blue", {"a": None, "b": None}, Allowance(200_003))


async def test_damaged_values_are_counted_and_missing() -> None:
    """Each kind of damage counts once."""
    store = CountedRecords()
    await store.change("blue", Change({"a": b"", "b": b"\x02" * 50, "c": b"\x01\x01\0\0\0\0\0\x05garbage"}))

    assert await read_values(store, "blue", {"a": None, "b": None, "c": None}, Allowance(100)) == {}
    assert store.corrupt == 3


async def test_value_of_another_form_counts_as_corrupt() -> None:
    """A reader that raises a value error gives None. A missing value is not counted."""
    store = CountedRecords()
    packed = await pack_values({"a": "text"}, 1)
    await write_values(store, "blue", packed, Change())
    loaded = (await read_values(store, "blue", {"a": None}, Allowance(100)))["a"]

    assert decode(store, int, loaded) is None
    assert decode(store, int, None) is None
    assert decode(store, str, loaded) == "text"
    assert store.corrupt == 1


class TooMuchError(Exception):
    """The test's refusal of memory."""


async def test_memory_of_values_is_reserved_before_they_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small values take many times their bytes. Where there is no room, nothing is decoded."""
    store = CountedRecords()
    dense: list[list[str]] = [[] for _ in range(50_000)]
    plain = "x" * 100_000
    packed = await pack_values({"dense": dense, "plain": plain}, MIB)
    await write_values(store, "blue", packed, Change())
    asked: list[int] = []
    for key in ("dense", "plain"):
        loaded = await read_values(store, "blue", {key: None}, Allowance(MIB, asked.append))
        assert loaded[key].value in (dense, plain)
    assert asked[0] > 40 * packed["dense"].raw_bytes
    assert asked[1] < 8 * packed["plain"].raw_bytes

    def refuse(_: int) -> None:
        raise TooMuchError

    monkeypatch.setattr("proxy.state.sessions.values.orjson.loads", pytest.fail)
    with pytest.raises(TooMuchError):
        await read_values(store, "blue", {"dense": None}, Allowance(MIB, refuse))
