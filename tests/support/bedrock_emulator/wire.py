"""Bedrock's Converse wire format: the model in the URL, whole answers and binary event streams.

Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and _ConverseStream.html.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.anthropic_emulator.signatures import sign
from tests.support.bedrock_emulator.event_stream import encode_event
from tests.support.bedrock_emulator.judging import Refusal, judge_bedrock
from tests.support.emulated import Asked, Prompt, Refused, Said, fragments, token_counts

TYPES = {
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}


def call_id(sequence: int, index: int) -> str:
    """Return a call id in Bedrock's form."""
    return f"tooluse_emulated{sequence:010d}{index:04d}"


@dataclass(frozen=True, slots=True)
class BedrockWire:
    """See `Wire`."""

    base_path: str = ""
    paths: tuple[str, ...] = ("/model/{model}/converse", "/model/{model}/converse-stream")
    stream_type: str = "application/vnd.amazon.eventstream"

    def judge(self, asked: Asked) -> Refused | None:
        """See `Wire`."""
        return judge_bedrock(asked.path.split("/")[2], asked.body)

    def wants_stream(self, asked: Asked) -> bool:
        """See `Wire`."""
        return asked.path.endswith("-stream")

    def prompt(self, asked: Asked) -> Prompt:
        """See `Wire`."""
        newest = asked.body["messages"][-1]
        texts = [block["text"] for block in newest["content"] if "text" in block]
        config = asked.body.get("toolConfig") or {}
        specs = [tool["toolSpec"] for tool in config.get("tools") or () if "toolSpec" in tool]
        thinking = (asked.body.get("additionalModelRequestFields") or {}).get("thinking") or {}
        return Prompt(
            newest=" ".join(texts),
            after_result=any("toolResult" in block for block in newest["content"]) and not texts,
            from_user=newest["role"] == "user",
            tools=tuple((spec["name"], spec["inputSchema"]["json"]) for spec in specs),
            forced=((config.get("toolChoice") or {}).get("tool") or {}).get("name"),
            thinks=thinking.get("type") in ("enabled", "adaptive"),
        )

    def whole(self, asked: Asked, said: Said, sequence: int) -> Any:
        """See `Wire`."""
        return {
            "output": {"message": {"role": "assistant", "content": _blocks(said, sequence)}},
            "stopReason": _reason(said),
            **_metadata(asked, said),
        }

    def events(self, asked: Asked, said: Said, sequence: int) -> Iterator[bytes]:
        """See `Wire`."""
        yield encode_event("messageStart", {"role": "assistant"})
        for index, block in enumerate(_blocks(said, sequence)):
            at = {"contentBlockIndex": index}
            if "toolUse" in block:
                start = {key: block["toolUse"][key] for key in ("toolUseId", "name")}
                yield encode_event("contentBlockStart", {**at, "start": {"toolUse": start}})
            for delta in _deltas(block):
                yield encode_event("contentBlockDelta", {**at, "delta": delta})
            yield encode_event("contentBlockStop", at)
        yield encode_event("messageStop", {"stopReason": _reason(said)})
        yield encode_event("metadata", _metadata(asked, said))

    def closing(self) -> bytes:
        """See `Wire`."""
        return b""

    def broken_event(self) -> bytes:
        """See `Wire`."""
        return encode_event("messageStart", {"role": "assistant"})[:-7]

    def scripted(self, status: int, message: str, type: str | None, code: str | None) -> Refused:
        """See `Wire`."""
        return Refusal(message, status, type or TYPES.get(status, "ValidationException"))

    def other(self, method: str, path: str) -> Refused | Any:
        """See `Wire`."""
        return Refusal("Unknown operation", 404, "UnknownOperationException")


BEDROCK = BedrockWire()


def _blocks(said: Said, sequence: int) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if said.reasoning is not None:
        thought = {"text": said.reasoning, "signature": sign(said.reasoning)}
        blocks.append({"reasoningContent": {"reasoningText": thought}})
    if said.text:
        blocks.append({"text": said.text})
    for index, (name, arguments) in enumerate(said.calls):
        called = {"toolUseId": call_id(sequence, index), "name": name, "input": dict(arguments)}
        blocks.append({"toolUse": called})
    return blocks


def _deltas(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "reasoningContent" in block:
        thought = block["reasoningContent"]["reasoningText"]
        for piece in fragments(thought["text"]):
            yield {"reasoningContent": {"text": piece}}
        yield {"reasoningContent": {"signature": thought["signature"]}}
    elif "text" in block:
        for piece in fragments(block["text"]):
            yield {"text": piece}
    else:
        for piece in fragments(json.dumps(block["toolUse"]["input"], ensure_ascii=False)):
            yield {"toolUse": {"input": piece}}


def _reason(said: Said) -> str:
    return "tool_use" if said.calls else "end_turn"


def _metadata(asked: Asked, said: Said) -> dict[str, Any]:
    prompt, reply = token_counts(asked.body["messages"], said)
    usage = {"inputTokens": prompt, "outputTokens": reply, "totalTokens": prompt + reply}
    return {"usage": usage, "metrics": {"latencyMs": 1}}
