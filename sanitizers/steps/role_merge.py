"""Join neighbours of one role into one turn, before pairing and after it."""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.merging import merge_runs
from sanitizers.messages import Entries
from sanitizers.profiles import Profile


def merge_role_runs(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Join neighbours of one role where the profile forbids them, and parallel calls that were split.

    Invariant: no two assistant messages and no two user messages stand in a row where the profile forbids them. For
    every provider, no assistant message directly follows an assistant message with calls.

    Source: Gemini "function call turn comes immediately after a user turn or after a function response turn"
    (gemini-cli#11814, pi#471). OpenAI "must be followed by tool messages responding to each 'tool_call_id'".

    A text-only message between a call and its result joins the call's turn.
    """
    return merge_runs(entries, profile, "role_merge")


def merge_after_pairing(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Join neighbours of one role once more, by the same rule as ``role_merge``.

    Pairing moves late results away from between two turns, so that these turns become neighbours. Results keep messages
    of their own and are never joined to user text. From 3.6 on, Gemini refuses such a mixture with the misleading
    "Requests ending with a model turn are not supported." (dive#287, envoy ai-gateway#2686). Gemini 3 answers it with
    nothing (hermes#68863).
    """
    return merge_runs(entries, profile, "final_merge")
