"""Tests of the digests that are found by a fingerprint instead of being computed again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.compact.hash_chain import HashChain
from proxy.planning.compact.known_prefixes import Fingerprints, KnownPrefixes
from tests.proxy.planning.compact.compact_histories import session
from tests.support.builders import assistant, call, image, text, tool, user

HISTORY = session(4, 3)


def digest(known: KnownPrefixes, messages: list[dict[str, Any]], length: int, tenant: str = "blue") -> bytes:
    """Return the digest of the first *length* messages, as a request of *tenant* finds it."""
    chain = HashChain(messages, tenant)
    return known.digest_of(tenant, chain, Fingerprints(messages, chain[2]), length)


def test_known_digest_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next request of the conversation is longer, and begins with the same messages."""
    known = KnownPrefixes()
    first = digest(known, HISTORY, 8)
    chain = HashChain(HISTORY, "blue")
    root = chain[2]
    monkeypatch.setattr(HashChain, "__getitem__", lambda *_: b"computed")
    assert known.digest_of("blue", chain, Fingerprints([*HISTORY, user("More.")], root), 8) == first
    assert known.digest_of("blue", chain, Fingerprints(HISTORY, root), 9) == b"computed"


@pytest.mark.parametrize("changed", [call("c", "f", '{"a": 2}'), call("c", "g", '{"a": 1}')])
def test_call_with_other_arguments_or_name_has_another_fingerprint(changed: dict[str, Any]) -> None:
    """A client that edits a call goes on with another history."""
    known = KnownPrefixes()
    before = [user("a"), assistant("b"), assistant(None, [call("c", "f", '{"a": 1}')])]
    edited = [*before[:2], assistant(None, [changed])]
    assert digest(known, before, 3) != digest(known, edited, 3) == HashChain(edited, "blue")[3]


_MESSAGES = st.lists(
    st.sampled_from(
        [
            user("a"),
            user("b"),
            user([text("a")]),
            user([image()]),
            assistant("a"),
            assistant(None, [call("1", "f", "{}")]),
            assistant(None, [call("2", "f", '{"a": 1}')]),
            assistant(None, [call("2", "f", '{"a":1}')]),
            assistant(None, [{"id": "3", "type": "custom", "custom": {"name": "f", "input": "x"}}]),
            assistant(None, [{"id": "4"}]),
            assistant("a", function_call={"name": "f", "arguments": "{}"}),
            tool("1", "ok"),
        ]
    ),
    min_size=2,
    max_size=5,
)


@given(st.lists(_MESSAGES, max_size=6))
def test_digest_is_that_of_the_chain_whatever_is_known(histories: list[list[dict[str, Any]]]) -> None:
    """An edited message has another fingerprint, and the same messages of another tenant have another digest."""
    known = KnownPrefixes()
    for history in histories:
        for tenant in ("blue", "red"):
            for length in range(2, len(history) + 1):
                assert digest(known, history, length, tenant) == HashChain(history, tenant)[length]
