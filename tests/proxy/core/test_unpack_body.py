"""Tests of compressed request bodies: the supported codings, damaged data and the limits."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core import unpack_body
from proxy.core.errors import BodyTooLarge, InvalidRequest, UnsupportedMediaType
from proxy.core.unpack_body import ALWAYS_ALLOWED, MAX_RATIO, BodyUnpacker, find_coding

MOST = 8 * 2**20
TEXT = b'{"model": "gemini", "messages": []}'
INCOMPRESSIBLE = bytes(
    zlib.crc32(bytes([at % 251, at // 251 % 251, at // 63_001])) % 256 for at in range(300_000)
)


def bare(data: bytes) -> bytes:
    """Return a deflate stream without zlib's header, as many clients send it."""
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packing.compress(data) + packing.flush()


PACKED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "zlib": ("deflate", zlib.compress),
    "bare deflate": ("deflate", bare),
}
FORMS = pytest.mark.parametrize(("coding", "pack"), PACKED.values(), ids=PACKED)


def unpack(body: bytes, coding: str, most: int = MOST) -> bytes:
    """Return *body* unpacked."""
    unpacking = BodyUnpacker(body, coding, most)
    assert unpacking.unpack(most + 1)
    return unpacking.body()


@pytest.mark.parametrize(
    ("values", "coding"),
    [
        ([], None),
        ([""], None),
        (["identity"], None),
        ([" Identity , identity"], None),
        (["gzip"], "gzip"),
        (["x-GZIP"], "gzip"),
        (["deflate, identity"], "deflate"),
    ],
)
def test_one_supported_coding_is_found(values: list[str], coding: str | None) -> None:
    """The supported coding is found for any spelling that RFC 9110 allows."""
    assert find_coding(values) == coding


@pytest.mark.parametrize(
    "values", [["br"], ["zstd"], ["gzip, gzip"], ["gzip", "deflate"], ["compress"], ["gzi\x00p"]]
)
def test_unsupported_coding_is_refused(values: list[str]) -> None:
    """An unsupported or repeated coding is refused with a list of the supported codings."""
    with pytest.raises(UnsupportedMediaType) as refused:
        find_coding(values)

    assert "gzip, deflate" in refused.value.message
    assert refused.value.headers == {"Accept-Encoding": "gzip, deflate"}


@FORMS
@pytest.mark.parametrize(
    "data", [b"", TEXT, TEXT * 20_000, INCOMPRESSIBLE], ids=["empty", "small", "long", "random"]
)
def test_packed_data_is_unpacked_unchanged(coding: str, pack: Callable[[bytes], bytes], data: bytes) -> None:
    """Packed data is unpacked unchanged, in one step or many."""
    assert unpack(pack(data), coding) == data


@FORMS
@given(data=st.binary(max_size=2_000), read=st.integers(1, 64), made=st.integers(1, 64))
def test_the_size_of_a_step_does_not_matter(
    coding: str, pack: Callable[[bytes], bytes], data: bytes, read: int, made: int
) -> None:
    """The sizes of a step's input and output do not change the result."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unpack_body, "_STEP_INPUT", read)
        patch.setattr(unpack_body, "_STEP_OUTPUT", made)
        assert unpack(pack(data), coding) == data


@FORMS
@pytest.mark.parametrize("cut", [1, 5, 12])
def test_body_that_is_cut_short_is_refused(coding: str, pack: Callable[[bytes], bytes], cut: int) -> None:
    """A body that is cut short is refused, so that it is not taken for a shorter body."""
    with pytest.raises(InvalidRequest, match="cut short"):
        unpack(pack(INCOMPRESSIBLE)[:-cut], coding)


@FORMS
@pytest.mark.parametrize("size", [10, 200_000])
def test_bytes_after_the_end_are_refused(coding: str, pack: Callable[[bytes], bytes], size: int) -> None:
    """Bytes after the end of the packed data are refused, since another reader may take them for body data."""
    with pytest.raises(InvalidRequest, match="bytes after the end"):
        unpack(pack(TEXT) + bytes(size), coding)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_body_without_data_of_its_coding_is_refused(coding: str) -> None:
    """A body without data of its coding is refused as the client's fault."""
    with pytest.raises(InvalidRequest, match="is no"):
        unpack(b"\xff" * 100, coding)
    with pytest.raises(InvalidRequest, match="cut short"):
        unpack(b"", coding)


@FORMS
def test_more_than_the_limit_is_refused_and_not_unpacked(coding: str, pack: Callable[[bytes], bytes]) -> None:
    """A body that unpacks to more than the limit is refused. No more bytes than the limit are held."""
    unpacking = BodyUnpacker(pack(bytes(8 * 2**20)), coding, 2**20)

    with pytest.raises(BodyTooLarge, match="1 MiB"):
        unpacking.unpack(2**30)
    assert unpacking.size <= 2**20


@FORMS
def test_a_bomb_is_refused_by_its_ratio(coding: str, pack: Callable[[bytes], bytes]) -> None:
    """A body that unpacks to over a hundred times its size is refused, even below the configured limit."""
    body = pack(bytes(16 * 2**20))
    unpacking = BodyUnpacker(body, coding, 2**40)

    with pytest.raises(BodyTooLarge, match="100 times"):
        unpacking.unpack(2**30)
    assert unpacking.size <= max(ALWAYS_ALLOWED, MAX_RATIO * len(body))


@FORMS
def test_small_body_may_have_any_ratio(coding: str, pack: Callable[[bytes], bytes]) -> None:
    """A body may unpack to one mebibyte at any ratio."""
    data = b"the same again, " * (ALWAYS_ALLOWED // 16)
    assert len(pack(data)) * MAX_RATIO < len(data)

    assert unpack(pack(data), coding) == data


def test_one_step_unpacks_a_bounded_number_of_bytes() -> None:
    """One step unpacks at most 256 KiB, however well the body packs."""
    unpacking = BodyUnpacker(gzip.compress(bytes(2**22)), "gzip", 2**40)

    assert not unpacking.unpack(1_000)
    assert unpacking.size <= 256 * 2**10
