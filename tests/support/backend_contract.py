"""The tests that every backend of the store has to pass (:class:`proxy.state.external.backend.Backend`).

A test file makes a subclass whose name begins with ``Test``, with an async fixture ``backend`` that yields an opened
and empty backend::

    class TestValkey(BackendContract):
        @pytest.fixture
        async def backend(self) -> AsyncIterator[Backend]: ...
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from proxy.state.external.backend import Backend, Entry

LARGEST = 64 * 2**10
"""The most bytes of a value that the store writes, without its few bytes of version and digest."""

LONG_S = 60.0
SHORT_S = 0.2
PAUSE_S = 0.3
"""Seconds after which an entry of :data:`SHORT_S` has expired."""

AT_ONCE = 6
"""The calls that the store makes at a time."""

BINARY = {
    "empty": b"",
    "every byte": bytes(range(256)),
    "zeros": b"\0" * 10,
    "line ends": b"\r\n$5\r\n",
    "no UTF-8": b"\xff\xfe\xc3\x28",
    "looks like a number": b"007",
    "looks like an error": b"-ERR no",
    "largest": bytes(range(256)) * (LARGEST // 256),
}


def name_of(number: int) -> str:
    """Return a name of the form that the store gives."""
    return f"contract:1:{{{number:032x}}}:signatures"


def entries_of(values: Sequence[bytes], lifetime_s: float = LONG_S) -> list[Entry]:
    """Return one entry for each of *values*, with the names of the positions."""
    return [Entry(name_of(number), value, lifetime_s) for number, value in enumerate(values)]


class BackendContract:
    """The tests. A subclass has the fixture ``backend``."""

    async def test_answers_a_ping(self, backend: Backend) -> None:
        await backend.ping()

    async def test_opening_again_keeps_the_values(self, backend: Backend) -> None:
        await backend.put(entries_of([b"kept"]))
        await backend.open()

        assert await backend.get([name_of(0)]) == {name_of(0): b"kept"}

    async def test_missing_name_is_not_in_the_result(self, backend: Backend) -> None:
        await backend.put(entries_of([b"there"]))

        assert await backend.get([name_of(7), name_of(0), name_of(8)]) == {name_of(0): b"there"}

    async def test_empty_lists_do_nothing(self, backend: Backend) -> None:
        assert await backend.get([]) == {}
        assert list(await backend.put([])) == []
        await backend.delete([])

    @pytest.mark.parametrize("value", [pytest.param(value, id=name) for name, value in BINARY.items()])
    async def test_value_comes_back_byte_by_byte(self, backend: Backend, value: bytes) -> None:
        assert list(await backend.put(entries_of([value]))) == []
        found = await backend.get([name_of(0)])

        assert found == {name_of(0): value}
        assert type(found[name_of(0)]) is bytes

    async def test_later_value_replaces_the_earlier(self, backend: Backend) -> None:
        await backend.put(entries_of([b"old"]))
        await backend.put(entries_of([b"new"]))

        assert await backend.get([name_of(0)]) == {name_of(0): b"new"}

    async def test_last_of_equal_names_in_one_call_stands(self, backend: Backend) -> None:
        await backend.put([Entry(name_of(0), value, LONG_S) for value in (b"1", b"2", b"3")])

        assert await backend.get([name_of(0), name_of(0)]) == {name_of(0): b"3"}

    async def test_500_entries_at_once(self, backend: Backend) -> None:
        entries = entries_of([b"%d" % number * 100 for number in range(500)])

        assert list(await backend.put(entries)) == []
        assert await backend.get([name_of(number) for number in range(501)]) == {
            entry.name: entry.value for entry in entries
        }
        await backend.delete([entry.name for entry in entries])
        assert await backend.get([entry.name for entry in entries]) == {}

    async def test_many_large_values_at_once(self, backend: Backend) -> None:
        entries = entries_of([bytes([number]) * LARGEST for number in range(32)])

        assert list(await backend.put(entries)) == []
        assert await backend.get([entry.name for entry in entries]) == {
            entry.name: entry.value for entry in entries
        }

    async def test_value_expires(self, backend: Backend) -> None:
        short, long = entries_of([b"short"], SHORT_S)[0], Entry(name_of(1), b"long", LONG_S)
        await backend.put([short, long])
        await asyncio.sleep(PAUSE_S)

        assert await backend.get([short.name, long.name]) == {long.name: b"long"}

    async def test_second_write_sets_the_lifetime_anew(self, backend: Backend) -> None:
        await backend.put(entries_of([b"first"], SHORT_S))
        await backend.put(entries_of([b"second"], LONG_S))
        await asyncio.sleep(PAUSE_S)

        assert await backend.get([name_of(0)]) == {name_of(0): b"second"}

    async def test_fraction_of_a_millisecond_is_a_lifetime(self, backend: Backend) -> None:
        """A backend that counts in milliseconds does not refuse what is left of a lifetime."""
        assert list(await backend.put(entries_of([b"late"], 0.0001))) == []
        assert await backend.swap(name_of(1), None, b"late", 0.0001) == b"late"

    async def test_deleted_values_are_missing(self, backend: Backend) -> None:
        await backend.put(entries_of([b"a", b"b"]))
        await backend.delete([name_of(0), name_of(9)])

        assert await backend.get([name_of(0), name_of(1)]) == {name_of(1): b"b"}

    async def test_swap_writes_where_nothing_stands(self, backend: Backend) -> None:
        assert await backend.swap(name_of(0), None, b"first", LONG_S) == b"first"
        assert await backend.get([name_of(0)]) == {name_of(0): b"first"}

    async def test_swap_for_nothing_keeps_the_value_that_stands(self, backend: Backend) -> None:
        await backend.put(entries_of([b"stands"]))

        assert await backend.swap(name_of(0), None, b"later", LONG_S) == b"stands"
        assert await backend.get([name_of(0)]) == {name_of(0): b"stands"}

    @pytest.mark.parametrize("old", [b"old", b"", bytes(range(256))], ids=["text", "empty", "binary"])
    async def test_swap_replaces_the_expected_value(self, backend: Backend, old: bytes) -> None:
        await backend.put(entries_of([old]))

        assert await backend.swap(name_of(0), old, b"new\0\xff", LONG_S) == b"new\0\xff"
        assert await backend.get([name_of(0)]) == {name_of(0): b"new\0\xff"}

    async def test_swap_keeps_an_unexpected_value(self, backend: Backend) -> None:
        await backend.put(entries_of([b"another"]))

        assert await backend.swap(name_of(0), b"old", b"new", LONG_S) == b"another"
        assert await backend.swap(name_of(0), b"old", None, LONG_S) == b"another"
        assert await backend.get([name_of(0)]) == {name_of(0): b"another"}

    async def test_swap_of_a_missing_value_writes_nothing(self, backend: Backend) -> None:
        assert await backend.swap(name_of(0), b"old", b"new", LONG_S) is None
        assert await backend.swap(name_of(0), b"", b"new", LONG_S) is None
        assert await backend.swap(name_of(0), b"old", None, LONG_S) is None
        assert await backend.swap(name_of(0), None, None, LONG_S) is None
        assert await backend.get([name_of(0)]) == {}

    async def test_swap_for_nothing_deletes_the_expected_value(self, backend: Backend) -> None:
        await backend.put(entries_of([b"old"]))

        assert await backend.swap(name_of(0), b"old", None, LONG_S) is None
        assert await backend.get([name_of(0)]) == {}

    async def test_swapped_value_expires(self, backend: Backend) -> None:
        await backend.put(entries_of([b"old"], LONG_S))
        await backend.swap(name_of(0), b"old", b"new", SHORT_S)
        await backend.swap(name_of(1), None, b"first", SHORT_S)
        await asyncio.sleep(PAUSE_S)

        assert await backend.get([name_of(0), name_of(1)]) == {}
        assert await backend.swap(name_of(0), None, b"free again", LONG_S) == b"free again"

    @pytest.mark.parametrize("old", [None, b"old"], ids=["absent", "present"])
    async def test_one_of_50_concurrent_swaps_wins(self, backend: Backend, old: bytes | None) -> None:
        if old is not None:
            await backend.put(entries_of([old]))
        places = asyncio.Semaphore(AT_ONCE)

        async def swap(mine: bytes) -> bool:
            async with places:
                return await backend.swap(name_of(0), old, mine, LONG_S) == mine

        wanted = [b"%d" % number for number in range(50)]
        won = await asyncio.gather(*map(swap, wanted))

        assert won.count(True) == 1
        assert await backend.get([name_of(0)]) == {name_of(0): wanted[won.index(True)]}
