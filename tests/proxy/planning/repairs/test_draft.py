"""Tests of the draft, which holds a request during its repair."""

from __future__ import annotations

from dataclasses import replace

from proxy.planning.repairs.draft import note, sanitize_draft, with_entries, with_parameters
from sanitizers import find_violations
from sanitizers.gemini_profiles import GEMINI_2
from sanitizers.profiles import OPENAI
from tests.proxy.planning.repairs.asking import draft_of
from tests.support.builders import assistant, call, tool, user


def test_without_changes_the_draft_is_the_same() -> None:
    """A repair without a change returns the draft that it got."""
    draft = draft_of([user("go")], {"seed": 1})

    assert with_entries(draft, [], []) is draft
    assert with_parameters(draft, {}, []) is draft


def test_drafts_are_equal_where_the_wire_is() -> None:
    """Of a profile, only ``call_ids`` counts, since it changes the request that is sent."""
    draft = draft_of([user("go")], {"seed": 1})

    assert draft.is_same_request(draft_of([user("go")], {"seed": 1}, replace(OPENAI, user_first=True)))
    assert draft.is_same_request(replace(draft, changes=(note("dropped", 0, "x"),)))
    assert not draft.is_same_request(replace(draft, parameters={}))
    assert not draft.is_same_request(replace(draft, profile=replace(OPENAI, call_ids=not OPENAI.call_ids)))
    assert not draft.is_same_request(draft_of([user("stop")], {"seed": 1}))


def test_a_legal_history_stays_legal() -> None:
    """A repair that drops a result leaves no call without a result."""
    draft = draft_of([user("go"), assistant(None, [call("a")]), tool("a", "one"), user("and?")])
    changed = with_entries(
        draft, [draft.entries[0], draft.entries[1], draft.entries[3]], [note("dropped", 2, "x")]
    )

    assert find_violations(changed.messages, OPENAI) == ()
    assert {change.step for change in changed.changes} == {"repair"}


def test_a_stricter_profile_is_the_draft_s_afterwards() -> None:
    """A history that is legal for the stricter profile stays the same."""
    draft = draft_of([user("go")])
    strict = sanitize_draft(draft, GEMINI_2)

    assert strict.profile is GEMINI_2
    assert strict.entries is draft.entries
