"""An upstream with a summarizing model, and an agent's session that grows until it needs a summary."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from typing_extensions import override

from proxy.config import Settings, load_settings
from proxy.core.upstream_call import Answer, UpstreamCall
from tests.support.builders import assistant, call, system, tool, user
from tests.support.proxied import Proxied
from tests.support.scripted_upstream import ScriptedUpstream, answer

SUMMARIZER = "cheap"
WINDOW = 10_000
SUMMARY = "## Goal\nMend the failing test.\n## Done\nSummary number {number}.\n## Files\nsrc/module.py: read"


class SummarizingUpstream(ScriptedUpstream):
    """Answers calls for the model `SUMMARIZER` with *summarize*, and all others by the script.

    *asked* holds the calls to the summarizing model. The default answer is a valid summary with a running number.
    """

    def __init__(self, summarize: Callable[[UpstreamCall], Answer] | None = None) -> None:
        super().__init__()
        self.asked: list[UpstreamCall] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self._summarize = summarize

    @override
    async def complete(self, call: UpstreamCall) -> Answer:
        if call.deployment.label != SUMMARIZER:
            return await super().complete(call)
        self.asked.append(call)
        await self.may_answer.wait()
        if self._summarize is not None:
            return self._summarize(call)
        return answer(SUMMARY.format(number=len(self.asked)))


def compacting(compaction: dict[str, Any] | None = None, **sections: Any) -> Settings:
    """Return settings with the model `m`, whose prompts have `WINDOW` tokens at most, and compaction switched on."""
    entries = [
        {
            "model_name": name,
            "litellm_params": {"model": model},
            "model_info": {"max_input_tokens": window, "max_output_tokens": 1_000},
        }
        for name, model, window in (
            ("m", "openai/nobody-knows-it", WINDOW),
            (SUMMARIZER, "openai/cheap-one", 100_000),
        )
    ]
    whole = {
        "model_list": entries,
        "compaction": {"enabled": True, "model": SUMMARIZER, "memory_tokens": 1_000, **(compaction or {})},
        "router_settings": {"num_retries": 0},
        "budget": {"margin": 0.0, "reserve": 0},
        **sections,
    }
    return load_settings(json.dumps(whole).encode(), {}).settings


def session(rounds: int, *, words: int = 100) -> list[dict[str, Any]]:
    """Return an agent's history of *rounds* rounds, of which each has some *words* tokens."""
    messages = [system("You mend code."), user("Mend the failing test in src/module.py.")]
    for number in range(rounds):
        messages.append(
            assistant(
                f"Step {number}.", [call(f"call_{number}", "read", f'{{"path": "src/part_{number}.py"}}')]
            )
        )
        messages.append(tool(f"call_{number}", f"line {number} " + "word " * words))
    return messages


async def summaries_done(one: Proxied) -> None:
    """Wait until no summary is being written."""
    jobs = one.server.gateway.summaries
    async with asyncio.timeout(30):
        while jobs.is_busy:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.002)
