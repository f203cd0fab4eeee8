"""Tests of the sizes and the forms that stores of sessions share."""

from __future__ import annotations

from proxy.state.sessions.record_store import PART_BYTES, Change


def test_change_is_empty_by_default() -> None:
    """A change may only write, or only delete."""
    assert (Change().values, Change().removed, Change().expected) == ({}, (), None)


def test_parts_of_an_exchange_fit_into_a_batch() -> None:
    """A pipeline of a server has 0.25 s: two parts take half of that at 40 Mbit/s, with room for others."""
    assert 2 * PART_BYTES * 8 / 40e6 <= 0.125
