"""Insert an assistant message between a tool's result and a user message, where a provider needs one."""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.messages import RESULT_ROLES, Entries, Entry
from sanitizers.profiles import Profile
from sanitizers.steps.dialect.name import NAME
from sanitizers.synthetic import BRIDGE


def bridge_results(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Insert an assistant message between a tool result and a user message, where the profile refuses them together.

    Invariant: no user message stands directly behind a tool result.

    Source: Mistral "Unexpected role 'user' after role 'tool'" (datapizza#98, litellm#6323). Bedrock's user turn holds
    either results or text (livekit agents-js#1998). Some chat templates ignore results (llama.cpp#19851).

    The user interrupted the model there, so that any inserted text was never said. The text is therefore as short as
    possible.
    """
    if profile.user_after_result:
        return entries, ()
    bridged: list[Entry] = []
    changes: list[Change] = []
    for entry in entries:
        if bridged and entry.message["role"] == "user" and bridged[-1].message["role"] in RESULT_ROLES:
            bridged.append(Entry({"role": "assistant", "content": BRIDGE}, entry.origin))
            changes.append(Change(NAME, "inserted", entry.origin, "user_after_result"))
        bridged.append(entry)
    return (tuple(bridged), tuple(changes)) if changes else (entries, ())
