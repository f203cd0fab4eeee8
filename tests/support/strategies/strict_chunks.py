"""Draws the strict chunks of one streamed answer, in every order that the rules of strict chunks allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

NAMES = ("f", "ex", "ns__g", "local_shell", "undeclared")
"""The names of the called tools. The last one is declared nowhere."""

_OBJECTS = ("{}", '{"a":1}', '{"input":"a\\nb"}', '{"command":["ls"]}', '{"a":{"b":[1,"}"]}} ')
_BROKEN = ("", "null", '"{}"', "x", '{"a"', "[1]")
_TEXTS = st.sampled_from(["a", " ", "日本", "\n\n", "😀", 'q"'])


@dataclass(frozen=True, slots=True)
class StrictAnswer:
    """One answer, its *chunks*, and what the chunks hold."""

    chunks: list[dict[str, Any]]
    text: str
    thoughts: str
    calls: list[tuple[str, str, str]]
    """The id, the flat name and the arguments of each call, as far as they came."""

    signatures: dict[str, str]
    text_signature: str | None
    finish: str
    usage: dict[str, int] | None = field(default=None)


def _cut(text: str, places: Sequence[int]) -> list[str]:
    bounds = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


@st.composite
def _call_pieces(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw the pieces of one call, without its index and id."""
    arguments = draw(st.sampled_from(_OBJECTS + _OBJECTS + _BROKEN))
    texts = _cut(arguments, draw(st.lists(st.integers(0, 30), max_size=3)))
    pieces: list[dict[str, Any]] = [{"function": {"arguments": text}} for text in texts]
    pieces[0]["function"]["name"] = draw(st.sampled_from(NAMES))
    if draw(st.booleans()):
        signature = {"google": {"thought_signature": draw(st.sampled_from(["c2ln", "YWJj"]))}}
        draw(st.sampled_from(pieces))["extra_content"] = signature
    return pieces


def _join(deltas: list[dict[str, Any]], joins: Sequence[bool]) -> list[dict[str, Any]]:
    """Join neighbouring deltas without a common field, where *joins* says so."""
    joined: list[dict[str, Any]] = []
    for at, delta in enumerate(deltas):
        last = joined[-1] if joined else {}
        if joined and joins and joins[at % len(joins)] and not last.keys() & delta.keys():
            joined[-1] = {**last, **delta}
        else:
            joined.append(delta)
    return joined


@st.composite
def strict_answers(draw: st.DrawFn) -> StrictAnswer:
    """Draw an answer with any texts, thoughts, refusals and calls, in any order, and maybe cut off."""
    calls = draw(st.lists(_call_pieces(), max_size=3))
    sources: list[list[dict[str, Any]]] = [
        [{"content": text} for text in draw(st.lists(_TEXTS, max_size=3))],
        [{"reasoning_content": text} for text in draw(st.lists(_TEXTS, max_size=3))],
        [{"refusal": text} for text in draw(st.lists(_TEXTS, max_size=1))],
        *([{"call": piece} for piece in pieces] for pieces in calls),
    ]
    order = draw(st.permutations([at for at, source in enumerate(sources) for _ in source]))
    reason = draw(st.sampled_from(["done", "done", "done", "length", "content_filter"]))
    if reason != "done":
        order = order[: draw(st.integers(0, len(order)))]
    places: dict[int, int] = {}
    found: dict[int, tuple[str, str, str]] = {}
    signatures: dict[str, str] = {}
    deltas = []
    for source in order:
        delta = sources[source].pop(0)
        if "call" in delta:
            first = source not in places
            place = places.setdefault(source, len(places))
            names = {"id": f"call_{place}", "type": "function"} if first else {}
            piece = {"index": place, **names, **delta["call"]}
            delta = {"tool_calls": [piece]}
            call_id, name, arguments = found.get(place, (f"call_{place}", "", ""))
            name += piece["function"].get("name", "")
            found[place] = (call_id, name, arguments + piece["function"]["arguments"])
            if "extra_content" in piece:
                signatures[call_id] = piece["extra_content"]["google"]["thought_signature"]
        deltas.append(delta)
    deltas = [{"role": "assistant"}, *deltas]
    deltas = _join(deltas, draw(st.lists(st.booleans(), max_size=5)))
    finish = reason if reason != "done" else "tool_calls" if found else "stop"
    text_signature = None if found else draw(st.sampled_from([None, "dGV4dA"]))
    last: dict[str, Any] = {}
    if text_signature is not None:
        last = {"extra_content": {"google": {"thought_signature": text_signature}}}
    if len(deltas) > 1 and draw(st.booleans()):
        last = {**deltas.pop(), **last}
    head = {
        "id": "chatcmpl-a",
        "object": "chat.completion.chunk",
        "created": 1_760_000_000,
        "model": "gemini-x",
    }
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    chunks.append({**head, "choices": [{"index": 0, "delta": last, "finish_reason": finish}]})
    usage = draw(st.sampled_from([None, {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}]))
    if usage is not None:
        chunks.append({**head, "choices": [], "usage": usage})
    said = [*deltas, last]
    return StrictAnswer(
        chunks=chunks,
        text="".join(delta.get("content") or "" for delta in said),
        thoughts="".join(delta.get("reasoning_content") or "" for delta in said),
        calls=[found[place] for place in sorted(found)],
        signatures=signatures,
        text_signature=text_signature,
        finish=finish,
        usage=usage,
    )
