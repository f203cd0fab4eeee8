"""Quirks of usage, on OpenAI's wire."""

from __future__ import annotations

from typing import Any

from tests.support.quirks.meaning import GOOGLE, UNTOLD, Meaning, Row
from tests.support.quirks.openai.parts import CALL_A, SAID, STOP, A, calls, chunk, row, say, whole

_U = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
_USED = Meaning(text="Good day.", usage=_U)
_THOUGHT = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 25}
_COUNTED = {
    "prompt_tokens": 10,
    "completion_tokens": 15,
    "total_tokens": 25,
    "completion_tokens_details": {"reasoning_tokens": 10},
}
_DETAILED = {
    **_U,
    "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens_details": {"reasoning_tokens": 2},
}


def _grown(completion: int) -> dict[str, int]:
    return {"prompt_tokens": 10, "completion_tokens": completion, "total_tokens": 10 + completion}


def _whole(usage: Any) -> bytes:
    return whole({"content": "Good day."}, usage=usage)


ROWS: list[Row] = [
    row("usage in a chunk of its own", [*SAID, STOP, chunk(choices=[], usage=_U)], _USED, whole=_whole(_U)),
    row("usage beside the finish reason", [*SAID, {**STOP, "usage": _U}], _USED, source="Gemini's endpoint"),
    row("usage beside the last text", [say("Good "), say("day.", usage=_U), STOP], _USED),
    row(
        "usage that grows with each chunk",
        [say("Good ", usage=_grown(2)), say("day.", usage=_grown(4)), {**STOP, "usage": _U}],
        _USED,
        source="Gemini's endpoint",
    ),
    row(
        "usage beside the end and behind it",
        [*SAID, {**STOP, "usage": _U}, chunk(choices=[], usage=_U)],
        _USED,
    ),
    row(
        "usage in an empty choice",
        [*SAID, STOP, chunk({"role": "assistant", "content": ""}, usage=_U)],
        _USED,
        source="OpenRouter",
    ),
    row(
        "null usage in each chunk",
        [{**one, "usage": None} for one in (*SAID, STOP)],
        Meaning(text="Good day."),
        whole=_whole(None),
    ),
    row(
        "usage behind null ones",
        [*({**one, "usage": None} for one in (*SAID, STOP)), chunk(choices=[], usage=_U)],
        _USED,
    ),
    row(
        "empty usage",
        [*SAID, STOP, chunk(choices=[], usage={})],
        Meaning(text="Good day."),
        whole=_whole({}),
    ),
    row("usage behind a call", [CALL_A, STOP, chunk(choices=[], usage=_U)], calls(("f", A), usage=_U)),
    row(
        "total with the thoughts",
        [*SAID, STOP, chunk(choices=[], usage=_THOUGHT)],
        Meaning(text="Good day.", usage=_COUNTED),
        whole=_whole(_THOUGHT),
        model=GOOGLE,
        source="envoy#2399",
    ),
    row(
        "no total",
        [*SAID, STOP, chunk(choices=[], usage={"prompt_tokens": 10, "completion_tokens": 5})],
        _USED,
        whole=_whole({"prompt_tokens": 10, "completion_tokens": 5}),
    ),
    row(
        "a total alone",
        [*SAID, STOP, chunk(choices=[], usage={"total_tokens": 15})],
        Meaning(text="Good day.", usage=UNTOLD),
        whole=_whole({"total_tokens": 15}),
    ),
    row(
        "counts as floats and a cost",
        [
            *SAID,
            STOP,
            chunk(choices=[], usage={**_U, "completion_tokens": 5.0, "cost": 0.1, "queue_time": 0.2}),
        ],
        _USED,
        whole=_whole({**_U, "cost": 0.1}),
    ),
    row(
        "counts that are none",
        [
            *SAID,
            STOP,
            chunk(choices=[], usage={"prompt_tokens": "ten", "completion_tokens": -1, "total_tokens": None}),
        ],
        Meaning(text="Good day.", usage=UNTOLD),
        whole=_whole({"prompt_tokens": "ten", "completion_tokens": -1}),
    ),
    row(
        "details",
        [*SAID, STOP, chunk(choices=[], usage=_DETAILED)],
        Meaning(text="Good day.", usage=_DETAILED),
        whole=_whole(_DETAILED),
    ),
    row(
        "details of a vendor's",
        [
            *SAID,
            STOP,
            chunk(
                choices=[],
                usage={
                    **_DETAILED,
                    "prompt_tokens_details": {"cached_tokens": 4, "text_tokens": 6, "image_tokens": None},
                    "prompt_cache_hit_tokens": 4,
                },
            ),
        ],
        Meaning(text="Good day.", usage=_DETAILED),
        source="litellm, DeepSeek",
    ),
    row(
        "null details",
        [*SAID, STOP, chunk(choices=[], usage={**_U, "prompt_tokens_details": None})],
        _USED,
        whole=_whole({**_U, "prompt_tokens_details": None}),
    ),
    row("usage before the end", [chunk(choices=[], usage=_U), *SAID, STOP], _USED),
]
