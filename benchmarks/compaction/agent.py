"""``python -m benchmarks.compaction.agent``: an agent of 60 rounds on a window of 32,000 tokens, with compaction.

The agent is openai-agents' own. Its requests go to two ``turnright serve`` processes in turn, which share a Valkey
server. The model is the strict Gemini emulator, which refuses what Gemini refuses. The summarizer is the scripted
provider. The agent has to finish without a refused or cut request. Each request must hold the user's words, and the
memory must change at least twice.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import orjson

from benchmarks.compaction.extract import Extract
from benchmarks.compaction.gateways import CHEAP, read_budget
from benchmarks.compaction.provider import SUMMARISER, Provider, providing
from benchmarks.gateway.machine import describe
from tests.clients.running_clients import run_script
from tests.process.emulators import Gemini
from tests.process.running import emulate, serve
from tests.support.store_servers import valkey_server

WINDOW = 32_000
ROUNDS = 60
LEAST_COMPACTIONS = 2
_MODEL = "long"
_PROMPT = (
    "Read the log part by part, and tell me the reason of the failure. Never touch the table zones-4711."
)
_LAST = "The disk was full."
_FRAME = "conversation_memory"


@dataclass
class Result:
    """The run: the agent's requests, their largest number of tokens, the memories, and what was wrong."""

    requests: int = 0
    largest: int = 0
    memories: list[int] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)


def run_agent(directory: Path, provider: Provider, rounds: int = ROUNDS) -> Result:
    """Run the agent to its end, and return what happened. Blocks; *provider* has to run in another thread."""
    with ExitStack() as stack:
        store = stack.enter_context(valkey_server())
        client = stack.enter_context(httpx.Client(timeout=60, trust_env=False))
        gemini = Gemini(stack.enter_context(emulate(directory)), client)
        config = _config(gemini, provider, store.url)
        replicas = [stack.enter_context(serve(directory, config)) for _ in range(2)]
        for part in range(rounds):
            gemini.answer({"functionCall": {"name": "read_log", "args": {"part": part}}})
        gemini.say(_LAST)
        base_urls = ",".join(replica.base_url for replica in replicas)
        told = run_script("long_openai_agents", base_urls, _MODEL, _PROMPT)
        return judge(told, gemini.journal(), rounds)


def judge(told: dict[str, Any], journal: list[dict[str, Any]], rounds: int) -> Result:
    """Return the result of a run, from what the agent has *told* and from the emulator's *journal*."""
    result = Result(requests=len(journal))
    if told["text"] != _LAST:
        result.violations.append(f"the agent ended with {told['text']!r}")
    if len(journal) != rounds + 1:
        result.violations.append(f"{len(journal)} requests reached the emulator, and not {rounds + 1}")
    for number, entry in enumerate(journal):
        if entry["verdict"]["status"] != 200:
            result.violations.append(f"request {number} was refused: {entry['verdict']}")
        if b"zones-4711" not in orjson.dumps(entry["body"]):
            result.violations.append(f"request {number}: the user's words are missing")
    budgets = [read_budget(header) for header in told["budgets"]]
    result.largest = max((budget.get("sent", 0) for budget in budgets), default=0)
    result.memories = [
        budget["memory"]
        for budget, before in zip(budgets, [{}, *budgets], strict=False)
        if budget.get("memory") and budget["memory"] != before.get("memory")
    ]
    memories = {text for entry in journal for text in _memories(entry["body"])}
    if len(memories) < LEAST_COMPACTIONS:
        result.violations.append(f"{len(memories)} compactions, and not {LEAST_COMPACTIONS} or more")
    if cut := [number for number, changes in enumerate(told["changes"]) if "budget=" in changes]:
        result.violations.append(f"requests {cut} were cut")
    return result


def _memories(body: Any) -> list[str]:
    parts = (part for content in body["contents"] for part in content["parts"])
    return [part["text"] for part in parts if f"<{_FRAME}" in part.get("text", "")]


def _config(gemini: Gemini, provider: Provider, store_url: str) -> dict[str, Any]:
    main = {"model": "gemini/gemini-3.6-flash", "api_key": "emulated", "api_base": gemini.api_base}
    cheap = {"model": f"openai/{SUMMARISER}", "api_key": "scripted", "api_base": provider.api_base}
    limits = {"max_input_tokens": WINDOW, "max_output_tokens": 4_096}
    return {
        "model_list": [
            {"model_name": _MODEL, "transport": "direct", "litellm_params": main, "model_info": limits},
            {
                "model_name": CHEAP,
                "transport": "direct",
                "litellm_params": cheap,
                "model_info": {"max_input_tokens": 200_000, "max_output_tokens": 8_192},
            },
        ],
        "store": {"url": store_url},
        "compaction": {"enabled": True, "model": CHEAP},
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
    }


async def run(directory: Path) -> Result:
    """Run the agent in a thread while the scripted provider runs in the event loop.

    The processes write to *directory*.
    """
    async with providing(Extract(set())) as provider:
        return await asyncio.to_thread(run_agent, directory, provider)


def main() -> int:
    """Print what happened, and return 1 where a goal is missed."""
    with tempfile.TemporaryDirectory() as scratch:
        result = asyncio.run(run(Path(scratch)))
    print(
        f"{describe()}\n\n| requests | largest request | compactions | tokens of the memories |\n|---|---|---|---|"
    )
    memories = ", ".join(map(str, result.memories))
    print(f"| {result.requests} | {result.largest:,} of {WINDOW:,} | {len(result.memories)} | {memories} |")
    print(f"\n{len(result.violations)} violations")
    for violation in result.violations[:20]:
        print(f"- {violation}")
    return 1 if result.violations else 0


if __name__ == "__main__":
    sys.exit(main())
