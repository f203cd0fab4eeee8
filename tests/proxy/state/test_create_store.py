"""Tests of the store that the configuration asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proxy.config.schema.store import Store as StoreSettings
from proxy.state.create_store import create_store
from proxy.state.external.external_store import ExternalStore
from proxy.state.memory import MemoryStore
from proxy.state.spaces import SIGNATURES
from tests.support.dictionary_backend import CountedEvents


class Listener(CountedEvents):
    """A listener that also notes the files that were set aside."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[str] = []

    def set_aside(self, file: str, reason: str) -> None:
        """Note a file that could not be used."""
        assert reason
        self.files.append(file)


def settings_for(url: str, **more: Any) -> StoreSettings:
    """Return the settings of the store at *url*."""
    return StoreSettings.model_validate({"url": url, **more})


def test_memory_is_the_default() -> None:
    """The store has the configured size."""
    store = create_store(StoreSettings(memory_mib=1), Listener())

    assert isinstance(store, MemoryStore)
    assert store.size_bytes == 0


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1:1/0", "rediss://127.0.0.1:1", "redis+sentinel://127.0.0.1:1/main"]
)
def test_servers_are_shared(url: str) -> None:
    """Nothing is connected yet."""
    store = create_store(settings_for(url), Listener())

    assert isinstance(store, ExternalStore)
    assert store.is_shared
    assert not store.is_up


async def test_file_outlives_the_store(tmp_path: Path) -> None:
    """Another store on the file finds the values, with the secret that stands there or the configured one."""
    for number, more in enumerate([{}, {"secret": "secret-of-an-operator"}]):
        url = f"sqlite:///{tmp_path}/state-{number}.db"
        for step in range(2):
            store = create_store(settings_for(url, **more), Listener())
            assert isinstance(store, ExternalStore)
            assert not store.is_shared
            async with store.running():
                if not step:
                    await store.put(SIGNATURES, {"a": b"1"}, tenant="t")
                assert await store.get(SIGNATURES, ["a"], tenant="t") == {"a": b"1"}


async def test_another_prefix_or_secret_finds_nothing(tmp_path: Path) -> None:
    """The configured prefix and secret are parts of each name."""
    url = f"sqlite:///{tmp_path}/state.db"
    found = []
    for more in ({}, {"prefix": "other"}, {"secret": "secret-of-an-operator"}):
        store = create_store(settings_for(url, **more), Listener())
        assert isinstance(store, ExternalStore)
        async with store.running():
            found.append(len(await store.get(SIGNATURES, ["a"], tenant="t")))
            await store.put(SIGNATURES, {"a": b"1"}, tenant="t")

    assert found == [0, 0, 0]


async def test_damaged_file_is_told(tmp_path: Path) -> None:
    """The listener gets the new name of the file, and the store works on a new one."""
    (tmp_path / "state.db").write_bytes(b"not a database" * 1_000)
    listener = Listener()
    store = create_store(settings_for(f"sqlite:///{tmp_path}/state.db"), listener)
    assert isinstance(store, ExternalStore)

    async with store.running():
        assert store.is_up

    [file] = listener.files
    assert Path(file).read_bytes().startswith(b"not a database")  # noqa: ASYNC240 - the store is closed
