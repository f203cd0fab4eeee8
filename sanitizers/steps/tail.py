"""Close a trailing model turn where the model refuses one."""

from __future__ import annotations

from typing import Any

from sanitizers.changes import Change
from sanitizers.messages import SYSTEM_ROLES, Entries, Entry
from sanitizers.profiles import Profile
from sanitizers.synthetic import CONTINUE

NAME = "tail"


def close_trailing_model_turn(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Append a user turn after a trailing assistant message that the profile refuses.

    Invariant: the last turn is a user turn or a tool result, unless the model takes prefill.

    Source: "Requests ending with a model turn are not supported." from Gemini 3.5-flash-lite, 3.6, 3.7 and 3.8 on
    (LibreChat agents#323, pipecat#5821, 2026-07). Dropping the turn would lose the assistant's words. Appending where
    prefill works would end the prefill, so the profile decides.

    A trailing call does not occur here, since ``pairing`` has given it a result. Some models take prefill without
    trailing whitespace: "final assistant content cannot end with trailing whitespace" (Anthropic, from memory).
    """
    turn = _last_turn(entries)
    if turn is None or turn.message["role"] != "assistant":
        return entries, ()
    last, index = turn.message, turn.origin
    if profile.model_last or (profile.takes_prefix and last.get("prefix") is True):
        content = last.get("content")
        bare = content if profile.trailing_space else _without_trailing_space(content)
        if bare == content or turn is not entries[-1]:
            return entries, ()
        return (*entries[:-1], Entry({**last, "content": bare}, index)), (
            Change(NAME, "replaced", index, "trailing_space"),
        )
    closing = Entry({"role": "user", "content": CONTINUE}, index)
    return (*entries, closing), (Change(NAME, "inserted", index, "trailing_model_turn"),)


def _last_turn(entries: Entries) -> Entry | None:
    """Return the last entry that is no instruction. Some models take instructions behind the last turn."""
    for entry in reversed(entries):
        if entry.message["role"] not in SYSTEM_ROLES:
            return entry
    return None


def _without_trailing_space(content: Any) -> Any:
    if isinstance(content, str):
        return content.rstrip()
    if isinstance(content, list) and content and content[-1]["type"] == "text":
        last = content[-1]
        return [*content[:-1], {**last, "text": last["text"].rstrip()}]
    return content
