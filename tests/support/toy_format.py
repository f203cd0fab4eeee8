"""A client format that no provider has: it shares no field with OpenAI's, numbers its events and has no comments.

It stands for the formats to come. Its stream has a state, and its requests, answers and errors look like nobody's.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import orjson

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest, ProxyError
from proxy.core.json_text import write_json
from proxy.core.nesting import nesting_exceeds
from proxy.core.source import Source
from proxy.core.upstream_call import Answer, Chunk
from proxy.forwarding.answer_format import StreamWriter
from tests.support.builders import user


class ToyStream:
    """Numbers its events."""

    def __init__(self) -> None:
        self._number = 0

    def write_chunk(self, chunk: Chunk, /) -> bytes:
        """Return one event for each text; the first event names the answer."""
        texts = [choice["delta"].get("content") for choice in chunk["choices"]]
        return b"".join(self._event("said", {"text": text, "in": chunk.get("id")}) for text in texts if text)

    def write_encoded(self, chunk: bytes, /) -> bytes:
        """Decode the chunk and write it."""
        return self.write_chunk(orjson.loads(chunk))

    def write_end(self) -> bytes:
        """Return the event of the end."""
        return self._event("over", {})

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the event of a fault."""
        return self._event("fault", {"why": error.message, "name": error.code})

    def _event(self, name: str, fields: dict[str, Any]) -> bytes:
        self._number += 1
        return b"event: %s\ndata: %s\n\n" % (name.encode(), write_json({"number": self._number, **fields}))


class ToyFormat:
    """Implements `ClientFormat`."""

    name = "toy"
    id_prefix = "toy:"
    keep_alive = b"event: wait\ndata: {}\n\n"

    def read_request(self, body: bytes, /, *, max_nesting: int, mends: bool, weight: int) -> ChatRequest:
        """Read `{"ask": model, "about": text, "live": bool}`."""
        try:
            fields = orjson.loads(body)
        except orjson.JSONDecodeError:
            raise InvalidRequest("This is no toy.") from None
        if not isinstance(fields, dict) or nesting_exceeds(fields, max_nesting) or "ask" not in fields:
            raise InvalidRequest("This is no toy.", param="ask")
        nothing: MappingProxyType[str, Any] = MappingProxyType({})
        messages = [user(fields["about"])]
        return ChatRequest(
            model=fields["ask"],
            messages=messages,
            stream=fields.get("live", False),
            include_usage=False,
            parameters=nothing,
            unknown=nothing,
            weight=weight,
            source=Source(self.name, body, messages),
        )

    def write_answer(self, answer: Answer, /) -> bytes:
        """Write the text and the id."""
        return write_json({"text": answer["choices"][0]["message"]["content"], "in": answer["id"]})

    def write_stream(self) -> StreamWriter:
        """Return a writer that counts from one."""
        return ToyStream()

    def write_error(self, error: ProxyError, /) -> bytes:
        """Write the message and the code."""
        return write_json({"why": error.message, "name": error.code})


TOY = ToyFormat()
TOY_PATH = "/v1/toy"
