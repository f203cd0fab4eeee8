"""The bytes of the images that are fetched for one request, limited while they arrive."""

from __future__ import annotations

_HEAD = 64
"""Bytes at the start of an image that tell its type."""


class ImageRoom:
    """Room for *max_bytes*, shared by *count* images.

    When the images exceed the limit, the last image that is still kept is dropped. So an image is never dropped for a
    later image, whichever arrives first.
    """

    def __init__(self, count: int, max_bytes: int) -> None:
        self.images = [IncomingImage(self) for _ in range(count)]
        self._max_bytes = max_bytes
        self._fitting = count
        self.size = 0
        """Bytes that are held now."""

    def make_fit(self) -> None:
        """Drop images, beginning with the last one, until the others fit."""
        while self.size > self._max_bytes:
            self._fitting -= 1
            image = self.images[self._fitting]
            image.is_dropped = True
            image.drop()


class IncomingImage:
    """One image, with the bytes that have arrived so far."""

    __slots__ = ("_pieces", "_room", "is_dropped", "size")

    def __init__(self, room: ImageRoom) -> None:
        self._room = room
        self._pieces: list[bytes] = []
        self.size = 0
        self.is_dropped = False
        """True when the image was dropped for lack of room."""

    def add(self, piece: bytes) -> None:
        """Add the next bytes. :attr:`is_dropped` is true afterwards if there was no room."""
        if not self.is_dropped:
            self._pieces.append(piece)
            self.size += len(piece)
            self._room.size += len(piece)
            self._room.make_fit()

    def drop(self) -> None:
        """Drop the bytes of this image."""
        self._room.size -= self.size
        self._pieces, self.size = [], 0

    @property
    def head(self) -> bytes:
        """The first bytes, which tell the image's type."""
        head = b""
        for piece in self._pieces:
            head += piece[:_HEAD]
            if len(head) >= _HEAD:
                break
        return head[:_HEAD]

    def read(self) -> bytes:
        """Return all bytes that have arrived."""
        return b"".join(self._pieces)
