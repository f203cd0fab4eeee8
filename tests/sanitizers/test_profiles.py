"""Tests of derived profiles: with all runs of one role merged, and for requests that ask the model to think."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sanitizers import profile_for, sanitize
from sanitizers.profile_names import PROFILES


def test_merging_changes_nothing_but_runs() -> None:
    """A merging profile forbids runs of messages of one role, and keeps its name."""
    merging = profile_for("openai/gpt-4o").merging()

    assert not merging.assistant_runs
    assert not merging.user_runs
    assert merging.name == "openai"


def test_items_have_no_names_and_no_recordings_and_openai_s_results_have_media() -> None:
    """A profile for items keeps the model's other rules. Only OpenAI's has another name."""
    openai, mistral = profile_for("openai/o3-pro").as_items(), profile_for("mistral/x").as_items()

    assert (openai.name, openai.items) == ("openai-responses", True)
    assert openai.named_roles == frozenset({"function"})
    assert "audio" in openai.refused_fields
    assert {"image/png", "application/pdf"} <= openai.result_types
    assert (mistral.name, mistral.items) == ("mistral", True)
    assert mistral.result_types == profile_for("mistral/x").result_types
    assert openai.as_items() is openai
    assert (openai.legacy_calls, profile_for("openai/o3-pro").legacy_calls) == (False, True)


def test_a_row_made_of_another_is_made_once() -> None:
    """A derived profile is cached, and is never confused with its original."""
    for profile in PROFILES.values():
        assert profile.merging() is profile.merging()
        assert profile.thinking() is profile.thinking()
        assert profile.as_items() is profile.as_items() != profile
        kept = {profile: 1, profile.merging(): 2, profile.thinking(): 3, profile.as_items(): 4}
        assert kept[replace(profile)] == kept[profile]
        assert (profile.merging() == profile) == (not profile.assistant_runs and not profile.user_runs)


def test_media_of_contents_is_fetched_by_gemini() -> None:
    """A profile for contents keeps the model's other rules, and its name."""
    gemini = profile_for("gemini/gemini-3.6-flash")
    contents = gemini.as_contents()

    assert (contents.contents, contents.https_media, contents.name) == (True, True, gemini.name)
    assert (gemini.contents, gemini.https_media) == (False, False)
    assert contents.tool_names == gemini.tool_names
    assert contents.as_contents() is contents is gemini.as_contents()


def test_equal_parallel_calls_stay_apart_in_contents() -> None:
    """Nobody joins them for Gemini's own client, as litellm does for models without ids."""
    call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": at, **call} for at in ("a", "b")]},
        *({"role": "tool", "tool_call_id": at, "content": "x"} for at in ("a", "b")),
    ]
    profile = profile_for("gemini/gemini-2.5-flash")

    assert sanitize(history, profile.as_contents()).messages == history
    assert len(sanitize(history, profile).messages) == 3
