"""One chat request, as all rooms read it, and the list of tools that it shares with other requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proxy.core.source import Source
from sanitizers import Change, Messages
from sanitizers.outline import Outline
from sanitizers.record import record

LARGEST_KNOWN = 128 * 1024
"""Most bytes of a list of tools that is cached."""

MAX_KNOWN = 32
"""Number of lists in the cache, the most recently used ones.

With everything parsed from them they take about 1 MB, and 30 MB if they are made to be large.
"""


@dataclass(frozen=True, slots=True, eq=False)
class KnownTools:
    """A list of tools as one object that all requests with these tools share. Nothing in it may be changed."""

    tools: list[Any]
    depth: int
    """Nested containers at the deepest point, the list included."""

    are_checked: bool
    """True if the types of all tools were checked and are right. False if a fault is still to be reported."""

    size: int
    """Bytes of the tools when they are serialized again."""

    names: tuple[str, ...] = ()
    """The declared names, if the tools are checked."""


@record
class ChatRequest:
    """One chat request as the client meant it.

    *parameters* holds the known parameters in the client's order. A parameter of null counts as not set. ``model``,
    ``messages`` and the stream switches are not among them. *unknown* holds everything else. Such a field goes upstream
    only where the deployment allows it by name.
    """

    model: str
    messages: Messages
    stream: bool
    include_usage: bool
    parameters: Mapping[str, Any]
    unknown: Mapping[str, Any]
    weight: int
    """The cost of work on the request, as the bytes of a usual body. Many small messages, calls and parts count as much
    as fewer long ones. Notes that are added later are not counted."""

    outline: Outline | None = None
    """The outline of the history as it was read. A later step may have replaced *messages*."""

    known_tools: KnownTools | None = None
    """The facts of the tools as they were read. A later step may have replaced the tools in *parameters*."""

    source: Source | None = None
    """The body of the request, or None for a request that no client sent."""

    mended: tuple[Change, ...] = ()
    """The changes that made the body readable."""

    @property
    def known_outline(self) -> Outline | None:
        """The outline, where it is the one of *messages*."""
        outline = self.outline
        return outline if outline is not None and outline.messages is self.messages else None

    @property
    def body_bytes(self) -> int:
        """The length of the body that it was read from, in bytes; 0 without one."""
        return 0 if self.source is None else len(self.source.body)
