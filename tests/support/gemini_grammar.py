"""Checks an answer of Gemini's API against its grammar, from the bytes that a client gets.

The checker shares no code with the writer. It knows the deviations that gemini-cli and google-genai die of (2026-11):
comments and ``[DONE]`` in a stream, a call in pieces, a missing finish reason, an answer without parts.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = dict[str, Any]

EVENT_KEYS = frozenset({"candidates", "modelVersion", "promptFeedback", "responseId", "usageMetadata"})
CANDIDATE_KEYS = frozenset(
    {
        *("avgLogprobs", "citationMetadata", "content", "finishMessage", "finishReason", "groundingMetadata"),
        *("index", "logprobsResult", "safetyRatings", "tokenCount", "urlContextMetadata"),
    }
)
PART_KEYS = frozenset({"functionCall", "inlineData", "text", "thought", "thoughtSignature"})
DATA_KEYS = frozenset(
    {
        *("codeExecutionResult", "executableCode", "fileData", "functionCall", "functionResponse"),
        *("inlineData", "text", "toolCall", "toolResponse"),
    }
)
CALL_KEYS = frozenset({"args", "id", "name"})

FINISH_REASONS = frozenset({"MAX_TOKENS", "SAFETY", "STOP"})
"""The reasons that the proxy writes. A provider has further ones."""

BLOCK_REASONS = frozenset({"BLOCKLIST", "IMAGE_SAFETY", "OTHER", "PROHIBITED_CONTENT", "SAFETY"})

COUNTS = (
    *("promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount"),
    *("toolUsePromptTokenCount", "totalTokenCount"),
)
ADDED = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "toolUsePromptTokenCount")
"""The counts whose sum is the total. Cached tokens are a part of the prompt's."""

STATUSES: Mapping[str, tuple[int, ...]] = {
    "ABORTED": (409,),
    "CANCELLED": (499,),
    "DEADLINE_EXCEEDED": (408, 504),
    "FAILED_PRECONDITION": (400,),
    "INTERNAL": (500, 502),
    "INVALID_ARGUMENT": (400, 405, 411, 413, 414, 415, 422, 431),
    "NOT_FOUND": (404,),
    "PERMISSION_DENIED": (403,),
    "RESOURCE_EXHAUSTED": (413, 429),
    "UNAUTHENTICATED": (401,),
    "UNAVAILABLE": (502, 503, 529),
    "UNIMPLEMENTED": (405, 501),
}
"""The codes of HTTP that an error's status may stand with."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}")
_DELAY = re.compile(r"[0-9]+(?:\.[0-9]+)?s")


def events_of(raw: bytes) -> list[Json]:
    """Return the decoded events of a stream of server-sent events. Raises `AssertionError` for another framing."""
    assert raw == b"" or raw.endswith(b"\n\n"), raw[-50:]
    events = []
    for block in raw.decode().split("\n\n")[:-1]:
        assert block.startswith("data: "), block
        assert "\n" not in block, block
        event = json.loads(block.removeprefix("data: "))
        assert isinstance(event, dict), block
        events.append(event)
    return events


def elements_of(raw: bytes) -> list[Json]:
    """Return the elements of a stream that is one JSON array. Raises `AssertionError` for anything else."""
    elements = json.loads(raw)
    assert isinstance(elements, list), raw[:50]
    assert all(isinstance(element, dict) for element in elements), raw
    return elements


def find_stream_faults(raw: bytes, *, complete: bool = True, relayed: bool = False) -> list[str]:
    """Return the faults of a stream of server-sent events.

    With *complete* false, the end may be missing. With *relayed*, the stream is a provider's own: it may have unknown
    fields and parts, calls without ids, reasons and counts in any event.
    """
    return find_event_faults(events_of(raw), complete=complete, relayed=relayed)


def find_array_faults(raw: bytes, *, relayed: bool = False) -> list[str]:
    """Return the faults of a stream that is one JSON array."""
    return find_event_faults(elements_of(raw), relayed=relayed)


def find_event_faults(events: Sequence[Json], *, complete: bool = True, relayed: bool = False) -> list[str]:
    """Return the faults of the events of one stream, as `find_stream_faults` does."""
    reader = _Reader(relayed)
    for number, event in enumerate(events):
        reader.at = f"event {number}"
        reader.read(event)
    reader.at = "end"
    if complete:
        reader.end()
    return reader.faults


def find_answer_faults(answer: Mapping[str, Any], *, relayed: bool = False) -> list[str]:
    """Return the faults of a whole answer."""
    reader = _Reader(relayed)
    reader.at = "answer"
    reader.expect("error" not in answer, "an answer is no error")
    reader.read(dict(answer))
    reader.end()
    for index, parts in reader.parts.items():
        texts = [part for part in parts if part.get("text") == "" and "thoughtSignature" not in part]
        reader.expect(relayed or not texts, f"an empty text in candidate {index}")
    return reader.faults


def answer_of(events: Sequence[Json]) -> Json:
    """Return the whole answer that the events of a stream add up to. Neighbouring texts of one kind are joined.

    Raises `AssertionError` for events with a fault.
    """
    reader = _Reader(relayed=True)
    for event in events:
        reader.read(event)
    assert reader.faults == []
    candidates = []
    for index, parts in sorted(reader.parts.items()):
        reason = reader.reasons.get(index)
        candidates.append({"index": index, "parts": list(_joined(parts)), "finishReason": reason})
    return {**reader.named, "candidates": candidates, "usageMetadata": reader.usage}


def find_error_faults(envelope: Any, code: int | None = None) -> list[str]:
    """Return the faults of an error in Google's envelope, which stands for the HTTP status *code* if that is given."""
    error = envelope.get("error") if isinstance(envelope, dict) else None
    if not isinstance(error, dict):
        return ["an error is an object in an envelope"]
    faults = [] if envelope.keys() == {"error"} else ["an envelope has an error alone"]
    if not error.keys() <= {"code", "details", "message", "status"}:
        faults.append("an unknown field of an error")
    if not (isinstance(error.get("message"), str) and error["message"]) or "Traceback" in error["message"]:
        faults.append("an error says what it is")
    codes, given = STATUSES.get(error.get("status", "")), error.get("code")
    if codes is None:
        faults.append("an unknown status")
    elif given not in codes:
        faults.append("the code of a status")
    if code is not None and given != code:
        faults.append("the code is HTTP's status")
    return faults + list(_detail_faults(error.get("details", [])))


def _detail_faults(details: Any) -> Iterator[str]:
    if not isinstance(details, list):
        yield "details are a list"
        return
    for one in details:
        kind = one.get("@type") if isinstance(one, dict) else None
        if not (isinstance(kind, str) and kind.startswith("type.googleapis.com/")):
            yield "a detail has a type"
        elif kind.endswith("RetryInfo") and not _DELAY.fullmatch(str(one.get("retryDelay"))):
            yield "a delay has seconds"
        elif kind.endswith("BadRequest") and not all(
            isinstance(each.get("field"), str) and each.get("description")
            for each in one.get("fieldViolations") or [{}]
        ):
            yield "a violation has its field"


def _joined(parts: Sequence[Json]) -> Iterator[Json]:
    """Yield *parts*, with neighbouring texts joined. Empty texts without a signature are left out."""
    held: Json = {}
    for part in parts:
        if part.keys() <= {"text", "thought"}:
            if held and held.get("thought") == part.get("thought"):
                held["text"] += part["text"]
                continue
            if not part["text"]:
                continue
            if held:
                yield held
            held = copy.copy(part)
            continue
        if held:
            yield held
            held = {}
        yield part
    if held:
        yield held


def _says(candidate: Json) -> bool:
    """Tell whether a candidate says something. A heartbeat has an empty text, or none."""
    if "finishReason" in candidate:
        return True
    parts = (candidate.get("content") or {}).get("parts", ())
    return any(part.keys() != {"text"} or part["text"] for part in parts)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_base64(value: Any) -> bool:
    return isinstance(value, str) and len(value) % 4 == 0 and bool(_BASE64.fullmatch(value))


class _Reader:
    """The state of an answer so far."""

    def __init__(self, relayed: bool) -> None:
        self.faults: list[str] = []
        self.at = ""
        self.parts: dict[int, list[Json]] = {}
        self.reasons: dict[int, str] = {}
        self.named: dict[str, Any] = {}
        self.usage: Json = {}
        self._relayed = relayed
        self._failed = False
        self._blocked = False
        self._counted = False
        self._ids: set[str] = set()

    def expect(self, holds: object, rule: str) -> None:
        if not holds:
            self.faults.append(f"{self.at}: {rule}")

    def own(self, holds: object, rule: str) -> None:
        """Expect what the proxy promises of its own answers only."""
        self.expect(holds or self._relayed, rule)

    def read(self, event: Json) -> None:
        self.expect(not self._failed, "an event behind an error")
        if "error" in event:
            self.faults += [f"{self.at}: {fault}" for fault in find_error_faults(event)]
            self._failed = True
            return
        self.own(event.keys() <= EVENT_KEYS, "an unknown field of an answer")
        is_heartbeat = event.keys() <= {"candidates"} and not any(map(_says, event.get("candidates", ())))
        for name in ("modelVersion", "responseId"):
            value = event.get(name)
            self.own(is_heartbeat or (isinstance(value, str) and value), f"{name} is missing")
            if value is not None:
                self.own(self.named.setdefault(name, value) == value, f"{name} stays the same")
        self._read_feedback(event.get("promptFeedback"))
        candidates = event.get("candidates", [])
        self.expect(isinstance(candidates, list), "candidates are a list")
        indexes = [one.get("index", 0) for one in candidates]
        self.expect(len(set(indexes)) == len(indexes), "an event has a candidate once")
        for candidate in candidates:
            self._read_candidate(candidate)
        self._counted = "usageMetadata" in event
        if self._counted:
            self._read_usage(event["usageMetadata"])

    def end(self) -> None:
        """Check that the answer is complete."""
        if self._failed:
            return
        self.expect(self.parts or self._blocked, "there is no candidate and no error")
        for index, parts in self.parts.items():
            self.expect(index in self.reasons, f"candidate {index} has no finish reason")
            said = any(part.get("text") or part.keys() & (DATA_KEYS - {"text"}) for part in parts)
            is_whole = self.reasons.get(index) == "STOP"
            self.own(said or not is_whole, f"candidate {index} has no parts")
        indexes = sorted(self.parts)
        self.expect(indexes == list(range(len(indexes))), "the indexes of candidates")
        self.own(self._counted, "the last event has usageMetadata")

    def _read_feedback(self, feedback: Any) -> None:
        if feedback is None:
            return
        self.expect(isinstance(feedback, dict), "promptFeedback is an object")
        reason = feedback.get("blockReason")
        self.own(reason in BLOCK_REASONS, "an unknown blockReason")
        self._blocked = self._blocked or bool(reason)

    def _read_candidate(self, candidate: Json) -> None:
        index = candidate.get("index", 0)
        self.expect(_is_count(index), "an index is a number")
        self.own(candidate.keys() <= CANDIDATE_KEYS, "an unknown field of a candidate")
        self.expect(not self._blocked, "a candidate of a blocked prompt")
        content, reason = candidate.get("content"), candidate.get("finishReason")
        if reason is None and not content:
            return
        parts = self.parts.setdefault(index, [])
        if content is not None:
            self.expect(isinstance(content, dict), "a content is an object")
            given = content.get("parts", [])
            self.own(content.get("role") == "model", "the role of an answer")
            self.own(content.keys() <= {"parts", "role"}, "an unknown field of a content")
            self.expect(isinstance(given, list), "parts are a list")
            self.own(not given or index not in self.reasons, "parts behind the finish reason")
            for part in given:
                self._read_part(part)
            parts += copy.deepcopy(given)
        if reason is not None:
            self.own(index not in self.reasons, "a finish reason comes once")
            self.own(reason in FINISH_REASONS, "an unknown finish reason")
            self.expect(isinstance(reason, str) and reason, "a finish reason is a text")
            self.reasons[index] = reason

    def _read_part(self, part: Json) -> None:
        self.expect(isinstance(part, dict), "a part is an object")
        self.own(part.keys() <= PART_KEYS, "an unknown field of a part")
        self.expect(len(part.keys() & DATA_KEYS) <= 1, "a part has one kind of data")
        self.own(part.keys() & DATA_KEYS, "a part has data")
        self.expect(isinstance(part.get("text", ""), str), "a text is a string")
        if "thought" in part:
            self.own(part["thought"] is True and "text" in part, "a thought is a text")
        if "thoughtSignature" in part:
            self.expect(_is_base64(part["thoughtSignature"]), "a signature is base64")
        if "inlineData" in part:
            data = part["inlineData"]
            self.own(data.get("mimeType") and _is_base64(data.get("data")), "media has its type and its data")
        if "functionCall" in part:
            self._read_call(part["functionCall"])

    def _read_call(self, call: Json) -> None:
        self.own(call.keys() == CALL_KEYS, "a call has its id, its name and its arguments")
        self.own(_NAME.fullmatch(str(call.get("name"))), "the name of a call is legal")
        self.own(isinstance(call.get("args"), dict), "arguments are an object")
        self.expect(not call.get("willContinue") and "partialArgs" not in call, "a call is whole")
        given = call.get("id")
        if not self._relayed:
            self.expect(isinstance(given, str) and given, "a call has an id")
            self.expect(given not in self._ids, "the ids of calls are unique")
        self._ids.add(str(given))

    def _read_usage(self, usage: Any) -> None:
        self.expect(isinstance(usage, dict), "usageMetadata is an object")
        if not isinstance(usage, dict):
            return
        for name in COUNTS:
            self.expect(_is_count(usage.get(name, 0)), f"{name} is a count")
        if self._relayed or not all(_is_count(usage.get(name, 0)) for name in COUNTS):
            self.usage = usage
            return
        self.expect(usage.get("promptTokenCount"), "the request has tokens")
        self.expect("totalTokenCount" in usage, "totalTokenCount is missing")
        total = sum(usage.get(name, 0) for name in ADDED)
        self.expect(usage.get("totalTokenCount") == total, "the total is the sum of the counts")
        cached = usage.get("cachedContentTokenCount", 0)
        self.expect(cached <= usage.get("promptTokenCount", 0), "the prompt's count includes cached tokens")
        before = self.usage.get("totalTokenCount", 0)
        self.expect(usage.get("totalTokenCount", 0) >= before, "counts are cumulative")
        self.usage = usage
