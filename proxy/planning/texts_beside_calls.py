"""Writes an empty text as the content of turns with calls, for servers whose chat templates cannot read null."""

from __future__ import annotations

from sanitizers import Message, Messages, Profile

_MODES = ("repair", "strict")
"""The modes in which the history was checked or repaired, so that the history that goes upstream is legal."""


def with_texts_beside_calls(messages: Messages, profile: Profile, mode: str) -> Messages:
    """Return sanitized *messages* with an empty text in each model turn that has calls and no content.

    Null, a missing content and an empty text mean the same in a turn with calls. So the empty text is no repair, and
    mode ``strict`` refuses nothing for it. Where the profile accepts null, where no content is missing, and in the
    modes that send the history as it came, *messages* itself is returned.

    Source: null fails in a template ("'NoneType' object is not iterable", mlx-vlm#1785), or is written into the prompt
    as ``None`` (vllm#54337).
    """
    if profile.null_content or mode not in _MODES:
        return messages
    written: list[Message] | None = None
    for at, message in enumerate(messages):
        if message["role"] == "assistant" and message.get("content") is None and message.get("tool_calls"):
            written = written or list(messages)
            written[at] = {**message, "content": ""}
    return messages if written is None else written
