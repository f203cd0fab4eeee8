"""Writes an empty text as the content of turns with calls, for servers whose chat templates cannot read null.

A field ``tool_calls`` that is null is left out for the same servers.
"""

from __future__ import annotations

from sanitizers import Message, Messages, Profile

_MODES = ("repair", "strict")
"""The modes in which the history was checked or repaired, so that the history that goes upstream is legal."""


def with_texts_beside_calls(messages: Messages, profile: Profile, mode: str) -> Messages:
    """Return sanitized *messages* with an empty text in each model turn that has calls and no content.

    Null, a missing content and an empty text mean the same in a turn with calls, and null as calls means no calls. So
    this is no repair, and mode ``strict`` refuses nothing for it. Where the profile accepts null, where there is none,
    and in the modes that send the history as it came, *messages* itself is returned.

    Source: null fails in a template ("'NoneType' object is not iterable", mlx-vlm#1785), or is written into the prompt
    as ``None`` (vllm#54337). 21 of the templates that ``tests/judges`` asks count the calls of every turn that has the
    field (2026-11).
    """
    if profile.null_content or mode not in _MODES:
        return messages
    written: list[Message] | None = None
    for at, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        calls = message.get("tool_calls")
        if calls and message.get("content") is None:
            written = written or list(messages)
            written[at] = {**message, "content": ""}
        elif calls is None and "tool_calls" in message:
            written = written or list(messages)
            written[at] = {name: value for name, value in message.items() if name != "tool_calls"}
    return messages if written is None else written
