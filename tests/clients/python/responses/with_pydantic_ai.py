"""Runs pydantic-ai over the Responses API. With an event handler the agent streams."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent, NativeOutput, UsageLimits
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models.openai import OpenAIResponsesModel, OpenAIResponsesModelSettings
from pydantic_ai.providers.openai import OpenAIProvider

from tests.clients.python.reporting import MAX_ROUNDS, Report
from tests.clients.python.responses.asked import Asked, Weather
from tests.clients.python.tools import TOOLS
from tests.clients.python.with_pydantic_ai import read_to_the_end


async def main() -> None:
    """Run the agent for each prompt, and report the calls in the runs' history."""
    asked, report = Asked.read(), Report()
    settings = OpenAIResponsesModelSettings()
    if asked.stores is not None:
        settings["openai_store"] = asked.stores
    if asked.is_chained:
        settings["openai_previous_response_id"] = "auto"
    provider = OpenAIProvider(openai_client=asked.async_openai())
    agent: Any = Agent(
        OpenAIResponsesModel(asked.model, provider=provider),
        model_settings=settings,
        tools=[] if asked.is_structured else list(TOOLS.values()),
        output_type=NativeOutput(Weather) if asked.is_structured else str,
    )
    history: list[Any] = []
    for prompt in asked.prompts:
        run = await agent.run(
            prompt,
            message_history=history,
            event_stream_handler=read_to_the_end if asked.stream else None,
            usage_limits=UsageLimits(request_limit=MAX_ROUNDS),
        )
        history = run.all_messages()
        report.text = run.output.model_dump_json() if asked.is_structured else run.output
    for message in history:
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        if isinstance(message, ModelResponse) and calls:
            report.begin_round()
            for call in calls:
                report.called(call.tool_call_id, call.tool_name, call.args_as_dict())
    report.write()


if __name__ == "__main__":
    asyncio.run(main())
