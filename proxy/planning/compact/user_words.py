"""Takes the user's own texts out of the replaced messages, since the user's rules bind and a summary may lose them."""

from __future__ import annotations

from proxy.planning.compact.message_texts import cut_at_word, text_of
from sanitizers.budget.markers import is_from_user
from sanitizers.messages import Message, Messages, is_part_list

LONGEST = 400
"""The most characters of a text that is kept whole. Only the beginning of a longer text is kept."""

MOST = 400
"""The most texts that are returned."""

MEMORY_START = "<conversation_memory "
"""The text with which a memory message begins.

A memory that another turnright proxy has written does not count as the user's words.
"""


def find_user_words(messages: Messages) -> list[str]:
    """Return the user's own texts, newest first and each once. Long texts are cut at a word and marked."""
    words: dict[str, None] = {}
    for message in reversed(messages):
        if is_users_own(message):
            text = text_of(message).strip()
            if text and not text.startswith(MEMORY_START):
                words[cut_at_word(text, LONGEST)] = None
                if len(words) == MOST:
                    break
    return list(words)


def is_users_own(message: Message) -> bool:
    """Tell whether the user wrote *message*, which may have any shape.

    Notices and messages that a proxy has inserted do not count.
    """
    if message.get("role") != "user":
        return False
    content = message.get("content")
    if isinstance(content, list) and not is_part_list(content):
        return bool(content)
    return is_from_user(message)
