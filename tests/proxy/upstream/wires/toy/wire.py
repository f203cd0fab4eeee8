"""The toy wire sends a conversation of lines, and reads a reply. It supports only chats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer, Chunk, UpstreamCall
from proxy.upstream.wires.native_events import attach_body, attach_event, takes_native
from proxy.upstream.wires.payloads import load_payload
from proxy.upstream.wires.protocol import ProviderWires
from proxy.upstream.wires.request_headers import request_headers

_CARRIED = frozenset({"max_tokens", "temperature", "tools"})
_ENDS = {"finished": "stop", "full": "length", "uses": "tool_calls"}


class _Chats:
    format = "toy"
    client_headers = None

    def url(self, call: UpstreamCall, *, stream: bool) -> str:
        return f"{call.deployment.api_base}/{'listen' if stream else 'ask'}/{call.deployment.model_id}"

    def headers(self, deployment: Deployment) -> dict[str, str]:
        assert deployment.api_key is not None
        return request_headers(deployment, **{"X-Toy-Key": deployment.api_key.get_secret_value()})

    def write_request(self, call: UpstreamCall, *, stream: bool) -> bytes:
        lines = [{"who": message["role"], "line": message["content"]} for message in call.messages]
        return json.dumps({"conversation": lines, "settings": dict(call.parameters)}).encode()

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        return frozenset(parameters.keys() - _CARRIED)

    def read_answer(self, body: bytes, call: UpstreamCall) -> Answer:
        said = _read(body)
        message = {"role": "assistant", "content": said.get("reply")}
        if uses := said.get("uses"):
            message["tool_calls"] = [_call(use) for use in uses]
        choice = {"index": 0, "message": message, "finish_reason": _ENDS[said["because"]]}
        answer: Answer = {"object": "chat.completion", "model": call.deployment.model_id, "choices": [choice]}
        return attach_body(answer, self.format, said) if takes_native(self.format, call) else answer

    def read_stream(self, call: UpstreamCall) -> _Lines:
        return _Lines(call.deployment.model_id, self.format if takes_native(self.format, call) else None)

    def read_error(self, status: int, body: bytes) -> str | None:
        trouble = json.loads(body).get("trouble")
        return trouble if isinstance(trouble, str) else None


class _Lines:
    """Reads ``{"more": text}``, ``{"uses": [piece]}`` and at last ``{"because": reason}``.

    Other events give no chunk. With *form* each event is attached to its chunk.
    """

    def __init__(self, model: str, form: str | None) -> None:
        self.ended = False
        self._model = model
        self._form = form

    def feed(self, payload: bytes) -> list[Chunk]:
        said = _read(payload)
        chunks = self._project(said)
        return chunks if self._form is None else attach_event(chunks, self._form, said)

    def _project(self, said: dict[str, Any]) -> list[Chunk]:
        self.ended = "because" in said
        delta: dict[str, Any] = {}
        if "more" in said:
            delta["content"] = said["more"]
        if "uses" in said:
            delta["tool_calls"] = [{"index": use["at"], **_call(use)} for use in said["uses"]]
        if not delta and not self.ended:
            return []
        reason = _ENDS[said["because"]] if self.ended else None
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return [{"object": "chat.completion.chunk", "model": self._model, "choices": [choice]}]

    def may_end(self, wanted: int) -> bool:
        return self.ended

    def is_over(self) -> bool:
        return self.ended

    def usage_so_far(self) -> None:
        """Return None: a toy reports no usage."""

    def close(self) -> list[Chunk]:
        if not self.ended:
            raise UpstreamFault("The toy stopped in the middle.", cause=Cause.TRUNCATED)
        return []


def _call(use: dict[str, Any]) -> dict[str, Any]:
    """Return a tool use, or a piece of one, as a call. The first piece has an id and a tool's name."""
    head = {"id": use["id"], "type": "function"} if "id" in use else {}
    name = {"name": use["tool"]} if "tool" in use else {}
    return {**head, "function": {**name, "arguments": use.get("with", "")}}


def _read(body: bytes) -> dict[str, Any]:
    said: dict[str, Any] = load_payload(body)
    if "trouble" in said:
        raise UpstreamFault(said["trouble"])
    return said


TOY = ProviderWires(chat=_Chats())
