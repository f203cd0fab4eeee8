"""Tests that thought signatures that a provider refused are noted in the store, for the tenant that sent them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from typing_extensions import override

from proxy.forwarding.chat.answer_signatures import load_signatures, note_refused
from proxy.state.kept_signatures import REFUSED, text_key
from proxy.state.memory import MemoryStore
from proxy.state.spaces import SIGNATURES, Space
from proxy.upstream.signature_carriers import STAND_INS
from tests.support.builders import assistant, call, user

OURS = "call_" + "a" * 24
"""An id that the proxy gave to a call when it stored the call's signature."""

NEW = "c2lnbmF0dXJl"


def signed(signature: str, id: str = "a") -> dict[str, Any]:
    """Return a call with a signature."""
    return call(id, extra_content={"google": {"thought_signature": signature}})


async def noted(*calls: dict[str, Any], tenant: str = "blue") -> set[str]:
    """Note the calls' signatures as refused for the tenant blue. Return the keys that *tenant* finds refused."""
    store = MemoryStore(1_000_000)
    await note_refused(store, "blue", [user(), assistant(calls=calls)])
    keys = [text_key(one["extra_content"]["google"]["thought_signature"]) for one in calls]
    found = await load_signatures(store, tenant, keys)
    assert {kept.origin for kept in found.values()} <= {REFUSED}
    return set(found)


async def test_refused_foreign_signature_is_noted() -> None:
    """A refused foreign signature is noted under a key that is made from the signature's text."""
    assert await noted(signed(NEW)) == {text_key(NEW)}


@pytest.mark.parametrize("stand_in", sorted(STAND_INS))
async def test_refused_stand_in_is_not_noted(stand_in: str) -> None:
    """A documented stand-in for a signature is not noted as refused, since any history may hold the stand-in."""
    assert await noted(signed(stand_in)) == set()


async def test_refused_signature_under_a_tagged_id_is_not_noted() -> None:
    """A signature under an id of the proxy is not noted, since the store has the provider's own for the id."""
    assert await noted(signed(NEW, OURS)) == set()


async def test_refused_signature_stays_valid_for_another_tenant() -> None:
    """A signature that is noted for one tenant is not refused for another, since the refusal may be unrelated."""
    assert await noted(signed(NEW), tenant="green") == set()


async def test_at_most_64_of_the_newest_signatures_are_noted() -> None:
    """Only the newest 64 refused signatures are noted, so that a long history does not fill the store."""
    calls = [signed(f"c2ln{number:04}", f"a{number}") for number in range(65)]

    assert await noted(*calls) == {text_key(f"c2ln{number:04}") for number in range(1, 65)}


async def test_history_without_signature_keys_makes_no_store_request() -> None:
    """Without keys of signatures the store is not asked, since most requests have no signatures."""

    class Closed(MemoryStore):
        @override
        async def get(self, *_: Any, **__: Any) -> dict[str, bytes]:
            raise AssertionError("The store was asked.")

    assert await load_signatures(Closed(1), "blue", ()) == {}


async def test_store_outside_the_process_is_not_asked_for_foreign_ids() -> None:
    """Only ids that the proxy made, and keys of texts, can be in a store. A history of other ids asks for nothing."""
    asked: list[str] = []

    class Outside(MemoryStore):
        is_in_process = False

        @override
        async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
            asked.extend(keys)
            return {}

    await load_signatures(Outside(1), "blue", ["toolu_01", OURS, text_key("s"), "call_1"])

    assert asked == [OURS, text_key("s")]


async def test_stored_signature_of_another_version_is_ignored() -> None:
    """A stored value that cannot be read counts as not stored."""
    store = MemoryStore(1_000_000)
    await store.put(SIGNATURES, {"a": b"{}", "b": b"\xff"}, tenant="blue")

    assert await load_signatures(store, "blue", ["a", "b"]) == {}
