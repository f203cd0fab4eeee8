"""A client format for tests, which shares no field with OpenAI's format, numbers its events and has no comments.

This format stands for future client formats. Its stream has a state, and its requests, answers and errors resemble no
provider's. The toy wire of the tests uses the same format, and its answers go out as ``native`` events.
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
    """Writes a stream in the toy format and numbers its events."""

    format = "toy"

    def __init__(self) -> None:
        self._number = 0

    def write_chunk(self, chunk: Chunk, /) -> bytes:
        """Return one event for each text, with the answer's id, and one for each piece of a call."""
        deltas = [choice["delta"] for choice in chunk["choices"]]
        said = [{"text": delta["content"], "in": chunk.get("id")} for delta in deltas if delta.get("content")]
        used = [{"used": piece} for delta in deltas for piece in delta.get("tool_calls") or ()]
        return b"".join(self._event("said", fields) for fields in (*said, *used))

    def write_encoded(self, chunk: bytes, /) -> bytes:
        """Decode *chunk*, and return what :meth:`write_chunk` returns for the decoded chunk."""
        return self.write_chunk(orjson.loads(chunk))

    def write_native(self, event: Any, chunk: Chunk, /) -> bytes:
        """Return the provider's event with the proxy's model name, call ids and tool names."""
        deltas = [choice["delta"] for choice in chunk["choices"]]
        pieces = [piece for delta in deltas for piece in delta.get("tool_calls") or ()]
        return self._event("native", with_our_names(event, chunk, pieces))

    def write_end(self) -> bytes:
        """Return the event that ends the stream."""
        return self._event("over", {})

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the event that reports an error."""
        return self._event("fault", {"why": error.message, "name": error.code})

    def _event(self, name: str, fields: dict[str, Any]) -> bytes:
        self._number += 1
        return b"event: %s\ndata: %s\n\n" % (name.encode(), write_json({"number": self._number, **fields}))


def with_our_names(native: Any, answer: Answer, calls: list[Any]) -> dict[str, Any]:
    """Return *native* with the model of *answer*, and the ids and tools of *calls*."""
    fields = dict(native)
    if "by" in fields:
        fields["by"] = answer["model"]
    if "uses" in fields:
        pairs = zip(fields["uses"], calls, strict=True)
        fields["uses"] = [_with_our_name(use, call) for use, call in pairs]
    return fields


def _with_our_name(use: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    named = {"id": call.get("id"), "tool": call["function"].get("name")}
    return {name: named.get(name, value) for name, value in use.items()}


class ToyFormat:
    """Implements `ClientFormat`."""

    name = "toy"
    id_prefix = "toy:"
    stream_content_type = "text/x-toy; charset=utf-8"
    keep_alive = b"event: wait\ndata: {}\n\n"

    def read_request(self, body: bytes, /, *, max_nesting: int, mends: bool, weight: int) -> ChatRequest:
        """Read `{"ask": model, "about": text, "live": bool, "may": [tool]}`."""
        try:
            fields = orjson.loads(body)
        except orjson.JSONDecodeError:
            raise InvalidRequest("This is no toy.") from None
        if not isinstance(fields, dict) or nesting_exceeds(fields, max_nesting) or "ask" not in fields:
            raise InvalidRequest("This is no toy.", param="ask")
        nothing: MappingProxyType[str, Any] = MappingProxyType({})
        tools = [{"type": "function", "function": {"name": name}} for name in fields.get("may", ())]
        messages = [user(fields["about"])]
        return ChatRequest(
            model=fields["ask"],
            messages=messages,
            stream=fields.get("live", False),
            include_usage=False,
            parameters=MappingProxyType({"tools": tools}) if tools else nothing,
            unknown=nothing,
            weight=weight,
            source=Source(self.name, body, messages),
        )

    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the text, the calls and the id of *answer* in the toy format."""
        message = answer["choices"][0]["message"]
        used = {"used": message["tool_calls"]} if "tool_calls" in message else {}
        return write_json({"text": message["content"], "in": answer["id"], **used})

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Write the provider's answer with the proxy's model name, call ids and tool names."""
        calls = answer["choices"][0]["message"].get("tool_calls") or []
        return write_json({"native": with_our_names(native, answer, calls)})

    def write_stream(self) -> StreamWriter:
        """Return a new writer of a stream, which numbers its events from one."""
        return ToyStream()

    def write_error(self, error: ProxyError, /) -> bytes:
        """Write the error's message and code."""
        return write_json({"why": error.message, "name": error.code})


TOY = ToyFormat()
TOY_PATH = "/v1/toy"
