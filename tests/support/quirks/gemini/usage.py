"""Quirks of usage, on Gemini's own wire."""

from __future__ import annotations

from typing import Any

from tests.support.quirks.gemini.parts import (
    COUNTED,
    EMPTY,
    GOOD,
    TRAFFIC,
    USAGE,
    A,
    call,
    calls,
    event,
    row,
    text,
)
from tests.support.quirks.meaning import UNTOLD, Meaning, Row

_T = {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 7, "totalTokenCount": 22}
_THOUGHT_COUNTED = {
    "prompt_tokens": 10,
    "completion_tokens": 12,
    "total_tokens": 22,
    "completion_tokens_details": {"reasoning_tokens": 7},
}
_USED = Meaning(text="Good day.", usage=COUNTED)


def _used(*usages: Any) -> list[Any]:
    *first, last = usages
    return [
        *(event(text("Good "), usage=one) for one in first[:1]),
        *(event(usage=one) for one in first[1:]),
        event(text("day." if first else "Good day."), end="STOP", usage=last),
    ]


ROWS: list[Row] = [
    row("gemini: usage at the end", _used(USAGE), _USED),
    row(
        "gemini: usage with each event",
        _used(
            {"promptTokenCount": 10, "totalTokenCount": 10},
            {**USAGE, "candidatesTokenCount": 2, "totalTokenCount": 12},
            USAGE,
        ),
        _USED,
    ),
    row(
        "gemini: thoughts beside the candidates",
        _used(_T),
        Meaning(text="Good day.", usage=_THOUGHT_COUNTED),
        source="envoy#2399",
    ),
    row(
        "gemini: thoughts within the candidates",
        _used({**_T, "candidatesTokenCount": 12}),
        Meaning(text="Good day.", usage=_THOUGHT_COUNTED),
        source="litellm#10141",
    ),
    row(
        "gemini: traffic type until the end",
        _used(TRAFFIC, TRAFFIC, {**USAGE, **TRAFFIC}),
        _USED,
        source="agenthub",
    ),
    row(
        "gemini: traffic type behind the usage",
        [*_used(USAGE), event(EMPTY, end="STOP", usage=TRAFFIC)],
        _USED,
    ),
    row(
        "gemini: cached tokens",
        _used({**USAGE, "cachedContentTokenCount": 4}),
        Meaning(text="Good day.", usage={**COUNTED, "prompt_tokens_details": {"cached_tokens": 4}}),
    ),
    row(
        "gemini: no usage of candidates",
        _used({"promptTokenCount": 10, "totalTokenCount": 10}),
        Meaning(text="Good day.", usage={"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 10}),
    ),
    row("gemini: no total", _used({"promptTokenCount": 10, "candidatesTokenCount": 5}), _USED),
    row("gemini: a total alone", _used({"totalTokenCount": 15}), Meaning(text="Good day.", usage=UNTOLD)),
    row(
        "gemini: a total that is too small",
        _used({**USAGE, "totalTokenCount": 3}),
        Meaning(text="Good day.", usage=UNTOLD),
    ),
    row(
        "gemini: a total that is too large",
        _used({**USAGE, "totalTokenCount": 99}),
        Meaning(text="Good day.", usage=UNTOLD),
    ),
    row(
        "gemini: tokens of tools",
        _used({**USAGE, "toolUsePromptTokenCount": 3, "totalTokenCount": 18}),
        Meaning(text="Good day.", usage={"prompt_tokens": 13, "completion_tokens": 5, "total_tokens": 18}),
    ),
    row("gemini: traffic type alone", _used(TRAFFIC), GOOD),
    row(
        "gemini: usage behind a call",
        [event(call("f", A), end="STOP", usage=_T)],
        calls(("f", A), usage=_THOUGHT_COUNTED),
    ),
]
