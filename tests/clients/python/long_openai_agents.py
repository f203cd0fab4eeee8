"""Runs openai-agents, streamed, with a tool whose results are long. Its requests go to several gateways in turn."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys

import httpx
from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool
from openai import AsyncOpenAI

MAX_TURNS = 200
LINES = 40
"""The lines of a result. A line has some 100 characters."""


def read_log(part: int) -> str:
    """Read a part of the log."""
    line = (
        "the worker has read the next batch from the queue and has written each row of the batch to the table"
    )
    return "\n".join(f"{part}.{number} {line}" for number in range(LINES))


async def main() -> None:
    """Run the agent to its end, and print a line of JSON: the headers of each answer, and the agent's last text."""
    base_urls, name, prompt = sys.argv[1:]
    origins = itertools.cycle([httpx.URL(base_url) for base_url in base_urls.split(",")])
    budgets: list[str] = []
    changes: list[str] = []

    async def choose(request: httpx.Request) -> None:
        origin = next(origins)
        request.url = request.url.copy_with(host=origin.host, port=origin.port)
        request.headers["host"] = f"{origin.host}:{origin.port}"

    async def note(response: httpx.Response) -> None:
        budgets.append(response.headers.get("x-turnright-budget", ""))
        changes.append(response.headers.get("x-turnright-changes", ""))

    http = httpx.AsyncClient(
        event_hooks={"request": [choose], "response": [note]}, trust_env=False, timeout=60
    )
    first = base_urls.partition(",")[0]
    client = AsyncOpenAI(base_url=first, api_key="none", max_retries=0, http_client=http)
    model = OpenAIChatCompletionsModel(model=name, openai_client=client)
    agent = Agent(
        name="reader", model=model, tools=[function_tool(read_log)], instructions="Read all parts of the log."
    )
    result = Runner.run_streamed(agent, prompt, max_turns=MAX_TURNS)
    async for _ in result.stream_events():
        pass
    sys.stdout.write(json.dumps({"budgets": budgets, "changes": changes, "text": result.final_output}) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
