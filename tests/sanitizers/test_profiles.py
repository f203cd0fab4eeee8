"""Tests of derived profiles: with all runs of one role merged, and for requests that ask the model to think."""

from __future__ import annotations

from dataclasses import replace

from sanitizers import profile_for
from sanitizers.profile_names import PROFILES


def test_merging_changes_nothing_but_runs() -> None:
    """A merging profile forbids runs of messages of one role, and keeps its name."""
    merging = profile_for("openai/gpt-4o").merging()

    assert not merging.assistant_runs
    assert not merging.user_runs
    assert merging.name == "openai"


def test_a_row_made_of_another_is_made_once() -> None:
    """A derived profile is cached, and is never confused with its original."""
    for profile in PROFILES.values():
        assert profile.merging() is profile.merging()
        assert profile.thinking() is profile.thinking()
        kept = {profile: 1, profile.merging(): 2, profile.thinking(): 3}
        assert kept[replace(profile)] == kept[profile]
        assert (profile.merging() == profile) == (not profile.assistant_runs and not profile.user_runs)
