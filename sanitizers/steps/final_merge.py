"""Join the turns that became neighbours when results were moved to their calls."""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.merging import merge_runs
from sanitizers.messages import Entries
from sanitizers.profiles import Profile

NAME = "final_merge"


def merge_what_pairing_joined(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Join neighbours of one role once more, by the same rule as ``role_merge``.

    Pairing takes late results out from between two turns. Results keep messages of their own and are never joined to
    user text. Gemini refuses such a mixture from 3.6 on with the misleading "Requests ending with a model turn are not
    supported." (dive#287, envoy ai-gateway#2686), and answers with nothing on 3 (hermes#68863).
    """
    return merge_runs(entries, profile, NAME)
