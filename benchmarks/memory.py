"""Measures the memory that each bounded cache or buffer takes when full. The command is part of ``make bench``.

Each cache is filled and measured alone. The figure is the memory that was allocated for the cache (tracemalloc), in
MiB.
"""

from __future__ import annotations

import asyncio
import hashlib
import platform
import tracemalloc
from collections.abc import Callable

import orjson

from benchmarks.gateway.bodies import bodies, encode
from proxy.config import load_settings, resolve
from proxy.config.litellm_table import litellm_rows
from proxy.core.json_text import encode_event
from proxy.forwarding.answer_buffer import LARGEST, AnswerBuffer
from proxy.state.learned_windows import LearnedWindows
from proxy.state.memory import MemoryStore
from proxy.state.refused_requests import MAX_BODIES, Refusal, RefusedRequests
from proxy.state.spaces import SIGNATURES
from sanitizers.budget.estimate import CACHED_TEXTS
from sanitizers.budget.text_cache import TextCache
from sanitizers.schemas.outcome_cache import OutcomeCache
from sanitizers.schemas.tools import MAX_KEPT

_STORE_MIB = 32
_VALUE_BYTES = 1_800
_NAMES = 4_096


async def _store() -> object:
    store = MemoryStore(_STORE_MIB * 2**20)
    for number in range(2 * _STORE_MIB * 2**20 // _VALUE_BYTES):
        await store.put(SIGNATURES, {f"call_{number:024x}": bytes(_VALUE_BYTES)}, tenant="t")
    return store


def _text_cache() -> object:
    cache = TextCache(lambda text: len(text) / 3.9, CACHED_TEXTS)
    for number in range(2 * CACHED_TEXTS):
        cache(str(number))
    return cache


def _schemas() -> object:
    kept: OutcomeCache[str, object] = OutcomeCache(MAX_KEPT)
    for number in range(2 * MAX_KEPT // 4_000):
        fields = {
            f"field_{at}_{number}": {"type": "string", "description": "words " * 10} for at in range(40)
        }
        written = orjson.dumps({"type": "object", "properties": fields})
        kept.keep(written, "target", orjson.loads(written), len(written))
    return kept


def _poison_guard() -> object:
    guard = RefusedRequests()
    for number in range(MAX_BODIES):
        digest = hashlib.sha256(str(number).encode()).digest()
        refusal = Refusal(400, f"{number} " + "x" * 300)
        guard.refused((0, "openai/gpt-4o"), lambda digest=digest: digest, refusal, 0.0)  # type: ignore[misc]
    return guard


def _knowledge() -> object:
    entry = {"model_name": "openai/*", "litellm_params": {"model": "openai/*"}}
    settings = load_settings(orjson.dumps({"model_list": [entry]}), {}).settings
    learned_windows = LearnedWindows()
    for number in range(_NAMES):
        learned_windows.lessons_of(resolve(settings, f"openai/model-{number}")[0], 0.0)
    return learned_windows


def _answer() -> object:
    buffer = AnswerBuffer()
    number = 0
    while not buffer.is_full:
        number += 1
        function = {"arguments": f"some words {number} "}
        delta = {"tool_calls": [{"index": 0, "function": function}]}
        event = encode_event(
            {
                "id": "c",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
            }
        )
        buffer.add(orjson.loads(event[6:]), event)
    return buffer


def _table() -> object:
    litellm_rows.cache_clear()
    return litellm_rows()


def _request() -> object:
    return orjson.loads(encode(bodies()["100k"], model="m"))


def held_mib(fill: Callable[[], object]) -> float:
    """Return the MiB that the result of *fill* holds."""
    fill()  # imports and the like, before anything is counted
    tracemalloc.start()
    kept = fill()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del kept
    return held / 2**20


BOUNDS: dict[str, tuple[str, Callable[[], object]]] = {
    "store (signatures)": (f"store.memory_mib: {_STORE_MIB}", lambda: asyncio.run(_store())),
    "counts of texts": (f"2 x {CACHED_TEXTS:,} texts, for each family of models", _text_cache),
    "cleaned schemas of tools": (f"{MAX_KEPT // 2**20} MiB as JSON", _schemas),
    "refused requests": (f"{MAX_BODIES:,} bodies", _poison_guard),
    "what deployments taught": (f"{_NAMES:,} deployments", _knowledge),
    "an answer held back": (f"{LARGEST // 2**20} MiB of events, in small pieces", _answer),
    "windows and prices of models": ("litellm's table", _table),
    "a request of 100k tokens, parsed": ("354 KB; general_settings.max_body_mib bounds it", _request),
}


def main() -> None:
    """Print the table."""
    print(f"Python {platform.python_version()}, {platform.machine()}.\n")
    print("| what | bound | MiB |")
    print("|---|---|---|")
    for name, (bound, fill) in BOUNDS.items():
        print(f"| {name} | {bound} | {held_mib(fill):.1f} |", flush=True)


if __name__ == "__main__":
    main()
