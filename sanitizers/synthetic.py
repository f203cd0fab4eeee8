"""What the steps insert: fixed texts and derived ids.

Changing a text or the way an id is derived changes what models see and moves every provider's cached prefix,
so these are constants with a test that pins their bytes. Texts state what is known and no more: a synthesized
result says that no result was recorded, not that the tool failed.
"""

from __future__ import annotations

import hashlib

MISSING_RESULT = '{"error": "No result was recorded for this tool call."}'
"""The content of a synthesized tool result: a JSON object, as Gemini's Struct wants it, readable as text."""

HISTORY_START = "[The conversation starts here; earlier messages are not included.]"
"""The user turn before a history that starts with the model's words (cut by the client, as a rule)."""

SYSTEM_ONLY = "Please follow the system instruction."
"""The user turn of a request that holds nothing but system messages."""

CONTINUE = "Please continue."
"""The user turn after a trailing model turn (gemini-cli and crewAI use the same words)."""

RAW_ARGUMENTS = "_raw"
"""The key under which arguments that are no JSON object are kept, as the text that they were."""


def derive_id(message_index: int, call_index: int, original: str, taken: frozenset[str] | set[str]) -> str:
    """Return an id for a tool call that has none, or whose own cannot be used.

    Derived from the call's place and its *original* id, so that the same history gets the same ids however
    often it is sent, and unique against *taken*. 24 characters of ``[a-z0-9_]``: legal at every provider but
    those with a dialect of their own (providers: OpenAI 40 characters, Anthropic ``^[a-zA-Z0-9_-]+$``).
    """
    attempt = 0
    while True:
        seed = f"{message_index}:{call_index}:{attempt}:{original}"
        candidate = "call_" + hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:19]
        if candidate not in taken:
            return candidate
        attempt += 1
