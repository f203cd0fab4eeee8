"""Declares a provider's wire: how a call is written, and how its answer is read.

A wire only converts values, and does no I/O. The transport sends the bytes, and keeps the limits in time and size. It
also decodes server-sent events, so a wire reads the payload of each event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from proxy.core.deployment import Deployment
from proxy.core.upstream_call import Answer, Chunk, TextCall, UpstreamCall
from proxy.core.usage_so_far import UsageSoFar

ClientHeaders: TypeAlias = tuple[tuple[str, str], ...]
"""Headers of a client that go to the provider, names in lower case."""

CallT = TypeVar("CallT", contravariant=True)


class StreamReader(Protocol):
    """Reads the events of one stream into chunks of OpenAI's format."""

    ended: bool
    """True once the stream has sent its end mark, such as OpenAI's ``[DONE]``. Later events are not read."""

    def feed(self, payload: bytes) -> list[Chunk]:
        """Return the chunks in the payload of one event.

        Raises :class:`proxy.core.errors.UpstreamFault` for an error in the stream, and for a payload that is no
        chunk.
        """

    def may_end(self, wanted: int) -> bool:
        """Tell whether at least *wanted* choices have a finish reason, and no seen choice lacks one."""

    def is_over(self) -> bool:
        """Tell whether no more events are expected. The transport asks this only after :meth:`may_end` was true."""

    def usage_so_far(self) -> UsageSoFar | None:
        """Return the usage that was reported in events, and that no chunk had yet. None where chunks have it."""

    def close(self) -> list[Chunk]:
        """Return the last chunks, at the end of the stream.

        Raises :class:`proxy.core.errors.UpstreamFault` when the stream ended before its answer was complete.
        """


class WholeWire(Protocol[CallT]):
    """Writes one kind of call for a provider, and reads its whole answers."""

    def url(self, call: CallT, *, stream: bool) -> str:
        """Return the URL that the call is posted to. It holds no key."""

    def headers(self, deployment: Deployment) -> dict[str, str]:
        """Return the request's headers, with the deployment's key and its own headers."""

    @property
    def client_headers(self) -> Callable[[CallT], ClientHeaders] | None:
        """Returns the headers of a call's client that are sent in the place of the wire's own.

        None for a wire that sends none. It must never return credentials.
        """

    def write_request(self, call: CallT, *, stream: bool) -> bytes:
        """Return the request's body.

        Raises :class:`proxy.core.errors.InvalidRequest`, with the field's path in ``param``, for a call that the wire
        cannot write.
        """

    def read_answer(self, body: bytes, call: CallT) -> Answer:
        """Return the answer to *call* from the body of a 200, in OpenAI's format.

        Raises :class:`proxy.core.errors.UpstreamFault` for an error, for a body that is no answer, and for an
        incomplete one.
        """

    def read_error(self, status: int, body: bytes) -> str | None:
        """Return the provider's message from the body of an error, or None if it has none."""


class StreamWire(WholeWire[CallT], Protocol[CallT]):
    """A wire whose answers can also be streams."""

    def read_stream(self, call: CallT) -> StreamReader:
        """Return a reader for the events of one stream, the answer to *call*."""


class Wire(StreamWire[UpstreamCall], Protocol):
    """One provider's wire for chats."""

    @property
    def format(self) -> str | None:
        """The API format of clients that equals the wire's own format, or None if clients cannot use that format.

        For a client of this format, the wire may send an unchanged history as the client's own bytes.
        """

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the wire does not carry to the deployment's model."""


class EmbeddingWire(WholeWire[TextCall], Protocol):
    """One provider's wire for embeddings."""

    @property
    def most_inputs(self) -> int | None:
        """The most inputs of one request, or None if no limit is known."""

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the wire does not carry."""


TextWire: TypeAlias = StreamWire[TextCall]
"""One provider's wire for text completions."""


@dataclass(frozen=True, slots=True)
class ProviderWires:
    """All wires of one provider."""

    chat: Wire

    embeddings: EmbeddingWire | None = None
    """None for a provider without embeddings."""

    texts: TextWire | None = None
    """None for a provider without text completions. Its models are asked for a chat instead."""
