"""What single providers ask for beside the order of turns; each part does nothing where the profile has no such rule.

It comes behind the five steps, since it writes what these would merge or move again, and before ``tail``. The parts, in
this order: words of the system (``systems``), texts beside calls (``texts_beside_calls``), the model's turn between a
result and the user (``bridges``), the reasoning that has to come back (``reasoning``).
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
    """Bring a paired history under the rules that *profile* has of its own.

    Returns *entries* itself when nothing was to do.
    """
    changes: list[Change] = []
    for part in (gather_systems, separate_texts_from_calls, bridge_results, echo_reasoning):
        entries, made = part(entries, profile)
        changes += made
    return entries, tuple(changes)
