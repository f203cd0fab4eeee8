"""The protocol of a client's format. Forwarding writes answers through this protocol, without knowing the format.

A provider may speak the client's own format. Its answers then come with their source, the native event
(:class:`proxy.core.source.AnswerSource`). :mod:`proxy.forwarding.write_events` chooses between the native event and the
canonical chunk, which has the internal form.

:mod:`proxy.ingress` implements the formats, and :mod:`proxy.ingress.formats` lists them. Answers and chunks come here
in the internal form, OpenAI's chat completion as a dict. Each already has its id.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from proxy.core.errors import ProxyError
from proxy.core.upstream_call import Answer, Chunk

Request_co = TypeVar("Request_co", covariant=True)


class StreamWriter(Protocol):
    """Writes the events of one streamed answer. A writer may keep state, since chunks come in order.

    Native events and canonical chunks may alternate within one stream.
    """

    @property
    def format(self) -> str:
        """The name of the format, whose native events the writer accepts."""

    def write_chunk(self, chunk: Chunk, /) -> bytes:
        """Return the events of *chunk*.

        The result is empty where the format has no event for the chunk. The result is also empty for the last chunk,
        which has the usage, if a native event already held that usage.
        """

    def write_encoded(self, chunk: bytes, /) -> bytes:
        """Return the events of *chunk*, the JSON of a canonical chunk that was held back."""

    def write_native(self, event: Any, chunk: Chunk, /) -> bytes:
        """Return the events of a native *event*, which is decoded JSON and must not be changed.

        *chunk* is the canonical chunk of the same event. The model's name, the ids and the tool names are taken from
        it. Only the first chunk of a tool call has the call's id and name, so the writer remembers both. An event
        without a canonical counterpart comes with a chunk without choices. The result is empty where the event no
        longer fits the events sent before, because one of them was repaired.
        """

    def write_end(self) -> bytes:
        """Return the events that end a complete answer."""

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the events that end a stream with *error*. A client must not take them for a complete answer."""


class ClientFormat(Protocol[Request_co]):
    """Reads the requests of one client format and writes their answers."""

    @property
    def name(self) -> str:
        """The name of the format.

        A :class:`proxy.core.source.Source` carries this name. A wire, the code for one provider's API, compares the
        name with its own format.
        """

    @property
    def id_prefix(self) -> str:
        """The prefix of the ids that the proxy gives to answers whose provider gave no id."""

    @property
    def stream_content_type(self) -> str:
        """The ``Content-Type`` of a streamed answer, with its charset."""

    @property
    def keep_alive(self) -> bytes:
        """The bytes sent in a silent stream. No client takes them for a part of an answer."""

    def read_request(self, body: bytes, /, *, max_nesting: int, mends: bool, weight: int) -> Request_co:
        """Return the request in *body*, which costs *weight* to parse (:func:`proxy.core.offload.parse_weight`).

        *mends* allows messages to be changed where they cannot be read otherwise. Raises
        :class:`proxy.core.errors.InvalidRequest` for a faulty body, and for nesting deeper than *max_nesting*.
        """

    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON body of a whole answer."""

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Return the JSON body of a whole answer that came as *native*, which is decoded JSON.

        *answer* is its canonical form. The model's name, the ids and the tool names are taken from it.
        """

    def write_stream(self) -> StreamWriter:
        """Return the writer of one streamed answer.

        Called once for each attempt, so a writer that keeps state must be new.
        """

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the JSON body of the response for *error*."""
