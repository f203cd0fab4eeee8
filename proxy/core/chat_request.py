"""One chat request, as every room from the client's format to the provider's wire reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.known_tools import KnownTools
from proxy.core.source import Source
from sanitizers import Change, Messages
from sanitizers.outline import Outline
from sanitizers.record import record


@record
class ChatRequest:
    """One chat request as the client meant it.

    *parameters* holds the known parameters that were set (null counts as not set) in the client's order,
    without ``model``, ``messages`` and the stream switches; *unknown* everything else, which goes upstream only
    where the deployment allows it by name.
    """

    model: str
    messages: Messages
    stream: bool
    include_usage: bool
    parameters: Mapping[str, Any]
    unknown: Mapping[str, Any]
    weight: int
    """What work on what was read costs, as the bytes of a usual body: many small messages, calls and parts cost what
    fewer long ones do. A note or two that are added do not matter."""

    outline: Outline | None = None
    """Of the history as it was read, which *messages* need not be any more."""

    known_tools: KnownTools | None = None
    """What is known of the tools that were read, which *parameters* need not have any more."""

    source: Source | None = None
    """The body that it was read from; None for a request that no client sent."""

    mended: tuple[Change, ...] = ()
    """What was changed so that it could be read."""

    @property
    def is_unchanged(self) -> bool:
        """Whether the history is that of :attr:`source`."""
        return self.source is not None and self.source.messages is self.messages

    @property
    def known_outline(self) -> Outline | None:
        """The outline, where it is the one of *messages*."""
        outline = self.outline
        return outline if outline is not None and outline.messages is self.messages else None

    @property
    def body_bytes(self) -> int:
        """The length of the body that it was read from, in bytes; 0 without one."""
        return 0 if self.source is None else len(self.source.body)
