"""Judges a whole (not streamed) answer by the contract of all answers (:mod:`tests.support.contract`)."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from tests.support.contract.calls import judge_beside_calls, judge_end, judge_ids, signature_of
from tests.support.contract.head import judge_head
from tests.support.contract.said import Call, Choice, Judged, Said
from tests.support.contract.sdk import validated
from tests.support.contract.usage import judge_usage


def judge_answer(
    answer: dict[str, Any],
    *,
    taken: Set[str] = frozenset(),
    fresh_ids: bool = False,
    broken_arguments: bool = False,
) -> Judged:
    """Return the violations of a whole answer, and its content. The options are those of `judge_stream`."""
    notes: list[str] = []
    said = Said()
    judge_head(answer, "chat.completion", notes)
    if not validated(answer, notes, whole=True):
        return Judged(notes, said)
    if not answer["choices"]:
        notes.append("choices: are none")
    for given in answer["choices"]:
        if given["index"] in said.choices:
            notes.append(f"choice {given['index']}: is there twice")
        said.choices[given["index"]] = _read_choice(given, notes)
    judge_ids(said, taken, fresh_ids, notes)
    for index, choice in said.choices.items():
        judge_end(index, choice, broken_arguments, notes)
    if "usage" in answer:
        judge_usage(answer["usage"], notes)
        said.usage = answer["usage"]
    return Judged(notes, said)


def _read_choice(given: dict[str, Any], notes: list[str]) -> Choice:
    where, message = f"choice {given['index']}", given["message"]
    if message.get("role") != "assistant":
        notes.append(f"{where}: role is {message.get('role')!r}")
    if "content" not in message:
        notes.append(f"{where}: content is left out")
    judge_beside_calls(message, where, notes)
    return Choice(
        text=message.get("content") or "",
        reasoning=message.get("reasoning_content") or "",
        refusal=message.get("refusal") or "",
        calls=[_read_call(call, where, notes) for call in message.get("tool_calls") or ()],
        legacy_call=bool(message.get("function_call")),
        signature=signature_of(message, where, notes),
        finish=given["finish_reason"],
    )


def _read_call(call: dict[str, Any], where: str, notes: list[str]) -> Call:
    function = call["function"]
    if call["type"] != "function" or not call["id"] or not function["name"]:
        notes.append(f"{where}: a call without type, id or name: {call}")
    return Call(call["id"], function["name"], function["arguments"], signature_of(call, where, notes), 1)
