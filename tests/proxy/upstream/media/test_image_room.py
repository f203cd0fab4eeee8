"""Tests of ``ImageRoom``, which holds the bytes of one request's images while they arrive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.upstream.media.image_room import ImageRoom


@given(st.lists(st.tuples(st.integers(0, 5), st.binary(max_size=40))), st.integers(0, 100))
def test_bytes_of_all_images_stay_within_the_limit(pieces: list[tuple[int, bytes]], max_bytes: int) -> None:
    """Only the last images of the request are dropped, and the images before them are complete."""
    room = ImageRoom(6, max_bytes)
    for at, piece in pieces:
        room.images[at].add(piece)

        assert room.size == sum(len(image.read()) for image in room.images) <= max_bytes
        assert sorted(image.is_dropped for image in room.images) == [
            image.is_dropped for image in room.images
        ]

    for at, image in enumerate(room.images):
        whole = b"".join(piece for of, piece in pieces if of == at)
        assert (image.read(), image.head) == ((b"", b"") if image.is_dropped else (whole, whole[:64]))


@pytest.mark.parametrize(
    ("pieces", "over"),
    [
        ([(0, 6), (1, 5)], [1, 2]),
        ([(1, 6), (0, 5)], [1, 2]),  # that it came first does not help it
        ([(2, 6), (0, 5)], [2]),
        ([(0, 11)], [0, 1, 2]),
        ([(0, 5), (1, 5)], []),
    ],
)
def test_last_images_are_dropped_when_the_room_is_full(
    pieces: list[tuple[int, int]], over: list[int]
) -> None:
    """The images' order in the request decides which images are dropped, and not the order of arrival."""
    room = ImageRoom(3, 10)
    for at, size in pieces:
        room.images[at].add(bytes(size))

    assert [at for at, image in enumerate(room.images) if image.is_dropped] == over


def test_what_is_dropped_makes_room() -> None:
    """A dropped image holds no bytes, so other images can use its part of the limit."""
    room = ImageRoom(2, 10)
    room.images[0].add(bytes(8))
    room.images[0].drop()
    room.images[1].add(bytes(10))

    assert [image.size for image in room.images] == [0, 10]
    assert not room.images[1].is_dropped
