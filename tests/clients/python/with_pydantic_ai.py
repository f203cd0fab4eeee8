"""Runs pydantic-ai, whose agent runs the loop and the tools. With an event handler the agent streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable
from typing import Any

from pydantic_ai import Agent, UsageLimits
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from tests.clients.python.reporting import MAX_ROUNDS, PROMPT, Asked, Report
from tests.clients.python.tools import TOOLS


async def main() -> None:
    """Run the agent, and report the calls in the run's history."""
    asked, report = Asked.read(), Report()
    provider = OpenAIProvider(base_url=asked.base_url, api_key="none")
    agent = Agent(OpenAIChatModel(asked.model, provider=provider), tools=list(TOOLS.values()))
    run = await agent.run(
        PROMPT,
        event_stream_handler=read_to_the_end if asked.stream else None,
        usage_limits=UsageLimits(request_limit=MAX_ROUNDS),
    )
    for message in run.all_messages():
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        if isinstance(message, ModelResponse) and calls:
            report.begin_round()
            for call in calls:
                report.called(call.tool_call_id, call.tool_name, call.args_as_dict())
    report.text = run.output
    report.write()


async def read_to_the_end(_: Any, events: AsyncIterable[Any]) -> None:
    """Read the events and do nothing with them: the history comes with the run's result."""
    async for _event in events:
        pass


if __name__ == "__main__":
    asyncio.run(main())
