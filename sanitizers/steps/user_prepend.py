"""Put a user turn in front of a history that does not begin with one."""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.messages import SYSTEM_ROLES, Entries, Entry
from sanitizers.profiles import Profile
from sanitizers.synthetic import HISTORY_START, SYSTEM_ONLY

NAME = "user_prepend"


def prepend_user_turn(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Insert a user turn before a leading model turn, or after system messages that stand alone.

    Invariant: where the profile requires it, the first message that is no system message has the role ``user``.

    Source: Gemini refuses a history that starts with a call ("function call turn comes immediately after a user turn
    …", gemini-cli#11814, #26956). Gemini also refuses a history without turns ("contents is not specified",
    langchain-google#1393). The inserted text states what is known and asks for nothing new: a text such as "[continue]"
    changed the question.

    Returns *entries* itself when the first turn is a user's.
    """
    start = next((at for at, entry in enumerate(entries) if entry.message["role"] not in SYSTEM_ROLES), None)
    if start is None:
        if not entries or not profile.turn_required:
            return entries, ()
        last = entries[-1].origin
        turn = Entry({"role": "user", "content": SYSTEM_ONLY}, last)
        return (*entries, turn), (Change(NAME, "inserted", last, "system_only"),)
    if not profile.user_first or entries[start].message["role"] == "user":
        return entries, ()
    index = entries[start].origin
    turn = Entry({"role": "user", "content": HISTORY_START}, index)
    return (*entries[:start], turn, *entries[start:]), (Change(NAME, "inserted", index, "model_first"),)
