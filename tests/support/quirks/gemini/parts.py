"""Builders of the parts, events and rows of examples on Gemini's own wire, and frequent constants."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.support.quirks.framing import PLAIN, Framing
from tests.support.quirks.meaning import NATIVE, Meaning, Row

A = {"city": "A"}
B = {"city": "B"}
SIGNATURE = "c2lnbmF0dXJlLW9mLWEtdGhvdWdodA=="
USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
COUNTED = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
TRAFFIC = {"trafficType": "ON_DEMAND"}
HEAD = {"modelVersion": "gemini-3.6-flash", "responseId": "resp-1"}


def text(said: str, **fields: Any) -> dict[str, Any]:
    """Return a part with text."""
    return {"text": said, **fields}


def call(name: str = "f", args: Any = None, **fields: Any) -> dict[str, Any]:
    """Return a part with a call. Keyword arguments other than `id` become fields of the part."""
    named = {"id": fields.pop("id")} if "id" in fields else {}
    given = {} if args is None else {"args": args}
    return {"functionCall": {**named, "name": name, **given}, **fields}


def event(*parts: Any, end: str | None = None, usage: Any = None, **fields: Any) -> dict[str, Any]:
    """Return an event with one candidate. Keyword arguments become fields of the candidate."""
    candidate = {"content": {"role": "model", "parts": list(parts)}, "index": 0, **fields}
    ending = {} if end is None else {"finishReason": end}
    return {
        "candidates": [{**candidate, **ending}],
        **({} if usage is None else {"usageMetadata": usage}),
        **HEAD,
    }


def bare(**fields: Any) -> dict[str, Any]:
    """Return an event with one candidate that has no parts."""
    return {"candidates": [{"index": 0, **fields}], **HEAD}


def row(
    name: str,
    events: list[Any],
    meaning: Meaning,
    *,
    source: str = "",
    whole: Any = None,
    framing: Framing = PLAIN,
    taken: tuple[str, ...] = (),
) -> Row:
    """Return a row. A stream of one event is also the row's whole answer, unless *whole* is given.

    The last event gets usage, as Gemini always sends it, unless an event already has usage.
    """
    if events and not any("usageMetadata" in one for one in events):
        events = [*events[:-1], _counted(events[-1])]
        whole = _counted(whole)
        meaning = replace(meaning, usage=COUNTED)
    if whole is None and len(events) == 1:
        whole = events[0]
    return Row(
        name,
        NATIVE,
        framing.write(events),
        meaning,
        json.dumps(whole).encode() if whole else None,
        taken,
        source,
    )


def _counted(event: Any) -> Any:
    """Return *event* with usage added if it belongs to an answer. An error or another value is returned unchanged."""
    is_answer = isinstance(event, dict) and "error" not in event
    return {**event, "usageMetadata": USAGE} if is_answer else event


def calls(*found: tuple[str, Any], finish: str = "tool_calls", **more: Any) -> Meaning:
    """Return the meaning of an answer that makes the calls *found*."""
    return Meaning(calls=found, finish=finish, **more)


F_A = calls(("f", A))
TWO = calls(("f", A), ("f", B))
FAULT = Meaning(fault=True)
GOOD = Meaning(text="Good day.")
THOUGHT = text("Hm.", thought=True)
EMPTY = text("")
SAID = [event(text("Good ")), event(text("day."), end="STOP")]
SIGNED = {"thoughtSignature": SIGNATURE}
OVERLOADED = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
