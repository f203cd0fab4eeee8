"""Keeps the text of a streamed answer, so that its tokens can be estimated where the stream breaks off."""

from __future__ import annotations

from collections.abc import Callable

FOLD_EVERY = 256
"""Chunks of a stream after which the kept pieces are joined. A piece of a few letters takes some 60 bytes."""

_MOST = 64 * 2**10
"""Characters that are kept. The rest of a longer text counts at the tokens per character of the kept text."""


class ReceivedText:
    """The text that a provider has sent: answer, reasoning, and arguments of calls."""

    __slots__ = ("_joined", "_kept", "_left_out", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        """The newest pieces. A reader of a stream appends each piece as it comes."""

        self._joined: list[str] = []
        self._kept = 0
        self._left_out = 0

    def fold(self) -> None:
        """Join the newest pieces, or only count their characters once enough text is kept."""
        text = "".join(self.pieces)
        self.pieces.clear()
        if self._kept < _MOST:
            self._joined.append(text)
            self._kept += len(text)
        else:
            self._left_out += len(text)

    def forget(self) -> None:
        """Forget all text, since a report of the provider covers it."""
        self.pieces.clear()
        self._joined.clear()
        self._kept = self._left_out = 0

    @property
    def is_empty(self) -> bool:
        """True where no text came."""
        return not self._kept and not any(self.pieces)

    @property
    def weight(self) -> int:
        """The cost of :meth:`tokens`, as a number of bytes of a usual body."""
        return self._kept + sum(map(len, self.pieces))

    def tokens(self, count: Callable[[str], float]) -> float:
        """Return the tokens of all text. *count* returns those of one text."""
        self.fold()
        counted = count("".join(self._joined))
        return counted * (1 + self._left_out / self._kept) if self._left_out else counted
