"""A chat request in the form that the whole proxy uses, with what it needs of its provider, and the tools it shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.core.source import Source
from sanitizers import Change, Messages
from sanitizers.outline import Outline
from sanitizers.record import record

LARGEST_KNOWN = 128 * 1024
"""The largest list of tools that is cached, in bytes."""

MAX_KNOWN = 32
"""The most lists in the cache. The least recently used list is dropped first.

With the values parsed from them, the lists take about 1 MB, or 30 MB if clients make them large.
"""


@dataclass(frozen=True, slots=True, eq=False)
class KnownTools:
    """A list of tools as one object that all requests with these tools share. Nothing in it may be changed."""

    tools: list[Any]
    depth: int
    """The number of nested containers at the deepest point, the list included."""

    are_checked: bool
    """True if the types of all tools were checked and are right.

    False if a tool has a fault that is not yet reported.
    """

    size: int
    """Bytes of the tools when they are serialized again."""

    names: tuple[str, ...] = ()
    """The declared names, if the tools are checked."""


@record
class ProviderNeed:
    """One place of a request that only the provider of the client's own format can serve.

    *error*, *message* and *param* are those of the refusal where no deployment can serve it.
    """

    message: str
    param: str
    error: type[InvalidRequest] = InvalidRequest
    names_object: bool = False
    """True for the id of an object in the provider's account."""

    holds_history: bool = False
    """True where the provider holds a part of the conversation, so that the request has only the rest of it."""

    wants_state: bool = False
    """True where only a deployment with ``provider_state`` can know that part."""

    can_be_left_out: bool = False
    """True for what is left out and reported where the provider is asked in another format."""

    hides_content: bool = False
    """True where only the provider can read a part of what the model gets, so that its tokens cannot be counted."""

    served_elsewhere: str = ""
    """The name of a tool that another provider runs for the same purpose, such as ``web_search``, or nothing."""


@record
class ChatRequest:
    """One chat request as the client meant it.

    *parameters* holds the known parameters in the client's order. A parameter of null counts as not set. ``model``,
    ``messages`` and the stream switches are not in *parameters*. *unknown* holds the parameters that the proxy does not
    know. An unknown parameter goes to the provider only where the deployment allows it by name.
    """

    model: str
    messages: Messages
    stream: bool
    include_usage: bool
    parameters: Mapping[str, Any]
    unknown: Mapping[str, Any]
    weight: int
    """The cost of work on the request, as the length in bytes of a usual body that costs the same.

    Many small messages, calls and parts may count more than their bytes. Notes that the proxy adds later are not
    counted.
    """

    outline: Outline | None = None
    """The outline of the history as it was read. A later step may have replaced *messages*."""

    known_tools: KnownTools | None = None
    """The facts of the tools as they were read. A later step may have replaced the tools in *parameters*."""

    source: Source | None = None
    """The body of the request, or None for a request that no client sent."""

    mended: tuple[Change, ...] = ()
    """The changes that the proxy made to the body, which was not readable without them."""

    pinned: Messages = ()
    """Objects in *messages* that no cut may drop or shorten. No client can pin a message."""

    allows_cuts: bool = False
    """True where the client wants a history that is too long to be cut, also where the operator's budget never cuts."""

    needs: tuple[ProviderNeed, ...] = ()
    """The parts of the request that only a provider of the client's own format can serve."""

    @property
    def known_outline(self) -> Outline | None:
        """The outline, or None where it does not belong to *messages*."""
        outline = self.outline
        return outline if outline is not None and outline.messages is self.messages else None

    @property
    def body_bytes(self) -> int:
        """The length of the request's body in bytes. 0 for a request without a body."""
        return 0 if self.source is None else len(self.source.body)
