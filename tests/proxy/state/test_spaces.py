"""Tests of the kinds of facts that a store keeps."""

from __future__ import annotations

from proxy.state.spaces import SPACES


def test_names_of_spaces_are_part_of_a_store_s_keys() -> None:
    """Each space has a name of its own, of lower-case letters, so that no two share an entry."""
    names = [space.name for space in SPACES]

    assert len(set(names)) == len(names)
    assert all(name.isalpha() and name.islower() for name in names)
