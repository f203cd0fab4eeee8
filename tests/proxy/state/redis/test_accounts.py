"""Tests of the arguments of the scripts. The servers' own tests run the scripts."""

from __future__ import annotations

import hashlib

import pytest

from proxy.state.external.backend import ENTRY_BYTES, AccountChange, Bounds, Entry, Expected
from proxy.state.redis.accounts import (
    CHANGE,
    CLEAR,
    RENEW,
    change_arguments,
    clear_arguments,
    milliseconds,
    renew_arguments,
)

ACCOUNT = "tr:1:kept:{aa}"
KEYS = (3, f"{ACCOUNT}:uses", f"{ACCOUNT}:sizes", "tr:1:kept:totals")


def test_keys_of_all_scripts_are_those_of_the_account() -> None:
    """The names begin with the prefix, so that a user with limited names may use them."""
    assert renew_arguments(ACCOUNT, ["x", "y"], 1.5) == (*KEYS, ACCOUNT, 1_500, "x", "y")
    assert clear_arguments(ACCOUNT) == (*KEYS, ACCOUNT)


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        (None, ("any", "", b"")),
        (Expected("head", None), ("none", "head", b"")),
        (Expected("head", b""), ("value", "head", b"")),
        (Expected("head", b"old"), ("value", "head", b"old")),
    ],
)
def test_change_has_its_entries_behind_the_counts(
    expected: Expected | None, arguments: tuple[object, ...]
) -> None:
    """The script finds each argument by its place."""
    change = AccountChange(
        ACCOUNT, Bounds(10, 20), [Entry("a", b"1", 2.0), Entry("b", b"2", 2.0)], ["c"], expected
    )

    assert change_arguments(change) == (
        *KEYS,
        ACCOUNT,
        2_000,
        10,
        20,
        ENTRY_BYTES,
        *arguments,
        2,
        1,
        "a",
        b"1",
        "b",
        b"2",
        "c",
    )


def test_lifetime_is_at_least_a_millisecond() -> None:
    """A server refuses 0."""
    assert [milliseconds(seconds) for seconds in (0.0, 0.0001, 1.0001)] == [1, 1, 1_001]


def test_scripts_are_known_by_their_digest() -> None:
    """A server names a script by the SHA-1 of its text."""
    for script in (CHANGE, RENEW, CLEAR):
        assert script.digest == hashlib.sha1(script.text.encode(), usedforsecurity=False).hexdigest()
