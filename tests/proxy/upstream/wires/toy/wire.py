"""The toy wire: a conversation of lines out, a reply in. It chats, and does nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer, Chunk, UpstreamCall
from proxy.upstream.wires.payloads import load_payload
from proxy.upstream.wires.protocol import ProviderWires
from proxy.upstream.wires.request_headers import request_headers

_CARRIED = frozenset({"max_tokens", "temperature"})
_ENDS = {"finished": "stop", "full": "length"}


class _Chats:
    format = "toy"

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

    def read_answer(self, body: bytes, deployment: Deployment) -> Answer:
        said = _read(body)
        message = {"role": "assistant", "content": said["reply"]}
        choice = {"index": 0, "message": message, "finish_reason": _ENDS[said["because"]]}
        return {"object": "chat.completion", "model": deployment.model_id, "choices": [choice]}

    def read_stream(self, deployment: Deployment) -> _Lines:
        return _Lines(deployment.model_id)

    def read_error(self, status: int, body: bytes) -> str | None:
        trouble = json.loads(body).get("trouble")
        return trouble if isinstance(trouble, str) else None


class _Lines:
    """Reads ``{"more": text}``, and at last ``{"because": reason}``."""

    def __init__(self, model: str) -> None:
        self.ended = False
        self._model = model

    def feed(self, payload: bytes) -> list[Chunk]:
        said = _read(payload)
        self.ended = "because" in said
        delta = {} if self.ended else {"content": said["more"]}
        reason = _ENDS[said["because"]] if self.ended else None
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return [{"object": "chat.completion.chunk", "model": self._model, "choices": [choice]}]

    def may_end(self, wanted: int) -> bool:
        return self.ended

    def is_over(self) -> bool:
        return self.ended

    def close(self) -> list[Chunk]:
        if not self.ended:
            raise UpstreamFault("The toy stopped in the middle.", cause=Cause.TRUNCATED)
        return []


def _read(body: bytes) -> dict[str, Any]:
    said: dict[str, Any] = load_payload(body)
    if "trouble" in said:
        raise UpstreamFault(said["trouble"])
    return said


TOY = ProviderWires(chat=_Chats())
