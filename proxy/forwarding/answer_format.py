"""The protocol of a client's format: forwarding writes answers in it, and never knows which format it is.

A provider may speak the client's own format. Its answers then come with their source, the native event
(:class:`proxy.core.source.AnswerSource`), and :mod:`proxy.forwarding.write_events` decides which of the two is written.

The formats lie in :mod:`proxy.ingress`, and :mod:`proxy.ingress.formats` lists them. Answers and chunks come here in
the one internal form, OpenAI's chat completion as a dict. The id of an answer is already in it.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from proxy.core.errors import ProxyError
from proxy.core.upstream_call import Answer, Chunk

Request_co = TypeVar("Request_co", covariant=True)


class StreamWriter(Protocol):
    """Writes the events of one streamed answer. It may have a state: chunks come in the order they are sent in.

    Native events and canonical chunks may alternate within one stream.
    """

    @property
    def format(self) -> str:
        """The name of the format, whose native events it writes."""

    def write_chunk(self, chunk: Chunk, /) -> bytes:
        """Return the events of *chunk*; empty where the format has none for it, or a native event told it already.

        The latter concerns the chunk of the usage, which comes last.
        """

    def write_encoded(self, chunk: bytes, /) -> bytes:
        """Return the events of a chunk that was held back as JSON."""

    def write_native(self, event: Any, chunk: Chunk, /) -> bytes:
        """Return the events of a native *event*, which is a value of decoded JSON and must not be changed.

        The model's name, the ids, and the names of tools are those of *chunk*, the canonical chunk that the event was
        projected to. Only the first piece of a call has an id and a name, so the writer remembers them. A chunk without
        choices comes with an event that projects to nothing. Empty where the event no longer fits, because what it
        follows was repaired.
        """

    def write_end(self) -> bytes:
        """Return the events that end a complete answer."""

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the events that end a stream with *error*. A client must not take them for a complete answer."""


class ClientFormat(Protocol[Request_co]):
    """Reads the requests of one client format and writes their answers."""

    @property
    def name(self) -> str:
        """The format's name. A :class:`proxy.core.source.Source` has it, and wires are asked for theirs by it."""

    @property
    def id_prefix(self) -> str:
        """The beginning of the ids that answers get where the provider gave none."""

    @property
    def stream_content_type(self) -> str:
        """The ``Content-Type`` of a streamed answer, with its charset."""

    @property
    def keep_alive(self) -> bytes:
        """What is sent in a silent stream; no client takes it for a part of an answer."""

    def read_request(self, body: bytes, /, *, max_nesting: int, mends: bool, weight: int) -> Request_co:
        """Return the request in *body*, which costs *weight* to parse (:func:`proxy.core.offload.parse_weight`).

        *mends* says that messages may be changed where they cannot be read otherwise. Raises
        :class:`proxy.core.errors.InvalidRequest` for what is wrong, and for nesting deeper than *max_nesting*.
        """

    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON body of a whole answer."""

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Return the JSON body of a whole answer that came as *native*, a value of decoded JSON.

        The model's name, the ids, and the names of tools are those of *answer*, its canonical form.
        """

    def write_stream(self) -> StreamWriter:
        """Return the writer of one streamed answer; another attempt in its place gets another writer."""

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the JSON body that tells the client of *error*."""
