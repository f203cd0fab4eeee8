"""Tests of the cache of cleaned schemas: lookup by content, the bound in bytes, and eviction."""

from __future__ import annotations

from weakref import ref

import pytest

from sanitizers.schemas.outcome_cache import OutcomeCache

ROOM = 256 * 1024


class Outcome:
    """An object for the cache to hold. A weak reference shows when the cache has dropped the object."""


def test_an_outcome_is_found_by_the_content_and_the_target() -> None:
    """The same schema has another outcome for another target."""
    cache = OutcomeCache[str, str](ROOM)
    cache.keep(b"{}", "gemini", "cleaned", 10)

    assert cache.find(b"{}", "gemini") == "cleaned"
    assert cache.find(b"{}", "openai") is None
    assert cache.find(b"[]", "gemini") is None


@pytest.mark.parametrize("size", [10, ROOM // 10, ROOM])
def test_the_newest_outcomes_stay_within_the_bytes(size: int) -> None:
    """Each outcome counts with its own size and that of its cache entry.

    An outcome as large as the whole cache is not kept.
    """
    cache = OutcomeCache[str, Outcome](ROOM)
    kept = []
    for number in range(2 * ROOM // max(size, 1000)):
        outcome = Outcome()
        kept.append(ref(outcome))
        cache.keep(b"%d" % number, "gemini", outcome, size)
        del outcome
    held = [outcome() is not None for outcome in kept]

    assert sum(held) * max(size, 1000) <= ROOM
    assert held == sorted(held)
    assert held[-1] == (size < ROOM // 2)


def test_an_outcome_in_use_stays() -> None:
    """Each lookup moves the outcome to the cache's young generation, which is evicted last."""
    cache = OutcomeCache[str, str](ROOM)
    cache.keep(b"first", "gemini", "cleaned", 10)
    for number in range(ROOM // 500):
        cache.keep(b"%d" % number, "gemini", "other", 10)
        assert cache.find(b"first", "gemini") == "cleaned"
