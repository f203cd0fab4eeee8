"""Random answers, whole and as chunks of a stream, and functions that join the chunks as a client does."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from tests.support.builders import call

Answer = dict[str, Any]
NAMES = ("f", "g", "task", "transfer_to_a")

_calls = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["{}", '{"a": 1}', ""])), max_size=5)
_choices = st.tuples(
    st.sampled_from([None, "", "I look.", "Here you are."]),
    _calls,
    st.none() | st.sampled_from(NAMES),
    st.sampled_from([None, None, "No."]),
)


def answers() -> st.SearchStrategy[Answer]:
    """Draw whole answers of up to three choices: texts, refusals, calls and legacy calls."""
    return st.lists(_choices, min_size=1, max_size=3).map(answer_of)


def answer_of(plans: Iterable[tuple[str | None, list[tuple[str, str]], str | None, str | None]]) -> Answer:
    """Return an answer. Each plan is the text, the calls, the legacy call and the refusal of a choice."""
    choices = []
    for index, (said, calls, legacy, refusal) in enumerate(plans):
        message: dict[str, Any] = {"role": "assistant", "content": said}
        if calls:
            message["tool_calls"] = [
                call(f"c{index}_{at}", name, written) for at, (name, written) in enumerate(calls)
            ]
        if legacy is not None:
            message["function_call"] = {"name": legacy, "arguments": '{"a": 1}'}
        if refusal is not None:
            message["refusal"] = refusal
        reason = "tool_calls" if calls else "function_call" if legacy else "stop"
        choices.append({"index": index, "message": message, "finish_reason": reason})
    return {"id": "x", "object": "chat.completion", "model": "m", "choices": choices}


def chunks_of(answer: Answer, data: st.DataObject) -> list[Answer]:
    """Cut an answer into the chunks of a stream, in a drawn order."""
    streams = [list(_deltas(choice, data)) for choice in answer["choices"]]
    chunks = []
    while any(streams):
        at = data.draw(st.sampled_from([at for at, deltas in enumerate(streams) if deltas]))
        delta, reason = streams[at].pop(0)
        choice = {"index": at, "delta": delta, "finish_reason": reason}
        chunks.append({"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})
    return [
        *chunks,
        {"id": "x", "object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 1}},
    ]


def _deltas(choice: Answer, data: st.DataObject) -> Iterable[tuple[dict[str, Any], str | None]]:
    message = choice["message"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    for field in ("content", "refusal"):
        deltas += [{field: piece} for piece in _cut(message.get(field) or "", data)]
    pieces: list[dict[str, Any]] = []
    for at, entry in enumerate(message.get("tool_calls", ())):
        function = entry["function"]
        begins = {"name": function["name"], "arguments": ""}
        pieces.append({"index": at, "id": entry["id"], "type": "function", "function": begins})
        pieces += [
            {"index": at, "function": {"arguments": text}} for text in _cut(function["arguments"], data)
        ]
    together = data.draw(st.booleans())
    if pieces and together:  # several calls in one delta, each with one piece
        heads = [piece for piece in pieces if "id" in piece]
        deltas.append({"tool_calls": heads})
        pieces = [piece for piece in pieces if "id" not in piece]
    deltas += [{"tool_calls": [piece]} for piece in pieces]
    legacy = message.get("function_call")
    if legacy is not None:
        deltas.append({"function_call": {"name": legacy["name"], "arguments": ""}})
        deltas += [{"function_call": {"arguments": text}} for text in _cut(legacy["arguments"], data)]
    if data.draw(st.booleans()):
        deltas.append({})
    at_end = data.draw(st.booleans())
    for delta in deltas[:-1]:
        yield delta, None
    yield deltas[-1], (choice["finish_reason"] if at_end else None)
    if not at_end:
        yield {}, choice["finish_reason"]


def _cut(said: str, data: st.DataObject) -> list[str]:
    cut = data.draw(st.integers(0, len(said)))
    return [piece for piece in (said[:cut], said[cut:]) if piece]


def accumulate(chunks: Iterable[Answer]) -> dict[int, Answer]:
    """Return each choice's message and finish reason, by index, as a client joins them from the chunks."""
    choices: dict[int, Answer] = {}
    for chunk in chunks:
        for choice in chunk["choices"]:
            one = choices.setdefault(
                choice["index"], {"content": "", "refusal": "", "calls": [], "legacy": None, "finish": None}
            )
            delta = choice["delta"]
            one["content"] += delta.get("content") or ""
            one["refusal"] += delta.get("refusal") or ""
            for piece in delta.get("tool_calls", ()):
                if piece["index"] == len(one["calls"]):
                    one["calls"].append({"id": piece["id"], **copy.deepcopy(piece["function"])})
                else:
                    one["calls"][piece["index"]]["arguments"] += piece["function"]["arguments"]
            if "function_call" in delta:
                piece = delta["function_call"]
                if one["legacy"] is None:
                    one["legacy"] = dict(piece)
                else:
                    one["legacy"]["arguments"] += piece["arguments"]
            assert one["finish"] is None
            one["finish"] = choice["finish_reason"]
    return choices


def read_whole(answer: Answer) -> dict[int, Answer]:
    """Return each choice's message and finish reason, by index, from a whole answer."""
    return {
        choice["index"]: {
            "content": choice["message"]["content"] or "",
            "refusal": choice["message"].get("refusal") or "",
            "calls": [
                {"id": entry["id"], **entry["function"]} for entry in choice["message"].get("tool_calls", ())
            ],
            "legacy": choice["message"].get("function_call"),
            "finish": choice["finish_reason"],
        }
        for choice in answer["choices"]
    }
