"""What the steps insert: fixed texts and derived ids.

Changing a text or the way an id is derived changes what models see and moves every provider's cached prefix,
so these are constants with a test that pins their bytes. Texts state what is known and no more: a synthesized
result says that no result was recorded, not that the tool failed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

MISSING_RESULT = '{"error": "No result was recorded for this tool call."}'
"""The content of a synthesized tool result: a JSON object, as Gemini's Struct wants it, readable as text."""

HISTORY_START = "[The conversation starts here; earlier messages are not included.]"
"""The user turn before a history that starts with the model's words (cut by the client, as a rule)."""

SYSTEM_ONLY = "Please follow the system instruction."
"""The user turn of a request that holds nothing but system messages."""

CONTINUE = "Please continue."
"""The user turn after a trailing model turn (gemini-cli and crewAI use the same words)."""

EMPTY_RESULT = "(empty result)"
"""The content of a tool result that holds nothing, where a provider refuses or loses such results."""

BRIDGE = "Understood."
"""The model's words between a tool's result and the user's, where a provider wants some."""

NOTICE_START = "[turnright: "
"""What every notice of the turn guard begins with (:mod:`sanitizers.turns`); such a user message is not the user's."""

RAW_ARGUMENTS = "_raw"
"""The key under which arguments that are no JSON object are kept, as the text that they were."""


class DerivedIds:
    """Ids for the tool calls of one history that have none, or whose own cannot be used.

    An id is derived from the call's place and its *original* id, so that the same history gets the same ids however
    often it is sent. It is unique against *taken*, which each new id is added to; whoever adds others may do so, but
    nobody takes any out. An id has 24 characters of ``[a-z0-9_]``: legal at every provider (OpenAI 40 characters,
    Anthropic ``^[a-zA-Z0-9_-]+$``) but Mistral, which wants *nine* letters or digits.

    Calls of one place and one original are numbered on. Each of them tried all candidates of those before it, which
    took seconds for thousands of calls that share an illegal id.
    """

    def __init__(self, taken: set[str], *, nine: bool = False) -> None:
        self._taken = taken
        self._nine = nine
        self._next: dict[tuple[int, int, str], int] = {}

    def derive(self, message_index: int, call_index: int, original: str) -> str:
        """Return a new id for the call at this place."""
        place = (message_index, call_index, original)
        attempt = self._next.get(place, 0)
        said = original
        while True:
            if attempt >= _FULL_ATTEMPTS and said is original and len(original) > _LONG_ORIGINAL:
                said = _digest(
                    original
                )  # somebody made ids up for this, and each attempt reads the whole of it
            digest = _digest(f"{message_index}:{call_index}:{attempt}:{said}")
            candidate = digest[:9] if self._nine else f"call_{digest[:19]}"
            attempt += 1
            if candidate not in self._taken:
                self._next[place] = attempt
                self._taken.add(candidate)
                return candidate


_FULL_ATTEMPTS = 8
_LONG_ORIGINAL = 1024
"""Characters of an original id that are read again for more than :data:`_FULL_ATTEMPTS` candidates."""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_instruction(message: Mapping[str, Any]) -> bool:
    """Tell whether a message is a notice of the turn guard, and nothing beside it: a user who quotes one says more."""
    content = message.get("content")
    return (
        message.get("role") == "user"
        and isinstance(content, str)
        and content.startswith(NOTICE_START)
        and content.find("]") == len(content) - 1
    )


def left_out(part_type: str) -> str:
    """Return the text in the place of a media part that cannot be sent."""
    what = _MEDIA_WORDS[part_type]
    return f"[Left out: {_ARTICLES.get(what, 'a')} {what} that this model cannot be given.]"


def moved_from_result(part_type: str) -> str:
    """Return the text in the place of a media part that was moved out of a tool result."""
    return f"[The {_MEDIA_WORDS[part_type]} of this result is in the user message behind the results.]"


def media_of_result(part_type: str, name: str, call_id: str) -> str:
    """Return the text before a media part that was moved out of the result of a call."""
    called = f"{name} (call {call_id})" if name and call_id else name or f"call {call_id}"
    return f"[{_MEDIA_WORDS[part_type].capitalize()} from the result of {called}:]"


_MEDIA_WORDS = MappingProxyType(
    {
        "audio_url": "recording",
        "file": "file",
        "image_url": "image",
        "input_audio": "recording",
        "video_url": "video",
    }
)
"""What a media part is called, by its type."""

_ARTICLES = MappingProxyType({"image": "an"})
