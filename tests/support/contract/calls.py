"""Checks the tool calls of an answer: their ids, arguments, signatures and finish reasons."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from typing import Any

from tests.support.contract.said import Call, Choice, Said

LEGAL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""Matches the call ids that every provider accepts: OpenAI limits their length, and Anthropic their characters."""

FRESH_ID = re.compile(r"call_[a-z2-7]{24}")
"""Matches the call ids that the proxy makes."""

_FINISHES = {"stop", "length", "tool_calls", "content_filter", "function_call"}


def judge_ids(said: Said, taken: Set[str], fresh: bool, notes: list[str]) -> None:
    """Note ids that are repeated, that are in *taken*, or that some provider would refuse.

    With *fresh*, an id that the proxy did not make is noted too.
    """
    ids = [call.id for choice in said.choices.values() for call in choice.calls]
    for call_id in ids:
        if not LEGAL_ID.fullmatch(call_id):
            notes.append(f"call id: {call_id!r} is not legal everywhere")
        elif fresh and not FRESH_ID.fullmatch(call_id):
            notes.append(f"call id: {call_id!r} is not one of the proxy's")
        if call_id in taken:
            notes.append(f"call id: {call_id!r} is in the history")
    if len(set(ids)) < len(ids):
        notes.append(f"call id: two calls share one: {ids}")


def judge_end(index: int, choice: Choice, broken_arguments: bool, notes: list[str]) -> None:
    """Note a finish reason that contradicts the choice's contents, and arguments that are no JSON object."""
    where = f"choice {index}"
    if choice.finish not in _FINISHES:
        notes.append(f"{where}: finish_reason is {choice.finish!r}")
    if choice.calls and choice.finish in ("stop", "function_call"):
        notes.append(f"{where}: holds calls and ends with {choice.finish!r}")
    if not choice.calls and choice.finish == "tool_calls":
        notes.append(f"{where}: ends with 'tool_calls' and holds none")
    if choice.finish == "function_call" and not choice.legacy_call:
        notes.append(f"{where}: ends with 'function_call' and holds none")
    if choice.finish == "tool_calls" and not broken_arguments:
        notes += [
            f"{where}: arguments are not one JSON object: {call.arguments[:80]!r}"
            for call in choice.calls
            if arguments_of(call) is None
        ]


def arguments_of(call: Call) -> dict[str, Any] | None:
    """Return a call's arguments if they are a JSON object, else None."""
    try:
        value = json.loads(call.arguments)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def signature_of(holder: Mapping[str, Any], where: str, notes: list[str]) -> str | None:
    """Return the thought signature of a call or a message.

    Note a signature in another shape than Google's.
    """
    if "extra_content" not in holder:
        return None
    extra = holder["extra_content"]
    google = extra.get("google") if isinstance(extra, dict) and extra.keys() == {"google"} else None
    signature = google.get("thought_signature") if isinstance(google, dict) and len(google) == 1 else None
    if not isinstance(signature, str) or not signature:
        notes.append(f"{where}: extra_content is {extra!r}")
        return None
    return signature


def judge_beside_calls(said: Mapping[str, Any], where: str, notes: list[str]) -> None:
    """Note empty texts in a message with calls, and an empty list of calls."""
    if "tool_calls" not in said:
        return
    if not isinstance(said["tool_calls"], list) or not said["tool_calls"]:
        notes.append(f"{where}: tool_calls is {said['tool_calls']!r}")
    for name in ("content", "reasoning_content"):
        if said.get(name) == "":
            notes.append(f"{where}: {name} is empty beside calls")
