"""The tables of token budgets are loaded before the first request, in a worker thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping

import msgspec
import pytest

from proxy.config import litellm_table
from proxy.planning import windows
from proxy.planning.prices import deployment_prices, find_prices
from sanitizers.budget import upper_bound
from tests.support.proxied import chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

CACHES = (
    windows.window_of,
    litellm_table.litellm_rows,
    find_prices,
    upper_bound.text_bound,
    upper_bound._bounding,
)


@pytest.fixture(autouse=True)
def cold() -> Iterator[None]:
    """Empty the caches, as in a new process."""
    for cache in CACHES:
        cache.cache_clear()
    yield
    windows.window_of.cache_clear()
    find_prices.cache_clear()


async def test_first_request_loads_no_table_and_measures_no_bound(upstream: ScriptedUpstream) -> None:
    """Each table was loaded once at the start."""
    models = {"gemini": "gemini/gemini-3.6-flash", "gpt": "openai/gpt-4.1"}
    async with proxied(settings_of(models), upstream) as proxy:
        before = [cache.cache_info().misses for cache in CACHES[:3]]
        replies = [await proxy.post(chat(model=model)) for model in models]

    assert [reply.status for reply in replies] == [200, 200]
    assert [cache.cache_info().misses for cache in CACHES[:3]] == before
    assert before[1] == 1


@pytest.mark.parametrize(("mode", "counts"), [("repair", True), ("observe", True), ("off", False)])
async def test_tables_are_loaded_in_a_worker_thread(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, mode: str, counts: bool
) -> None:
    """Mode off needs prices, and no windows."""
    readers: list[threading.Thread] = []
    read = litellm_table.litellm_rows

    def noted() -> Mapping[str, msgspec.Raw]:
        readers.append(threading.current_thread())
        return read()

    monkeypatch.setattr(deployment_prices, "litellm_rows", noted)
    monkeypatch.setattr(windows, "litellm_rows", noted)
    async with proxied(settings_of(sanitize={"mode": mode}), upstream):
        pass

    assert readers
    assert threading.main_thread() not in readers
    assert find_prices.cache_info().misses == 1
    assert windows.window_of.cache_info().misses == counts
