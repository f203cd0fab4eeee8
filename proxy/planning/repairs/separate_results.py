"""A repair that puts a model turn between tool results and the user's next words."""

from __future__ import annotations

from proxy.planning.repairs.draft import Draft, note, with_entries
from proxy.resilience.read_error import ProviderError
from sanitizers.messages import Entry

RECEIVED = "[The tool results were received.]"
"""The text of the inserted model turn."""


def separate_results(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a model turn between each result and a user turn directly behind it.

    Some providers require one there. Some transports merge the two turns, and other providers refuse the merged turn.
    Sources: Mistral "Unexpected role 'user' after role 'tool'" (datapizza#98, litellm#6323), Cohere
    (langchain-oracle#9), Bedrock (livekit agents-js#1998).
    """
    return separate_from(draft, 0)


def separate_from(draft: Draft, start: int) -> Draft:
    """Return *draft* with results separated from position *start* on."""
    entries = list(draft.entries[:start])
    changes = []
    for entry in draft.entries[start:]:
        if entries and entries[-1].message["role"] == "tool" and entry.message["role"] == "user":
            entries.append(Entry({"role": "assistant", "content": RECEIVED}, entry.origin))
            changes.append(note("inserted", entry.origin, "turn_between"))
        entries.append(entry)
    return with_entries(draft, entries, changes)
