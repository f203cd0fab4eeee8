"""Tests that the list of changes is complete, consists of plain data, and holds no message text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given

from sanitizers import Profile, Unrepairable, sanitize
from sanitizers.provider_profiles import ANTHROPIC
from tests.sanitizers.test_pipeline_properties import broken, profiles
from tests.support.builders import assistant, call, tool, user
from tests.support.strategies import indexed_texts_of

History = list[dict[str, Any]]


@given(broken, profiles)
@example([user("a"), assistant("\n", calls=[call("x")]), tool("x")], ANTHROPIC)
def test_every_difference_is_reported_with_its_place_and_no_text(history: History, profile: Profile) -> None:
    """A change holds a place in the client's messages, a reason and ids, as plain data."""
    try:
        done = sanitize(history, profile)
    except Unrepairable:
        return
    written = json.dumps([change.as_dict() for change in done.changes], ensure_ascii=False)

    assert bool(done.changes) == (list(done.messages) != history)
    assert all(0 <= change.index < len(history) for change in done.changes)
    assert not any("§" in text and text in written for _, text in indexed_texts_of(history))
