"""Checks an answer of Anthropic's Messages API against its grammar, from the bytes that a client gets.

The checker shares no code with the writer. It knows the deviations that real clients die of (2026-11): a block that was
never started, a delta of another block's kind, missing usage, an answer that ends within a block.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from typing import Any

STOP_REASONS = frozenset(
    {
        "end_turn",
        "max_tokens",
        "model_context_window_exceeded",
        "pause_turn",
        "refusal",
        "stop_sequence",
        "tool_use",
    }
)
CUT = ("max_tokens", "model_context_window_exceeded")
"""Reasons behind which the input of a call may end early."""

ERRORS = frozenset(
    {
        "api_error",
        "authentication_error",
        "billing_error",
        "conflict_error",
        "invalid_request_error",
        "not_found_error",
        "overloaded_error",
        "permission_error",
        "rate_limit_error",
        "request_too_large",
        "timeout_error",
    }
)
COUNTS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
KEYS = ("id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage")

BLANK: Mapping[str, Mapping[str, Any]] = {
    "text": {"text": ""},
    "thinking": {"thinking": "", "signature": ""},
    "tool_use": {"input": {}},
    "server_tool_use": {"input": {}},
    "mcp_tool_use": {"input": {}},
}
"""The fields with which a block begins in a stream, by its type. A block of another type begins whole."""

DELTAS: Mapping[str, tuple[str, ...]] = {
    "text": ("text_delta", "citations_delta"),
    "thinking": ("thinking_delta", "signature_delta"),
    **dict.fromkeys(("tool_use", "server_tool_use", "mcp_tool_use"), ("input_json_delta",)),
}
FIELDS: Mapping[str, tuple[str, str]] = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "input_json_delta": ("partial_json", "input"),
    "citations_delta": ("citation", "citations"),
}
"""The field of each delta, and the field of its block."""

_ID = re.compile(r"[A-Za-z0-9_-]+")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")

Json = dict[str, Any]


def events_of(raw: bytes) -> list[Json]:
    """Return the decoded events of a stream. Raises `AssertionError` for another framing."""
    assert raw == b"" or raw.endswith(b"\n\n"), raw[-50:]
    events = []
    for block in raw.decode().split("\n\n")[:-1]:
        lines = block.split("\n")
        assert len(lines) == 2, block
        name, data = lines
        assert name.startswith("event: "), block
        assert data.startswith("data: "), block
        event = json.loads(data.removeprefix("data: "))
        assert event["type"] == name.removeprefix("event: "), block
        events.append(event)
    return events


def message_of(raw: bytes) -> Json:
    """Return the message that a stream adds up to. Raises `AssertionError` for a stream with a fault."""
    reader = _read(raw, relayed=True)
    assert reader.faults == []
    return reader.message


def find_stream_faults(raw: bytes, *, complete: bool = True, relayed: bool = False) -> list[str]:
    """Return the faults of a stream.

    With *complete* false, the end may be missing. With *relayed*, the stream is a provider's own: it may have blocks
    and deltas of unknown kinds, and empty deltas.
    """
    reader = _read(raw, relayed=relayed)
    reader.at = "end"
    if complete:
        reader.expect(reader.ended, "there is no message_stop and no error")
    return reader.faults


def find_message_faults(message: Mapping[str, Any], *, relayed: bool = False) -> list[str]:
    """Return the faults of a whole answer. A *relayed* one may have blocks of unknown kinds."""
    faults = [f"key {name} is missing" for name in KEYS if name not in message]
    if faults:
        return faults
    reason, content, usage = message["stop_reason"], message["content"], message["usage"]
    if message["type"] != "message" or message["role"] != "assistant":
        faults.append("a message of the assistant")
    if not _ID.fullmatch(message["id"]) or not message["id"].startswith("msg_"):
        faults.append("the prefix of an id")
    if not (relayed or reason in STOP_REASONS):
        faults.append("an unknown stop_reason")
    if (reason == "stop_sequence") != isinstance(message["stop_sequence"], str):
        faults.append("a stop_sequence is told where it stopped the answer, and nowhere else")
    faults += _usage_faults(usage)
    calls = [block for block in content if block["type"] == "tool_use"]
    if not content and reason in ("end_turn", "tool_use"):
        faults.append("an answer without content")
    if reason not in CUT and bool(calls) != (reason == "tool_use"):
        faults.append("stop_reason is tool_use where there are calls, and nowhere else")
    if len({call["id"] for call in calls}) != len(calls):
        faults.append("the ids of calls are unique")
    for index, block in enumerate(content):
        faults += [f"content.{index}: {fault}" for fault in _block_faults(block, reason in CUT, relayed)]
    return faults


def _usage_faults(usage: Any) -> list[str]:
    if not isinstance(usage, dict):
        return ["usage is an object"]
    faults = [f"{name} is a count" for name in COUNTS if not _is_count(usage.get(name, 0))]
    faults += [f"{name} is missing" for name in COUNTS[:2] if name not in usage]
    if not faults and not sum(usage.get(name, 0) for name in COUNTS if name != "output_tokens"):
        faults.append("the request has tokens")
    return faults


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _block_faults(block: Mapping[str, Any], cut: bool, relayed: bool) -> list[str]:
    kind = block["type"]
    if kind == "text":
        return [] if relayed or block.get("text") else ["an empty text"]
    if kind == "thinking":
        return [] if block.get("signature") else ["a thought has its signature"]
    if kind == "redacted_thinking":
        return [] if block.get("data") else ["a redacted thought has its data"]
    if kind in ("tool_use", "server_tool_use"):
        legal = _ID.fullmatch(block["id"]) and _NAME.fullmatch(block["name"])
        faults = [] if legal else ["the id and the name of a call are legal"]
        return faults if cut or isinstance(block["input"], dict) else [*faults, "input is an object"]
    return [] if relayed else [f"an unknown block {kind}"]


def _read(raw: bytes, *, relayed: bool) -> _Reader:
    reader = _Reader(relayed)
    for number, event in enumerate(events_of(raw)):
        reader.at = f"{number} {event['type']}"
        reader.read(event)
    return reader


class _Reader:
    """The state of a stream so far."""

    def __init__(self, relayed: bool) -> None:
        self.faults: list[str] = []
        self.at = ""
        self.ended = False
        self.message: Json = {}
        self._relayed = relayed
        self._open: Json | None = None
        self._last_delta = ""
        self._has_reason = False

    def expect(self, holds: object, rule: str) -> None:
        if not holds:
            self.faults.append(f"{self.at}: {rule}")

    def read(self, event: Json) -> None:
        kind = event["type"]
        self.expect(not self.ended, "an event behind the end")
        if kind == "ping":
            return
        if kind == "error":
            error = event.get("error") or {}
            self.expect(error.get("type") in ERRORS and error.get("message"), "an error says what it is")
            self.ended = True
            return
        self.expect((kind == "message_start") == (not self.message), "message_start comes first, and once")
        reader = {
            "message_start": self._read_start,
            "content_block_start": self._read_block,
            "content_block_delta": self._read_delta,
            "content_block_stop": self._read_stop,
            "message_delta": self._read_end,
            "message_stop": self._read_last,
        }.get(kind)
        self.expect(reader or self._relayed, "an unknown event")
        if reader and (self.message or kind == "message_start"):
            reader(event)

    def _read_start(self, event: Json) -> None:
        message = event["message"]
        self.expect(message.get("content") == [], "a message begins empty")
        reasons = (message.get("stop_reason", 0), message.get("stop_sequence", 0))
        self.expect(reasons == (None, None), "a message begins without a reason to stop")
        faults = [f"key {name} is missing" for name in KEYS if name not in message]
        self.faults += [f"{self.at}: {fault}" for fault in faults or _usage_faults(message["usage"])]
        self.message = copy.deepcopy({"content": [], "usage": {}} | message)

    def _read_block(self, event: Json) -> None:
        block = copy.deepcopy(event["content_block"])
        self.expect(self._open is None, "a block begins within another one")
        self.expect(event.get("index") == len(self.message["content"]), "the index of a new block")
        self.expect(not self._has_reason, "a block behind message_delta")
        blank = BLANK.get(block["type"], {})
        self.expect(all(block.get(name) == value for name, value in blank.items()), "a block begins empty")
        if "input" in blank:
            block["input"] = ""
        self.message["content"].append(block)
        self._open, self._last_delta = block, ""

    def _read_delta(self, event: Json) -> None:
        block, delta = self._open, event["delta"]
        self.expect(block is not None, "a delta outside of blocks")
        if block is None:
            return
        self.expect(event.get("index") == len(self.message["content"]) - 1, "a delta has its block's index")
        kind = delta["type"]
        allowed = DELTAS.get(block["type"], ())
        self.expect(kind in allowed or (self._relayed and not allowed), "a delta of another block's kind")
        self.expect(self._last_delta != "signature_delta", "a signature comes last, and once")
        self._last_delta = kind
        if kind not in allowed:
            return
        given, kept = FIELDS[kind]
        self.expect(given in delta, "a delta has its field")
        self.expect(delta.get(given) or self._relayed, "an empty delta")
        if kind == "citations_delta":
            block[kept] = [*(block.get(kept) or ()), delta.get(given)]
        else:
            block[kept] = block.get(kept, "") + (delta.get(given) or "")

    def _read_stop(self, event: Json) -> None:
        block, self._open = self._open, None
        self.expect(block is not None, "a block ends that is open")
        self.expect(event.get("index") == len(self.message["content"]) - 1, "the index of a block that ends")
        if block is None:
            return
        if "input" in BLANK.get(block["type"], {}):
            block["input"] = _decoded(block["input"])
        if block["type"] == "thinking":
            self.expect(self._last_delta == "signature_delta", "a thought ends with its signature")

    def _read_end(self, event: Json) -> None:
        usage, delta = event.get("usage"), event["delta"]
        self.expect(self._open is None, "message_delta within a block")
        self.expect({"stop_reason", "stop_sequence"} <= delta.keys(), "message_delta says why it stopped")
        self.expect(isinstance(usage, dict) and "output_tokens" in usage, "message_delta has output_tokens")
        said = {name: value for name, value in (usage or {}).items() if value is not None}
        before = self.message["usage"].get("output_tokens", 0)
        self.expect(said.get("output_tokens", before) >= before, "counts are cumulative")
        self.message["usage"] = {**self.message["usage"], **said}
        self.message.update(delta)
        self._has_reason = True

    def _read_last(self, event: Json) -> None:
        self.expect(self._has_reason, "message_delta comes before message_stop")
        self.ended = True
        if self._has_reason:
            faults = find_message_faults(self.message, relayed=self._relayed)
            self.faults += [f"{self.at}: {fault}" for fault in faults]


def _decoded(text: str) -> Any:
    if not text:
        return {}
    try:
        return json.loads(text)
    except ValueError:
        return text
