"""Tests of contents after changes."""

from __future__ import annotations

from sanitizers.native.gemini.changed_contents import ChangedContents


def test_contents_without_changes_keep_their_instruction() -> None:
    """A missing instruction is not the removal of one."""
    items = [{"role": "user", "parts": [{"text": "a"}]}]
    kept = ChangedContents(items)

    assert kept.items is items
    assert (kept.origins, kept.changes, kept.has_new_system) == (None, (), False)
