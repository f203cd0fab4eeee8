"""The fixed texts and derived ids that the steps insert.

Changing a text or the derivation of ids changes what models read, and invalidates every provider's cached prefix. So a
test pins the bytes of these texts and ids. A text states known facts alone: a synthesized result says that no result
was recorded, not that the tool failed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

MISSING_RESULT = '{"error": "No result was recorded for this tool call."}'
"""The content of a synthesized tool result. Gemini's Struct needs a JSON object, and models can read it as text."""

HISTORY_START = "[The conversation starts here; earlier messages are not included.]"
"""The user turn before a history that starts with the model's words, usually because the client cut it."""

SYSTEM_ONLY = "Please follow the system instruction."
"""The user turn of a request that holds nothing but system messages."""

CONTINUE = "Please continue."
"""The user turn after a trailing model turn (gemini-cli and crewAI use the same words)."""

EMPTY_RESULT = "(empty result)"
"""The content of a tool result that holds nothing, where a provider refuses or loses such results."""

BRIDGE = "Understood."
"""The assistant message between a tool's result and the user's message, where a provider needs one."""

NO_THOUGHT = " "
"""The thoughts of a turn whose own thoughts are lost, where a provider takes an empty text for missing thoughts."""

NOTICE_START = "[turnright: "
"""The beginning of every notice of the turn guard (:mod:`sanitizers.turns`).

The user did not write a message that holds only such a notice (:func:`is_instruction`).
"""

_REMINDER = "<system-reminder>\n{}\n</system-reminder>"


def reminder(text: str) -> str:
    """Return a later system message as a user's text, for models that take none. Claude Code writes its own so."""
    return _REMINDER.format(text)


def as_reminder(content: Any) -> Any:
    """Return the *content* of a system message as reminders in a user's message, each text by itself."""
    if isinstance(content, str):
        return reminder(content)
    parts = content or []
    return [{**part, "text": reminder(part["text"])} if part["type"] == "text" else part for part in parts]


RAW_ARGUMENTS = "_raw"
"""The key for arguments that are no JSON object. Its value is the original text."""


class DerivedIds:
    """Ids for the tool calls of one history that have none, or whose own id cannot be used.

    An id is derived from the call's place and its *original* id, so that the same history always gets the same ids. A
    derived id differs from all ids in *taken*, and is added to *taken*. Callers may add ids to *taken* and must not
    remove any.

    An id has 24 characters of ``[a-z0-9_]``. All providers accept that (OpenAI 40 characters, Anthropic
    ``^[a-zA-Z0-9_-]+$``) except Mistral, which needs *nine* letters or digits.

    Calls with the same place and original continue one numbering. Callers may give one place to thousands of calls that
    share an illegal id. Starting at zero for each of these calls took seconds.
    """

    def __init__(self, taken: set[str], *, nine: bool = False) -> None:
        self._taken = taken
        self._nine = nine
        self._next: dict[tuple[int, int, str], int] = {}

    def derive(self, message_index: int, call_index: int, original: str) -> str:
        """Return a new id for the call *call_index* of the message *message_index*."""
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
"""The longest original id, in characters, that is hashed whole in every attempt after :data:`_FULL_ATTEMPTS`."""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_instruction(message: Mapping[str, Any]) -> bool:
    """Tell whether a message is a user message that holds one notice of the turn guard and nothing else.

    A user message that quotes a notice holds other text too, and is not a notice.
    """
    content = message.get("content")
    return (
        message.get("role") == "user"
        and isinstance(content, str)
        and content.startswith(NOTICE_START)
        and content.find("]") == len(content) - 1
    )


def left_out(part_type: str) -> str:
    """Return the text that replaces a media part that cannot be sent."""
    what = _MEDIA_WORDS[part_type]
    return f"[Left out: {_ARTICLES.get(what, 'a')} {what} that this model cannot be given.]"


def moved_from_result(part_type: str) -> str:
    """Return the text that replaces a media part that was moved out of a tool result."""
    return f"[The {_MEDIA_WORDS[part_type]} of this result is in the user message behind the results.]"


def media_of_result(part_type: str, name: str, call_id: str) -> str:
    """Return the text before a media part that was moved out of a call's result."""
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
"""The noun for a media part, by its type."""

_ARTICLES = MappingProxyType({"image": "an"})
