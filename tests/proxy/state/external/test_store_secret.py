"""Tests of the secret that the processes of one store share."""

from __future__ import annotations

import asyncio

import pytest

from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.external.store_secret import agree_on_secret, derive_secret, secret_name
from tests.support.dictionary_backend import DictionaryBackend

OWN = [bytes([number]) * 32 for number in range(9)]


async def test_processes_take_the_first_secret() -> None:
    """Of many processes that start together, one's secret stands, and all use it."""
    backend = DictionaryBackend()

    agreed = await asyncio.gather(*(agree_on_secret(backend, "tr", own) for own in OWN))

    assert len(set(agreed)) == 1
    assert agreed[0] in OWN


async def test_emptied_store_gets_the_secret_of_a_running_process() -> None:
    """The process keeps its secret when it finds none."""
    backend = DictionaryBackend()
    first = await agree_on_secret(backend, "tr", OWN[0])
    backend.values.clear()

    assert await agree_on_secret(backend, "tr", first) == first
    assert await agree_on_secret(backend, "tr", OWN[1]) == first


@pytest.mark.parametrize("garbage", [b"", b"\x01short", b"\x02" + bytes(32), bytes(40)])
async def test_garbage_in_place_of_the_secret_is_replaced(garbage: bytes) -> None:
    """All processes agree again after something overwrote the secret."""
    backend = DictionaryBackend({secret_name("tr"): garbage})

    agreed = [await agree_on_secret(backend, "tr", own) for own in OWN[:3]]

    assert agreed == [OWN[0]] * 3


async def test_store_that_fails_gives_no_secret() -> None:
    """The fault is the backend's."""
    backend = DictionaryBackend()
    backend.fail(FaultKind.READ_ONLY)

    with pytest.raises(StoreFault, match="read_only"):
        await agree_on_secret(backend, "tr", OWN[0])


async def test_store_that_takes_no_writes_is_still_read() -> None:
    """An SQLite file on a file system that became read-only keeps its secret, and its process goes on reading."""
    backend = DictionaryBackend()
    await agree_on_secret(backend, "tr", OWN[0])
    backend.fail(FaultKind.READ_ONLY, "put", "swap", "delete")

    assert await agree_on_secret(backend, "tr", OWN[1]) == OWN[0]


def test_configured_secret_may_have_any_length() -> None:
    """Equal texts give equal secrets of 32 bytes."""
    assert derive_secret("x" * 16) == derive_secret("x" * 16)
    assert len(derive_secret("x" * 1_000)) == 32
    assert derive_secret("a") != derive_secret("b")
