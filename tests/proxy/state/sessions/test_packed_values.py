"""Tests of the bytes of a stored value."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.sessions.packed_values import pack_value, part_key, read_header, unpack_value
from proxy.state.sessions.record_store import PART_BYTES

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


def unpacked(parts: tuple[bytes, ...]) -> Any:
    """Return the value of *parts*."""
    header = read_header(parts[0])
    assert header is not None
    return unpack_value(header, parts)


@given(value=VALUES)
def test_value_comes_back(value: Any) -> None:
    """Each JSON value comes back as it was."""
    assert unpacked(pack_value(value).parts) == value


@pytest.mark.parametrize("size", [0, 900, 1_100, 100_000, PART_BYTES, 3 * PART_BYTES + 1])
def test_long_values_are_compressed_and_in_parts(size: int) -> None:
    """No part is larger than the store takes. Text that repeats becomes small."""
    noise = random.Random(size).randbytes(size).hex()
    packed = pack_value(noise)

    assert unpacked(packed.parts) == noise
    assert all(len(part) <= PART_BYTES for part in packed.parts)
    assert packed.stored_bytes == sum(map(len, packed.parts))
    assert packed.raw_bytes == 2 * size + 2
    assert pack_value("a" * size).stored_bytes < 2_000 + size // 100


def test_each_damage_is_found() -> None:
    """A value that was cut, prolonged or changed at any place is refused, or reads as JSON of the same length."""
    for text in ("short", "long " * 1_000):
        [part] = pack_value({"text": text}).parts
        for at in range(len(part)):
            damaged = part[:at] + bytes([part[at] ^ 0x55]) + part[at + 1 :]
            header = read_header(damaged)
            if header is not None and at < 8:
                with pytest.raises(ValueError):  # noqa: PT011 - any
                    unpack_value(header, (damaged,))
        for wrong in (part[:-1], part + b"x", part[:8]):
            header = read_header(wrong)
            assert header is not None
            with pytest.raises(ValueError):  # noqa: PT011 - any
                unpack_value(header, (wrong,))


def test_other_bytes_have_no_header() -> None:
    """Bytes of another version or program are not read."""
    assert read_header(b"") is None
    assert read_header(b"\x01\x00\x00") is None
    assert read_header(b"\x02" + bytes(20)) is None
    assert read_header(b'{"version": 1}') is None


def test_missing_parts_are_found() -> None:
    """The first part says how many parts there are."""
    parts = pack_value(random.Random(1).randbytes(PART_BYTES).hex()).parts
    header = read_header(parts[0])
    assert header is not None
    assert header.further_parts == len(parts) - 1 >= 1
    for some in (parts[:-1], (*parts, b""), (parts[0], parts[0], *parts[2:])):
        with pytest.raises(ValueError):  # noqa: PT011 - any
            unpack_value(header, some)


def test_no_more_than_said_is_unpacked() -> None:
    """A value that unpacks to more than its header says is refused."""
    [part] = pack_value("a" * 100_000).parts
    header = read_header(part)
    assert header is not None
    with pytest.raises(ValueError):  # noqa: PT011 - any
        unpack_value(header._replace(raw_bytes=50), (part,))


def test_values_that_json_lacks_are_refused() -> None:
    """Such a value is never stored in part."""
    for value in (object(), {"a": {1, 2}}, b"bytes"):
        with pytest.raises(ValueError):  # noqa: PT011 - any
            pack_value(value)


def test_deep_values_and_long_numbers_are_stored() -> None:
    """Nesting that a body may have is written, and so are numbers beyond 64 bits."""
    deep: Any = []
    for _ in range(260):
        deep = [deep]
    assert unpacked(pack_value(deep).parts) == deep
    assert unpacked(pack_value(2**70).parts) == pytest.approx(2**70)


def test_keys_of_parts_differ() -> None:
    """The key of a part cannot be that of another value, since ids have no slash in front of a number alone."""
    assert part_key("t:resp_1", 2) == "t:resp_1/2"
