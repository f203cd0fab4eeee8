"""Put a model turn between tool results and the user's next words. Pure."""

from __future__ import annotations

from proxy.planning.repairs.draft import Draft, note, with_entries
from proxy.resilience.read_error import ProviderError
from sanitizers.messages import Entry

RECEIVED = "[The tool results were received.]"
"""The model's turn that stands between."""


def separate_results(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a model turn between each result and a user turn directly behind it.

    Some providers want one there, and some transports make one turn of the two, which others refuse. Sources:
    Mistral "Unexpected role 'user' after role 'tool'" (datapizza#98, litellm#6323), Cohere (langchain-oracle#9),
    Bedrock (livekit agents-js#1998).
    """
    return separate_from(draft, 0)


def separate_from(draft: Draft, start: int) -> Draft:
    """Return *draft* with that done to the turns from position *start* on."""
    entries = list(draft.entries[:start])
    changes = []
    for entry in draft.entries[start:]:
        if entries and entries[-1].message["role"] == "tool" and entry.message["role"] == "user":
            entries.append(Entry({"role": "assistant", "content": RECEIVED}, entry.origin))
            changes.append(note("inserted", entry.origin, "turn_between"))
        entries.append(entry)
    return with_entries(draft, entries, changes)
