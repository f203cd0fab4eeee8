"""The usage that a provider has reported of an answer that is not complete yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias


class UsageSoFar(NamedTuple):
    """A report of usage in a stream that still goes on, in the fields of chat completions."""

    usage: Mapping[str, Any]
    covers_text: bool
    """True where the report counts all text of the answer so far. Anthropic's first event counts the prompt alone."""


ReadUsage: TypeAlias = Callable[[], UsageSoFar | None]
"""Returns the newest report, or None without any."""


def nothing_reported() -> None:
    """Return None: the provider has reported nothing."""


class UsageReports:
    """The reports of one call. A transport sets :attr:`read` when the stream of its answer begins.

    Only an answer that breaks off is asked for them, so a chunk costs nothing.
    """

    __slots__ = ("parts", "read")

    def __init__(self) -> None:
        self.read: ReadUsage = nothing_reported
        self.parts: list[Mapping[str, Any] | None] = []
        """The usage of each part of a request that is sent in several calls. None for a part without a report."""
