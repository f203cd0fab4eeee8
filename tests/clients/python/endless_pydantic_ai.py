"""Runs pydantic-ai with a model that never stops calling tools.

In mode ``output`` the answer must come by a tool. In mode ``images`` the tool returns images, each in a user
message.
"""

from __future__ import annotations

import asyncio
import sys
from base64 import b64decode
from collections.abc import AsyncIterable
from dataclasses import dataclass
from typing import Any

from openai import AsyncOpenAI
from pydantic_ai import Agent, BinaryContent, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from tests.clients.python.endless import MAX_REQUESTS, PROMPT, Told, search

PIXEL = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=="
)


async def main() -> None:
    """Run the agent until it ends."""
    base_url, name, mode = sys.argv[1:]
    told = Told()
    client = AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0, http_client=told.client())
    model = OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))
    agent: Agent[None, Any] = Agent(
        model, tools=[view if "images" in mode else search], output_type=Finding if "output" in mode else str
    )
    run = await agent.run(
        PROMPT,
        event_stream_handler=read_to_the_end if "stream" in mode else None,
        usage_limits=UsageLimits(request_limit=MAX_REQUESTS),
    )
    told.text = str(run.output)
    told.write()


@dataclass
class Finding:
    """The agent's structured answer."""

    summary: str


def view(query: str) -> BinaryContent:
    """View the archive."""
    return BinaryContent(data=PIXEL, media_type="image/png", identifier=query.replace(" ", "-"))


async def read_to_the_end(_: Any, events: AsyncIterable[Any]) -> None:
    """Read the events and do nothing with them."""
    async for _event in events:
        pass


if __name__ == "__main__":
    asyncio.run(main())
