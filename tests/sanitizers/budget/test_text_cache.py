"""The cache counts the tokens of a text in use once, and forgets texts that were not used lately."""

from __future__ import annotations

from collections.abc import Callable

from sanitizers.budget.text_cache import TextCache


def noting(asked: list[str]) -> Callable[[str], float]:
    """Return a function that counts letters, and notes each text in *asked*."""

    def count(text: str) -> float:
        asked.append(text)
        return len(text)

    return count


def test_the_cache_holds_two_generations_at_most() -> None:
    """Each of the cache's two generations holds at most as many texts as the capacity."""
    cache = TextCache(len, 10)
    for number in range(1_000):
        cache(f"text {number}")
        assert len(cache) <= 20


def test_a_text_in_use_is_counted_once() -> None:
    """Other texts in between do not remove a text in use from the cache."""
    asked: list[str] = []
    cache = TextCache(noting(asked), 10)
    for number in range(1_000):
        assert cache("kept") == 4
        cache(f"text {number}")
    assert asked.count("kept") == 1


def test_the_cache_keeps_as_many_texts_as_its_capacity() -> None:
    """As many texts as the capacity are counted once each, even if each text is asked for three times."""
    asked: list[str] = []
    cache = TextCache(noting(asked), 10)
    texts = [f"text {number}" for number in range(10)]
    for _ in range(3):
        for one in texts:
            cache(one)
    assert texts == asked
