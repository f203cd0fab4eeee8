"""Quirks of a message apart from its calls, on OpenAI's wire: texts, thoughts, roles, choices."""

from __future__ import annotations

from tests.support.quirks.framing import PLAIN
from tests.support.quirks.meaning import GOOGLE, Meaning, Row
from tests.support.quirks.openai.parts import (
    ABSENT,
    CALL_A,
    CALLS,
    F_A,
    FAULT,
    GOOD,
    SAID,
    STOP,
    TEXT_A,
    TEXT_B,
    A,
    call,
    calling,
    calls,
    chunk,
    piece,
    row,
    say,
    whole,
    whole_calls,
)

ROWS: list[Row] = [
    row(
        "thoughts alone",
        [chunk({"reasoning_content": "Hm."}), STOP],
        FAULT,
        whole=whole({"content": None, "reasoning_content": "Hm."}),
        model=GOOGLE,
    ),
    row("thoughts alone elsewhere", [chunk({"reasoning": "Hm."}), STOP], FAULT),
    row(
        "thoughts, then text",
        [chunk({"reasoning_content": "Hm. "}), chunk({"reasoning_content": "So."}), *SAID, STOP],
        Meaning(text="Good day.", reasoning="Hm. So."),
        whole=whole({"content": "Good day.", "reasoning_content": "Hm. So."}),
    ),
    row(
        "thoughts under another name, then a call",
        [
            chunk(
                {
                    "content": "",
                    "reasoning": "Hm.",
                    "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}],
                }
            ),
            CALL_A,
            CALLS,
        ],
        calls(("f", A), reasoning="Hm."),
        whole=whole(
            {"content": None, "reasoning": "Hm.", "tool_calls": [call("a", "f", TEXT_A)]}, "tool_calls"
        ),
        source="OpenRouter",
    ),
    row(
        "empty thoughts beside a call",
        [calling(piece(0, "a", "f", TEXT_A), reasoning_content="", content=""), CALLS],
        F_A,
        whole=whole(
            {"content": "", "reasoning_content": "", "tool_calls": [call("a", "f", TEXT_A)]}, "tool_calls"
        ),
    ),
    row(
        "empty text beside a call",
        [
            calling(piece(0, "a", "f", TEXT_A), role="assistant", content=""),
            chunk({"content": ""}, "tool_calls"),
        ],
        F_A,
        whole=whole_calls(call("a", "f", TEXT_A), content=""),
    ),
    row(
        "text beside a call",
        [calling(piece(0, "a", "f", TEXT_A), content="Wait."), CALLS],
        calls(("f", A), text="Wait."),
        whole=whole_calls(call("a", "f", TEXT_A), content="Wait."),
    ),
    row(
        "empty and null lists of calls",
        [chunk({"content": "Good ", "tool_calls": []}), chunk({"content": "day.", "tool_calls": None}), STOP],
        GOOD,
        whole=whole({"content": "Good day.", "tool_calls": []}),
    ),
    row(
        "role with each chunk",
        [
            chunk({"role": "assistant", "content": "Good "}),
            chunk({"role": "assistant", "content": "day."}),
            chunk({"role": "assistant"}, "stop"),
        ],
        GOOD,
    ),
    row("no role", [say("Good day."), STOP], GOOD),
    row(
        "odd roles",
        [chunk({"role": None, "content": "Good "}), chunk({"role": "model", "content": "day."}), STOP],
        GOOD,
    ),
    row("null delta", [*SAID, chunk(None), chunk(None, "stop")], GOOD),
    row("no delta", [*SAID, chunk(ABSENT, "stop")], GOOD),
    row(
        "content of parts",
        [chunk({"content": [{"type": "text", "text": "Good day."}]}), STOP],
        GOOD,
        whole=whole({"content": [{"type": "text", "text": "Good day."}]}),
        source="Mistral",
    ),
    row(
        "two choices",
        [
            chunk({"content": "Good day."}),
            chunk({"content": "Hello."}, at=1),
            chunk({}, "length", at=1),
            STOP,
        ],
        Meaning(text="Good day.", others=(Meaning(text="Hello.", finish="length"),)),
    ),
    row(
        "two choices with calls, in one chunk",
        [
            {
                **chunk(),
                "choices": [
                    {
                        "index": at,
                        "delta": {"tool_calls": [piece(0, "a", "f", text)]},
                        "finish_reason": "stop",
                    }
                    for at, text in enumerate((TEXT_A, TEXT_B))
                ],
            },
        ],
        calls(("f", A), others=(calls(("f", {"city": "B"})),)),
    ),
    row(
        "a character cut in two",
        [say("x\ud83d"), say("\ude00y"), STOP],
        Meaning(text="x\U0001f600y"),
        framing=PLAIN,
    ),
    row(
        "half a character",
        [say("x\ud83d"), STOP],
        Meaning(text="x\ufffd"),
        whole=whole({"content": "x\ud83d"}),
    ),
]
