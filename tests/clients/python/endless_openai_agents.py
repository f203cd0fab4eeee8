"""Runs openai-agents with a model that never stops calling tools.

In mode ``team`` two agents hand the task to each other.
"""

from __future__ import annotations

import asyncio
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool
from openai import AsyncOpenAI

from tests.clients.python.endless import MAX_REQUESTS, PROMPT, Told, search


async def main() -> None:
    """Run the agents until something ends them, and print the report."""
    base_url, name, mode = sys.argv[1:]
    told = Told()
    client = AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0, http_client=told.client())
    model = OpenAIChatCompletionsModel(model=name, openai_client=client)
    guide = Agent(name="guide", model=model, tools=[function_tool(search)])
    if "team" in mode:
        clerk = Agent(name="clerk", model=model, tools=[function_tool(search)], handoffs=[guide])
        guide.handoffs.append(clerk)
    if "stream" in mode:
        run = Runner.run_streamed(guide, PROMPT, max_turns=MAX_REQUESTS)
        async for _ in run.stream_events():
            pass
        told.text = run.final_output
    else:
        told.text = (await Runner.run(guide, PROMPT, max_turns=MAX_REQUESTS)).final_output
    told.write()


if __name__ == "__main__":
    asyncio.run(main())
