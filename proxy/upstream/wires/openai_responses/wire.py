"""The wire of the Responses API. Its key, its headers and its errors are those of the provider's chats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from proxy.core.deployment import Deployment
from proxy.core.source import OPENAI_RESPONSES, ResponsesRequest
from proxy.core.upstream_call import Answer, UpstreamCall
from proxy.upstream.wires.native_events import attach_body, takes_native
from proxy.upstream.wires.openai_responses.addresses import responses_url
from proxy.upstream.wires.openai_responses.answers import read_response
from proxy.upstream.wires.openai_responses.from_chat import build_request_of_chat
from proxy.upstream.wires.openai_responses.output import CallNames
from proxy.upstream.wires.openai_responses.requests import build_request
from proxy.upstream.wires.openai_responses.streams import StreamReader
from proxy.upstream.wires.payloads import load_payload
from proxy.upstream.wires.protocol import Wire
from sanitizers.merging import SEPARATOR


class ResponsesWire:
    """Implements :class:`proxy.upstream.wires.protocol.Wire` beside *chats*, the provider's wire for chats."""

    format = OPENAI_RESPONSES
    client_headers = None

    def __init__(self, chats: Wire) -> None:
        self._chats = chats

    def url(self, call: UpstreamCall, *, stream: bool) -> str:
        """Return the URL of responses, beside that of chats."""
        return responses_url(self._chats.url(call, stream=stream))

    def headers(self, deployment: Deployment) -> dict[str, str]:
        """Return the headers of a chat."""
        return self._chats.headers(deployment)

    def write_request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        """Return the request's body."""
        return build_request(call, stream=stream)

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that a chat does not carry, since the plan is made for both wires."""
        return self._chats.unsupported(deployment, parameters)

    def read_answer(self, body: bytes, call: UpstreamCall) -> Answer:
        """Return the response in *body* as a chat completion, with its source."""
        response = load_payload(body)
        answer = read_response(response, _names_of(call))
        return attach_body(answer, OPENAI_RESPONSES, response) if self._is_native(call) else answer

    def read_error(self, status: int, body: bytes) -> str | None:
        """Return the provider's message from the body of an error."""
        return self._chats.read_error(status, body)

    def read_stream(self, call: UpstreamCall) -> StreamReader:
        """Return a reader for the events of one stream."""
        return StreamReader(_names_of(call), native=self._is_native(call))

    def _is_native(self, call: UpstreamCall) -> bool:
        return takes_native(self.format, call)


class ChatsByResponses(ResponsesWire):
    """Carries chats over the wire of the Responses API, for models that are asked by it.

    A request of the Responses API takes it too where its items cannot go out as they came. It is written from the chat
    then, and its answer is read as a chat.
    """

    @override
    def write_request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        """Return the body of the request that the chat becomes."""
        return build_request_of_chat(call, stream=stream)

    @override
    def read_answer(self, body: bytes, call: UpstreamCall) -> Answer:
        """Return the response in *body* as a chat completion."""
        return read_response(load_payload(body), _FLAT_NAMES, SEPARATOR)

    @override
    def read_stream(self, call: UpstreamCall) -> StreamReader:
        """Return a reader for the events of one stream."""
        return StreamReader(_FLAT_NAMES, native=False)


_FLAT_NAMES = CallNames(None)
"""The names of a request that was written from a chat, whose tools have one name each."""


def _names_of(call: UpstreamCall) -> CallNames:
    source = call.source
    native = None if source is None else source.native
    return CallNames(native.table if isinstance(native, ResponsesRequest) else None)
