"""Draws streams on OpenAI's wire with any combination of the quirks, and their meanings."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.support.quirks.drawing import FRAMINGS, TEXTS, cut, distinct_calls
from tests.support.quirks.framing import DONE
from tests.support.quirks.meaning import GOOGLE, OTHER, Meaning, Row
from tests.support.quirks.openai.noise import cluttered
from tests.support.quirks.openai.parts import ABSENT, present
from tests.support.quirks.openai.ways import Slot, Way, draw_slots, sent_again, understood, ways

_FAULTS: dict[str, list[Any]] = {
    "error": [{"error": {"code": 503, "message": "Overloaded."}}],
    "array": [[{"error": {"code": 503, "message": "Overloaded."}}]],
    "garbage": ["{]"],
    "broken off": [],
}
_FILTERS = ["function_call_filter: MALFORMED_FUNCTION_CALL", "function_call_filter: UNEXPECTED_TOOL_CALL"]


@st.composite
def openai_rows(draw: st.DrawFn) -> Row:
    """Draw a row: a stream that writes an answer in a random way, and the answer's meaning."""
    model = draw(st.sampled_from([GOOGLE, OTHER]))
    way = draw(ways())
    calls = understood(way, draw(distinct_calls()))
    text, thoughts = draw(TEXTS), draw(st.sampled_from(["", "", "Hm.", "Hm, so: 日"]))
    finish, meant_finish = _draw_finish(draw, bool(calls))
    slots = draw_slots(draw, way, calls, meant_finish in ("length", "content_filter"))

    deltas = [*_texts(draw, thoughts, text), *_calls(draw, way, slots)]
    chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    fault = draw(st.sampled_from([None] * 12 + [*_FAULTS, "filter"]))
    if fault == "filter":
        finish = draw(st.sampled_from(_FILTERS))
    ends_at = _end(draw, chunks, finish) if fault in (None, "filter") else None
    usage = _draw_usage(draw, chunks, ends_at)
    events: list[Any] = _with_heads(draw, chunks)
    if draw(st.booleans()):
        events = [cluttered(one) for one in events]
    events += _FAULTS.get(fault or "", [])
    if fault is None or draw(st.booleans()):
        events += [DONE] if draw(st.booleans()) else []

    said = Meaning(text, thoughts, tuple(calls), meant_finish, usage, ids=_kept_ids(model, way, slots))
    if fault is not None or _says_nothing(said, model):
        said = Meaning(fault=True)
    return Row("generated", model, draw(FRAMINGS).write(events), said, source=_told(way, slots))


def _says_nothing(said: Meaning, model: str) -> bool:
    if said.text.strip() or said.calls or said.finish in ("length", "content_filter"):
        return False
    return model == GOOGLE or bool(said.reasoning)


def _draw_finish(draw: st.DrawFn, called: bool) -> tuple[str, str]:
    reason = draw(
        st.sampled_from(["stop", "tool_calls", "stop", "tool_calls", "length", "content_filter", "eos"])
    )
    if reason in ("length", "content_filter"):
        return reason, reason
    return reason, "tool_calls" if called else "stop"


def _texts(draw: st.DrawFn, thoughts: str, text: str) -> list[dict[str, Any]]:
    under = draw(st.sampled_from(["reasoning_content", "reasoning"]))
    deltas: list[dict[str, Any]] = []
    if draw(st.booleans()):
        deltas.append({"role": "assistant", "content": draw(st.sampled_from(["", None]))})
    deltas += [{under: part, **draw(st.sampled_from([{}, {"content": ""}]))} for part in cut(draw, thoughts)]
    extra: list[dict[str, Any]] = [
        {},
        {"tool_calls": []},
        {"tool_calls": None},
        {"role": "assistant"},
        {"refusal": None},
    ]
    deltas += [{"content": part, **draw(st.sampled_from(extra))} for part in cut(draw, text)]
    return deltas


def _calls(draw: st.DrawFn, way: Way, slots: list[Slot]) -> list[dict[str, Any]]:
    lines = [list(slot.pieces) for slot in slots]
    for at, slot in enumerate(slots):
        again = sent_again(way, at, slot)
        if again is not None and draw(st.integers(0, 3)) == 0:
            lines[at].append(again)
    simple = all(len(slot.meant) == 1 for slot in slots)
    if way.index == "right" and simple and draw(st.booleans()):
        longest = max(map(len, lines), default=0)
        pieces = [line[at] for at in range(longest) for line in lines if at < len(line)]
    else:
        pieces = [piece for line in lines for piece in line]
    beside: dict[str, Any] = draw(
        st.sampled_from([{}, {"content": ""}, {"content": None}, {"reasoning_content": ""}])
    )
    groups: list[list[Any]] = []
    for piece in pieces:
        together = draw(st.integers(0, 3)) == 0
        if groups and together:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [{**beside, "tool_calls": group} for group in groups]


def _end(draw: st.DrawFn, chunks: list[dict[str, Any]], finish: str) -> int:
    """Add the finish reason in the last chunk or in a new one, and return that chunk's index."""
    in_last = draw(st.booleans())
    if chunks and in_last:
        chunks[-1]["choices"][0]["finish_reason"] = finish
    else:
        delta = draw(
            st.sampled_from([{}, None, ABSENT, {"content": ""}, {"role": "assistant"}, {"tool_calls": []}])
        )
        chunks.append({"choices": [present(index=0, delta=delta, finish_reason=finish)]})
    at = len(chunks) - 1
    if draw(st.integers(0, 3)) == 0:
        chunks.append({"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}]})
    return at


def _draw_usage(draw: st.DrawFn, chunks: list[dict[str, Any]], ends_at: int | None) -> dict[str, Any] | None:
    prompt, completion, thoughts = (draw(st.integers(0, 2000)) for _ in range(3))
    usage: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": completion}
    usage["total_tokens"] = prompt + completion
    meant = dict(usage)
    form = draw(st.sampled_from(["plain", "plain", "details", "thoughts in the total", "clutter"]))
    if form == "details":
        usage["prompt_tokens_details"] = meant["prompt_tokens_details"] = {"cached_tokens": prompt // 2}
        usage["completion_tokens_details"] = meant["completion_tokens_details"] = {
            "reasoning_tokens": completion // 3
        }
    elif form == "thoughts in the total":
        usage["total_tokens"] += thoughts
        meant |= {"completion_tokens": completion + thoughts, "total_tokens": prompt + completion + thoughts}
        if thoughts:
            meant["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    elif form == "clutter":
        usage |= {"cost": 0.1, "queue_time": 0.2, "prompt_tokens_details": None, "completion_time": 0}
    place = draw(st.sampled_from(["none", "own", "own", "end", "each", "null", "both"]))
    if place == "none" or not chunks or ends_at is None:
        return None
    if place in ("null", "each"):
        for at, chunk in enumerate(chunks):
            part = {"prompt_tokens": prompt, "completion_tokens": at, "total_tokens": prompt + at}
            chunk["usage"] = None if place == "null" else usage if chunk is chunks[-1] else part
    if place in ("end", "both"):
        chunks[ends_at]["usage"] = usage
    if place in ("own", "null", "both"):
        chunks.append({"choices": [], "usage": usage})
    return meant


def _with_heads(draw: st.DrawFn, chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = draw(st.sampled_from(["same", "null", "absent", "empty", "changing", "late"]))
    created = draw(st.sampled_from([1_760_000_000, 0, None, ABSENT]))
    model = draw(st.sampled_from(["some-model", "", None, ABSENT]))
    kind = draw(st.sampled_from(["chat.completion.chunk", "", ABSENT]))
    head = present(object=kind, created=created, model=model)
    given = {"same": "chatcmpl-1", "null": None, "absent": ABSENT, "empty": ""}
    return [
        {
            **head,
            **present(id=given.get(ids, f"c{at}" if ids == "changing" else "c" if at else "")),
            **chunk,
        }
        for at, chunk in enumerate(chunks)
    ]


def _kept_ids(model: str, way: Way, slots: list[Slot]) -> tuple[str | None, ...]:
    """Return the call ids that must reach the client unchanged: legal, distinct ids of models other than Gemini's."""
    kept = model == OTHER and way.ids in ("own", "own each")
    return tuple(
        way.id_of(at, slot.name, 0) if kept and number == 0 else None
        for at, slot in enumerate(slots)
        for number in range(len(slot.meant))
    )


def _told(way: Way, slots: list[Slot]) -> str:
    """Describe how the calls are written, for the report of a failed test."""
    return f"{way} {[slot.pieces for slot in slots]}"
