"""pydantic-ai, with a model that never stops calling tools."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterable
from typing import Any

from openai import AsyncOpenAI
from pydantic_ai import Agent, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from tests.clients.python.endless import MOST_REQUESTS, PROMPT, Told, search


async def main() -> None:
    """Let the agent run until it ends."""
    base_url, name, mode = sys.argv[1:]
    told = Told()
    client = AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0, http_client=told.client())
    agent = Agent(OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client)), tools=[search])
    run = await agent.run(
        PROMPT,
        event_stream_handler=read_to_the_end if "stream" in mode else None,
        usage_limits=UsageLimits(request_limit=MOST_REQUESTS),
    )
    told.text = run.output
    told.write()


async def read_to_the_end(_: Any, events: AsyncIterable[Any]) -> None:
    """Read the events and do nothing with them."""
    async for _event in events:
        pass


if __name__ == "__main__":
    asyncio.run(main())
