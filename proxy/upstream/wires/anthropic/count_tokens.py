"""Asks the provider for the number of a request's input tokens, in place of an answer."""

from __future__ import annotations

from typing import Any

import orjson

from proxy.core.deployment import Deployment
from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import Answer, UpstreamCall
from proxy.upstream.wires.payloads import load_payload
from proxy.upstream.wires.protocol import Wire
from proxy.upstream.wires.raw_values import replace_fields

COUNT = "input_tokens"
"""The name of the number in the answer."""

_PATH = "/count_tokens"
_NOT_COUNTED = frozenset(
    {
        "max_tokens",
        "metadata",
        "service_tier",
        "stop_sequences",
        "stream",
        "temperature",
        "top_k",
        "top_p",
    }
)
"""Fields of a request that a count does not have (Anthropic's API reference, 2026-11)."""


class TokenCount:
    """The wire of a count, for calls that *wire*, one of the Messages API, carries."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.client_headers = wire.client_headers

    def url(self, call: UpstreamCall, *, stream: bool) -> str:
        """Return the URL of counts, with the query of messages."""
        base, mark, query = self._wire.url(call, stream=stream).partition("?")
        return f"{base}{_PATH}{mark}{query}"

    def headers(self, deployment: Deployment) -> dict[str, str]:
        """Return the headers of messages."""
        return self._wire.headers(deployment)

    def write_request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        """Return the body of the request for messages, without the fields that a count does not have."""
        body = self._wire.write_request(call, stream=stream)
        fields: dict[str, Any] = orjson.loads(body)
        return (
            body if fields.keys().isdisjoint(_NOT_COUNTED) else replace_fields(body, fields, {}, _NOT_COUNTED)
        )

    def read_answer(self, body: bytes, call: UpstreamCall) -> Answer:
        """Return the answer with its number. Raises :class:`UpstreamFault` for an answer without one."""
        answer = load_payload(body)
        count = answer.get(COUNT) if isinstance(answer, dict) else None
        if type(count) is not int or not 0 <= count < 2**53:
            raise UpstreamFault("The provider's answer has no number of tokens.")
        return {COUNT: count}

    def read_error(self, status: int, body: bytes) -> str | None:
        """Return the provider's message from the body of an error."""
        return self._wire.read_error(status, body)
