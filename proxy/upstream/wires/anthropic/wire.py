"""The wires of Anthropic's Messages API: chats that are written as messages, and requests in the client's own form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.source import ANTHROPIC_MESSAGES
from proxy.core.upstream_call import Answer, UpstreamCall
from proxy.upstream.dialects import withheld_names
from proxy.upstream.wires.anthropic.addresses import chat_headers, messages_url
from proxy.upstream.wires.anthropic.answers import read_message
from proxy.upstream.wires.anthropic.refusals import read_error
from proxy.upstream.wires.anthropic.requests import CARRIED, build_request
from proxy.upstream.wires.anthropic.streams import StreamReader
from proxy.upstream.wires.native_events import attach_body, takes_native
from proxy.upstream.wires.payloads import load_payload
from proxy.upstream.wires.protocol import ClientHeaders, ProviderWires


class MessagesOfChats:
    """Carries chats. A client of the Messages API gets the provider's own events all the same."""

    format = ANTHROPIC_MESSAGES
    client_headers: Callable[[UpstreamCall], ClientHeaders] | None = None

    def url(self, call: UpstreamCall, *, stream: bool) -> str:
        """Return the URL of messages at the deployment's address."""
        return messages_url(call.deployment.api_base)

    def headers(self, deployment: Deployment) -> dict[str, str]:
        """Return the headers of a chat: the key, and the version that this wire is written for."""
        return chat_headers(deployment)

    def write_request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        """Return the body of the Messages request that the chat becomes."""
        return build_request(call, stream=stream)

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that the Messages API does not have, or that the model refuses."""
        lost = withheld_names(deployment, "direct", parameters) | (parameters.keys() - CARRIED)
        return lost - deployment.allowed_openai_params

    def read_answer(self, body: bytes, call: UpstreamCall) -> Answer:
        """Return the message in *body* as a chat completion."""
        message = load_payload(body)
        answer = read_message(message, thinks=_thinks(call))
        return attach_body(answer, self.format, message) if takes_native(self.format, call) else answer

    def read_stream(self, call: UpstreamCall) -> StreamReader:
        """Return a reader for the events of one stream."""
        return StreamReader(native=takes_native(self.format, call), thinks=_thinks(call))

    def read_error(self, status: int, body: bytes) -> str | None:
        """Return the provider's message from the body of an error."""
        return read_error(body)


def _thinks(call: UpstreamCall) -> bool:
    """Tell whether *call* asks for thoughts."""
    return call.parameters.get("reasoning_effort") not in (None, "none") or "thinking" in call.extra_body


ANTHROPIC = ProviderWires(chat=MessagesOfChats())
