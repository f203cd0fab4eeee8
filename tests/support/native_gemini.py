"""Answers of Gemini's API with all shapes of parts that it was seen to send, whole and as the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = dict[str, Any]

USAGE: Json = {
    "promptTokenCount": 20,
    "cachedContentTokenCount": 4,
    "candidatesTokenCount": 9,
    "thoughtsTokenCount": 12,
    "totalTokenCount": 41,
    "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 20}],
    "serviceTier": "standard",
}
SIGNED = {"thoughtSignature": "CiQBcsjafN+/c2ln"}
TEXT = "Well. ✓ \U0001f600\nNext."


def call(name: str, args: Any, id: str | None = "a", **extra: Any) -> Json:
    """Return a part with a call."""
    given = {"name": name, "args": args} | ({"id": id} if id else {})
    return {"functionCall": given, **extra}


ANSWERS: Mapping[str, tuple[Sequence[Json], Json]] = {
    "text": ([{"text": TEXT}], {}),
    "thought and text": (
        [{"text": "**Plan**\n\nLet me see.", "thought": True}, {"text": TEXT}, {"text": "", **SIGNED}],
        {},
    ),
    "call": ([call("f", {"q": "1 ✓", "x": 1.0, "y": -0.0, "z": None}, **SIGNED)], {}),
    "call without an id": ([call("f", {}, None, **SIGNED)], {}),
    "call without arguments": ([{"functionCall": {"name": "g", "id": "a"}, **SIGNED}], {}),
    "parallel calls": (
        [call("f", {"q": 1}, "a", **SIGNED), call("f", {"q": 2}, "b"), call("g", {}, "c")],
        {},
    ),
    "text between calls": (
        [{"text": "First."}, call("f", {"q": 1}, "a", **SIGNED), {"text": "Then."}, call("g", {}, "b")],
        {},
    ),
    "code": (
        [
            {"executableCode": {"language": "PYTHON", "code": "print(1)", "id": "x"}, **SIGNED},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n", "id": "x"}},
            {"text": "It is one."},
        ],
        {},
    ),
    "search": (
        [
            {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["q"]}, "id": "t"}, **SIGNED},
            {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {}, "id": "t"}},
            {"text": "Found."},
        ],
        {
            "groundingMetadata": {
                "webSearchQueries": ["q"],
                "groundingChunks": [{"web": {"uri": "https://a", "title": "A"}}],
                "groundingSupports": [
                    {
                        "segment": {"endIndex": 6, "text": "Found."},
                        "groundingChunkIndices": [0],
                        "confidenceScores": [0.5, 1.0],
                    }
                ],
                "searchEntryPoint": {"renderedContent": "<div>q</div>"},
            }
        },
    ),
    "text and media": (
        [{"text": "See."}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}, **SIGNED}],
        {},
    ),
    "new part": ([{"hologram": {"pixels": [0.10, None]}}, {"text": "See.", "partMetadata": {"a": 1.0}}], {}),
    "cut text": ([{"text": "It is"}], {"finishReason": "MAX_TOKENS"}),
    "cited text": (
        [{"text": "Cited."}],
        {
            "citationMetadata": {"citationSources": [{"startIndex": 0, "endIndex": 5, "uri": "https://a"}]},
            "safetyRatings": [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "NEGLIGIBLE"}],
            "avgLogprobs": -0.25,
            "finishMessage": "Done.",
            "new": {"b": 1.0, "a": None},
        },
    ),
}
"""The parts of each answer, and further fields of its candidate."""

HEAD: Json = {
    "modelVersion": "gemini-3.6-flash-preview-09",
    "responseId": "rEsPoNsE",
    "new": {"b": 1.0, "a": None},
}


def answer_of(name: str) -> Json:
    """Return the whole answer of the case *name* in `ANSWERS`."""
    parts, fields = ANSWERS[name]
    candidate = {"content": {"parts": list(parts), "role": "model"}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate | fields], "usageMetadata": USAGE, **HEAD}


def events_of(answer: Mapping[str, Any]) -> Iterator[Json]:
    """Yield the events of a stream that adds up to *answer*, with counts in each of them, as Gemini sends them."""
    [candidate] = answer["candidates"]
    pieces = [piece for part in candidate["content"]["parts"] for piece in _pieces(part)]
    for number, piece in enumerate(pieces, 1):
        is_last = number == len(pieces)
        said: Json = {"content": {"parts": [piece], "role": "model"}, "index": 0}
        if is_last:
            said |= {name: value for name, value in candidate.items() if name != "content"}
        usage = USAGE if is_last else {"promptTokenCount": 20, "totalTokenCount": 20}
        yield {"candidates": [said], "usageMetadata": usage, **HEAD}


def write_events(events: Iterator[Json]) -> list[bytes]:
    """Return the bytes of each event, with the line ends that Google sends."""
    return [f"data: {json.dumps(one, ensure_ascii=False)}\r\n\r\n".encode() for one in events]


def _pieces(part: Json) -> Iterator[Json]:
    text = part.get("text")
    if not text:
        yield part
        return
    for start in range(0, len(text), 7):
        yield {**part, "text": text[start : start + 7]}
