"""The bytes of the images that are fetched for one request, bounded while they arrive. Pure."""

from __future__ import annotations

_HEAD = 64
"""Bytes of an image that tell its type."""


class ImageRoom:
    """Room for *max_bytes* of *count* images in all.

    When the room is full, the last image gives way to those before it, with every image behind it. So an address that
    stands earlier is never lost to a later one, whichever came first.
    """

    def __init__(self, count: int, max_bytes: int) -> None:
        self.images = [IncomingImage(self) for _ in range(count)]
        self._max_bytes = max_bytes
        self._fitting = count
        self.size = 0
        """Bytes that are held now."""

    def make_fit(self) -> None:
        """Drop images from the last one on, until the rest fits."""
        while self.size > self._max_bytes:
            self._fitting -= 1
            image = self.images[self._fitting]
            image.is_over = True
            image.drop()


class IncomingImage:
    """One image, as far as it has arrived."""

    __slots__ = ("_pieces", "_room", "is_over", "size")

    def __init__(self, room: ImageRoom) -> None:
        self._room = room
        self._pieces: list[bytes] = []
        self.size = 0
        self.is_over = False
        """Whether there was no room for it."""

    def add(self, piece: bytes) -> None:
        """Take in the next bytes; :attr:`is_over` tells whether there was room for them."""
        if not self.is_over:
            self._pieces.append(piece)
            self.size += len(piece)
            self._room.size += len(piece)
            self._room.make_fit()

    def drop(self) -> None:
        """Hold nothing of it any more."""
        self._room.size -= self.size
        self._pieces, self.size = [], 0

    @property
    def head(self) -> bytes:
        """The first bytes, which tell its type."""
        head = b""
        for piece in self._pieces:
            head += piece[:_HEAD]
            if len(head) >= _HEAD:
                break
        return head[:_HEAD]

    def read(self) -> bytes:
        """Return all that has arrived."""
        return b"".join(self._pieces)
