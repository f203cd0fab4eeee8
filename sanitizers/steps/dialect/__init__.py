"""Rules of single providers beside the order of turns. A part does nothing where the profile has no such rule.

The step comes behind the others, since they would merge or move what it writes, and before ``tail``. Its parts, in
their order:

    systems              system messages, where there may be one or none
    texts_beside_calls   a text and calls in one message
    bridges              an assistant message between a result and a user message
    reasoning            reasoning that the provider requires back
"""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.messages import Entries
from sanitizers.profiles import Profile
from sanitizers.steps.dialect.bridges import bridge_results
from sanitizers.steps.dialect.reasoning import echo_reasoning
from sanitizers.steps.dialect.systems import gather_systems
from sanitizers.steps.dialect.texts_beside_calls import separate_texts_from_calls

__all__ = ["speak_dialect"]


def apply_provider_rules(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Apply the rules of *profile*'s provider to a paired history.

    Returns *entries* itself when nothing was changed.
    """
    changes: list[Change] = []
    for part in (gather_systems, separate_texts_from_calls, bridge_results, echo_reasoning):
        entries, made = part(entries, profile)
        changes += made
    return entries, tuple(changes)
