"""Finds the profiles whose rule a history of the probe breaks alone, with the checker and without a provider."""

from __future__ import annotations

from collections.abc import Iterable

from proxy.planning.probe.choose_cases import choose_cases
from proxy.planning.probe.history_values import ProbeHistory
from sanitizers import find_violations
from sanitizers.profile_names import PROFILES
from sanitizers.validation import validate_messages


def forbidding(history: ProbeHistory) -> set[str]:
    """Return the names of the profiles under which *history* breaks its rule and no other."""
    found = set()
    direct = PROFILES["anthropic-strict"].over_messages(is_claude=True, takes_systems=True)
    for name, profile in [*PROFILES.items(), ("anthropic, direct", direct)]:
        for case in choose_cases(profile, "", [history]).cases:
            broken = {violation.rule for violation in find_violations(case.history.messages, profile)}
            assert broken == ({history.rule} if case.forbidden else set())
            if case.forbidden:
                found.add(name)
    return found


def unproven(histories: Iterable[ProbeHistory]) -> list[str]:
    """Return the ids of the histories that break their rule under no profile, or that no client could send."""
    for history in histories:
        validate_messages(list(history.messages))
    return [history.id for history in histories if not forbidding(history)]
