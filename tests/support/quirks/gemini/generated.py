"""Draws streams on Gemini's own wire with any combination of the quirks, and their meanings."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.support.quirks.drawing import FRAMINGS, TEXTS, cut, distinct_calls
from tests.support.quirks.gemini.parts import EMPTY, HEAD, OVERLOADED, SIGNATURE, TRAFFIC
from tests.support.quirks.meaning import NATIVE, Meaning, Row

_FILTERED = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"]
_NO_ENDS = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER"]
_FAULTS: dict[str, list[Any]] = {"error": [OVERLOADED], "array": [[OVERLOADED]], "garbage": ["{]"]}
_CLUTTER = {"safetyRatings": [], "citationMetadata": {}, "avgLogprobs": -0.1, "tokenCount": 3, "x": None}

Part = dict[str, Any]


@st.composite
def gemini_rows(draw: st.DrawFn) -> Row:
    """Draw a row: the events of a stream that writes an answer in a random way, and the answer's meaning."""
    calls = draw(distinct_calls())
    text, thoughts = draw(TEXTS), draw(st.sampled_from(["", "", "Hm.", "Hm, so: 日"]))
    reason = draw(st.sampled_from(["STOP"] * 4 + ["MAX_TOKENS", draw(st.sampled_from(_FILTERED))]))
    fault = draw(st.sampled_from([None] * 10 + ["error", "array", "garbage", "broken off", "reason"]))
    if fault == "reason":
        reason = draw(st.sampled_from(_NO_ENDS))
    said_parts, signatures = _draw_parts(draw, thoughts, text, calls)
    groups = _grouped(draw, said_parts)
    events = [_event(parts) for parts in groups]
    if fault in (None, "reason"):
        _end(draw, events, reason)
    usage = _draw_usage(draw, events)
    if draw(st.booleans()):
        events = [_cluttered(event) for event in events]
    sent: list[Any] = list(events)
    sent += _FAULTS.get(fault or "", [])

    finish = {"STOP": "tool_calls" if calls else "stop", "MAX_TOKENS": "length"}.get(reason, "content_filter")
    meaning = Meaning(text, thoughts, tuple(calls), finish, usage, signatures=signatures)
    if fault is not None or (finish == "stop" and not text.strip()):
        meaning = Meaning(fault=True)
    return Row("generated", NATIVE, draw(FRAMINGS).write(sent), meaning, source=repr(groups))


def _draw_parts(
    draw: st.DrawFn, thoughts: str, text: str, calls: list[tuple[str, dict[str, Any]]]
) -> tuple[list[Part], tuple[str | None, ...]]:
    parts: list[Part] = [{"text": part, "thought": True} for part in cut(draw, thoughts)]
    parts += [{"text": part} for part in cut(draw, text)]
    signed_at = (
        draw(st.sampled_from(["nowhere", "thought", "empty text", "call", "behind"])) if calls else "nowhere"
    )
    signed = {"thoughtSignature": SIGNATURE}
    if signed_at == "thought":
        parts.append({"text": "", "thought": True, **signed})
    elif signed_at == "empty text":
        parts.append({"text": "", **signed})
    ids = draw(st.sampled_from(["own", "none", "empty", "name", "answer", "long"]))
    for at, (name, args) in enumerate(calls):
        part = _call(draw, ids, at, name, args)
        if at == 0 and signed_at == "call":
            part |= signed
        parts.append(part)
        if ids in ("own", "long", "name", "answer") and draw(st.integers(0, 3)) == 0:
            parts.append({"functionCall": part["functionCall"]})
    if signed_at == "behind":
        parts.append({"text": "", **signed})
    return parts, (SIGNATURE,) if signed_at != "nowhere" else ()


def _call(draw: st.DrawFn, ids: str, at: int, name: str, args: dict[str, Any]) -> Part:
    call: dict[str, Any] = {"name": name, "args": args}
    if not args:
        call |= draw(st.sampled_from([{}, {"args": None}]))
        if draw(st.booleans()):
            del call["args"]
    given = {
        "own": f"id_{at}",
        "empty": "",
        "name": name,
        "answer": HEAD["responseId"],
        "long": f"{at} " + "x" * 60,
    }
    return {"functionCall": call if ids == "none" else {"id": given[ids], **call}}


def _grouped(draw: st.DrawFn, parts: list[Part]) -> list[list[Part]]:
    groups: list[list[Part]] = [[]]
    for part in parts:
        apart = draw(st.booleans())
        if groups[-1] and apart:
            groups.append([])
        if draw(st.integers(0, 7)) == 0:
            groups[-1].append(EMPTY)
        groups[-1].append(part)
    return groups


def _event(parts: list[Part]) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], **HEAD}


def _end(draw: st.DrawFn, events: list[dict[str, Any]], reason: str) -> None:
    """Add the finish reason in the last event, in one more event or, for STOP, in every event."""
    how = draw(st.sampled_from(["last", "empty text", "no parts", "no content", "each"]))
    if how == "each" and reason == "STOP":
        for event in events:
            event["candidates"][0]["finishReason"] = reason
        return
    if how in ("last", "each"):
        events[-1]["candidates"][0]["finishReason"] = reason
    else:
        content = {
            "empty text": {"role": "model", "parts": [EMPTY]},
            "no parts": {"role": "model"},
            "no content": None,
        }
        events.append({"candidates": [{"index": 0, "content": content[how], "finishReason": reason}], **HEAD})
    if reason == "STOP" and draw(st.booleans()):
        events.append({"candidates": [{"content": {"parts": [EMPTY]}, "finishReason": "STOP"}]})


def _draw_usage(draw: st.DrawFn, events: list[dict[str, Any]]) -> dict[str, Any] | None:
    prompt, completion, thoughts, cached = (draw(st.integers(0, 2000)) for _ in range(4))
    counts = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": completion,
        "totalTokenCount": prompt + completion,
    }
    meant: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    if draw(st.booleans()) and thoughts:
        counts |= {"thoughtsTokenCount": thoughts, "totalTokenCount": prompt + completion + thoughts}
        meant |= {"completion_tokens": completion + thoughts, "total_tokens": prompt + completion + thoughts}
        meant["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    if draw(st.booleans()):
        counts["cachedContentTokenCount"] = cached % (prompt + 1)
        meant["prompt_tokens_details"] = {"cached_tokens": cached % (prompt + 1)}
    form = draw(st.sampled_from(["none", "end", "traffic", "each", "traffic alone"]))
    if form == "none":
        return None
    for at, event in enumerate(events[:-1]):
        if form.startswith("traffic"):
            event["usageMetadata"] = TRAFFIC
        elif form == "each":
            event["usageMetadata"] = {
                "promptTokenCount": prompt,
                "candidatesTokenCount": at,
                "totalTokenCount": prompt + at,
            }
    events[-1]["usageMetadata"] = TRAFFIC if form == "traffic alone" else counts
    return None if form == "traffic alone" else meant


def _cluttered(event: dict[str, Any]) -> dict[str, Any]:
    candidates = [{**candidate, **_CLUTTER} for candidate in event["candidates"]]
    return {**event, "candidates": candidates, "createTime": "2026-01-01T00:00:00Z", "x": {"y": [1]}}
