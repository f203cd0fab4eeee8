"""Derived ids never change, and taken candidates are not tried again."""

from __future__ import annotations

import hashlib

import pytest

from sanitizers import synthetic
from sanitizers.synthetic import DerivedIds
from tests.support.counted_steps import ComparedText, count_comparisons, count_steps


def try_from_the_first(original: str, taken: set[str], *, nine: bool) -> str:
    """Return the id by the original rule, which starts from the first attempt each time."""
    for attempt in range(10_000):
        digest = hashlib.sha256(f"0:0:{attempt}:{original}".encode()).hexdigest()
        candidate = digest[:9] if nine else f"call_{digest[:19]}"
        if candidate not in taken:
            return candidate
    raise AssertionError


@pytest.mark.parametrize("nine", [False, True])
def test_ids_are_those_of_trying_from_the_first(nine: bool) -> None:
    """The ids equal those of the original rule, also where candidates are taken. Cached prefixes depend on the ids."""
    planted = try_from_the_first("a b", set(), nine=nine)
    taken, ours = {planted}, {planted}
    derived = DerivedIds(ours, nine=nine)

    for original in ["a b", "c!", "a b"] * 20:
        expected = try_from_the_first(original, taken, nine=nine)
        taken.add(expected)
        assert derived.derive(0, 0, original) == expected

    assert ours == taken


def test_derived_ids_are_pinned_byte_for_byte() -> None:
    """Another derivation would invalidate every provider's cached prefix."""
    assert "call_37a852a043938b90ae4" == DerivedIds(set()).derive(0, 0, "a.b")
    assert "37a852a04" == DerivedIds(set(), nine=True).derive(0, 0, "a.b")
    assert DerivedIds({"37a852a04"}, nine=True).derive(0, 0, "a.b") == "b1b9a4cef"


def test_steps_are_in_proportion_to_the_calls() -> None:
    """The steps for deriving ids grow in proportion to the number of calls with one original id."""

    def derive(count: int) -> int:
        derived = DerivedIds(set())
        steps = count_steps(lambda: [derived.derive(0, 0, "a b") for _ in range(count)])
        return steps["sanitizers/synthetic.py"]

    assert derive(1_000) < 4.6 * derive(250)


def test_long_ids_are_read_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hostile client may use all candidates of a long id. The whole id is not hashed again for each candidate."""
    original = "a b" * 1_000
    read: list[int] = []
    digest = synthetic._digest

    def noting(text: str) -> str:
        read.append(len(text))
        return digest(text)

    monkeypatch.setattr(synthetic, "_digest", noting)
    derived = DerivedIds(set())
    ids = {derived.derive(0, 0, original) for _ in range(100)}
    DerivedIds(set(ids)).derive(0, 0, original)

    assert len(ids) == 100
    assert sum(length > len(original) for length in read) <= 2 * synthetic._FULL_ATTEMPTS + 2


def test_comparisons_are_counted() -> None:
    """A search in a list compares each entry, which the count of steps does not show."""
    held = [ComparedText(at) for at in range(100)]

    assert count_comparisons(lambda: ComparedText("none") in held) >= 100
    assert count_comparisons(lambda: ComparedText("none") in frozenset(held)) < 10
