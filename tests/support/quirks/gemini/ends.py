"""Quirks of how answers end, on Gemini's own wire, missing ends included."""

from __future__ import annotations

from tests.support.quirks.gemini.parts import (
    EMPTY,
    FAULT,
    GOOD,
    HEAD,
    SAID,
    THOUGHT,
    A,
    bare,
    call,
    event,
    row,
    text,
)
from tests.support.quirks.meaning import Meaning, Row

_FEEDBACK = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, **HEAD}

ROWS: list[Row] = [
    row("gemini: text", SAID, GOOD, whole=event(text("Good "), text("day."), end="STOP")),
    row(
        "gemini: STOP with each event",
        [event(text("Good "), end="STOP"), event(text("day."), end="STOP")],
        GOOD,
    ),
    row("gemini: text, then an empty end", [event(text("Good day.")), event(EMPTY, end="STOP")], GOOD),
    row("gemini: thought, then text", [event(THOUGHT), *SAID], Meaning(text="Good day.", reasoning="Hm.")),
    row(
        "gemini: malformed call",
        [bare(finishReason="MALFORMED_FUNCTION_CALL", finishMessage="Malformed function call: f(")],
        FAULT,
        source="langgraph#6574",
    ),
    row(
        "gemini: malformed call, content without parts",
        [bare(content={"role": "model"}, finishReason="MALFORMED_FUNCTION_CALL")],
        FAULT,
        source="pydantic-ai#3300",
    ),
    row(
        "gemini: malformed call after a text",
        [event(text("Let me ")), bare(finishReason="MALFORMED_FUNCTION_CALL")],
        FAULT,
    ),
    row(
        "gemini: malformed call, its tail as text",
        [event(text("}}")), bare(finishReason="MALFORMED_FUNCTION_CALL")],
        FAULT,
        source="vellum#43134",
    ),
    row(
        "gemini: undeclared call, no parts",
        [
            bare(
                finishReason="UNEXPECTED_TOOL_CALL",
                finishMessage="Unexpected tool call: Model tried to call an undeclared function: f",
            )
        ],
        FAULT,
        source="epam#325",
    ),
    row(
        "gemini: undeclared call in the parts",
        [event(call("f", A), end="UNEXPECTED_TOOL_CALL")],
        FAULT,
        source="TanStack#199",
    ),
    row(
        "gemini: content without parts",
        [bare(content={"role": "model"}, finishReason="STOP")],
        FAULT,
        source="python-genai#1289",
    ),
    row("gemini: no parts", [event(end="STOP")], FAULT),
    row("gemini: an empty part", [event(EMPTY, end="STOP")], FAULT, source="livekit#4066"),
    row("gemini: no content", [bare(finishReason="STOP")], FAULT),
    row("gemini: no candidates", [{"candidates": [], **HEAD}], FAULT, source="litellm#24442"),
    row(
        "gemini: no candidates at all",
        [{**HEAD, "usageMetadata": {"promptTokenCount": 5, "totalTokenCount": 5}}],
        FAULT,
    ),
    row("gemini: nothing", [], FAULT),
    row("gemini: no finish reason", [event(text("Good day."))], FAULT),
    row("gemini: no finish reason behind a call", [event(call("f", A))], FAULT),
    row(
        "gemini: thoughts alone",
        [event(THOUGHT), event(EMPTY, end="STOP")],
        FAULT,
        whole=event(THOUGHT, end="STOP"),
    ),
    row("gemini: unknown reason", [event(text("Good day."), end="OTHER")], FAULT),
    row("gemini: length without a word", [bare(finishReason="MAX_TOKENS")], Meaning(finish="length")),
    row(
        "gemini: length",
        [event(text("Good day."), end="MAX_TOKENS")],
        Meaning(text="Good day.", finish="length"),
    ),
    *(
        row(
            f"gemini: {reason}",
            [event(text("Good day.")), bare(finishReason=reason)],
            Meaning(text="Good day.", finish="content_filter"),
        )
        for reason in (
            "SAFETY",
            "RECITATION",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "IMAGE_SAFETY",
            "LANGUAGE",
        )
    ),
    row(
        "gemini: SAFETY without a word",
        [bare(finishReason="SAFETY", safetyRatings=[])],
        Meaning(finish="content_filter"),
    ),
    row("gemini: prompt blocked", [_FEEDBACK], Meaning(finish="content_filter")),
    row(
        "gemini: prompt blocked, no candidates",
        [{**_FEEDBACK, "candidates": []}],
        Meaning(finish="content_filter"),
    ),
    row(
        "gemini: no responseId or modelVersion",
        [{"candidates": event(text("Good day."), end="STOP")["candidates"]}],
        GOOD,
    ),
    row(
        "gemini: no index",
        [{"candidates": [{"content": {"parts": [text("Good day.")]}, "finishReason": "STOP"}]}],
        GOOD,
    ),
    row(
        "gemini: vendor's fields everywhere",
        [
            {
                **event(
                    text("Good day.", x=1),
                    end="STOP",
                    safetyRatings=[{"category": "X"}],
                    citationMetadata={"citations": []},
                    groundingMetadata={},
                    avgLogprobs=-0.1,
                ),
                "createTime": "2026-01-01T00:00:00Z",
                "x": {"y": 1},
            }
        ],
        GOOD,
    ),
    row(
        "gemini: two candidates",
        [
            {
                "candidates": [
                    {"index": at, "content": {"parts": [text(said)]}, "finishReason": "STOP"}
                    for at, said in enumerate(("Good day.", "Hello."))
                ],
                **HEAD,
            },
        ],
        Meaning(text="Good day.", others=(Meaning(text="Hello."),)),
    ),
    row(
        "gemini: a character cut in two",
        [event(text("x\ud83d")), event(text("\ude00y"), end="STOP")],
        Meaning(text="x\U0001f600y"),
    ),
]
