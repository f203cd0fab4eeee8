"""Runs openai-agents over chat completions. The package translates its Responses items for each request."""

from __future__ import annotations

import asyncio

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool
from openai import AsyncOpenAI

from tests.clients.python.reporting import MAX_ROUNDS, PROMPT, Asked, Report
from tests.clients.python.tools import TOOLS


async def main() -> None:
    """Run the agent, and report the calls in the answers that the run keeps."""
    asked, report = Asked.read(), Report()
    client = AsyncOpenAI(base_url=asked.base_url, api_key="none", max_retries=0)
    model = OpenAIChatCompletionsModel(model=asked.model, openai_client=client)
    agent = Agent(name="guide", model=model, tools=[function_tool(tool) for tool in TOOLS.values()])
    if asked.stream:
        run = Runner.run_streamed(agent, PROMPT, max_turns=MAX_ROUNDS)
        async for _ in run.stream_events():
            pass
    else:
        run = await Runner.run(agent, PROMPT, max_turns=MAX_ROUNDS)
    for response in run.raw_responses:
        calls = [item for item in response.output if item.type == "function_call"]
        if calls:
            report.begin_round()
        for call in calls:
            report.called(call.call_id, call.name, call.arguments)
    report.text = run.final_output
    report.write()


if __name__ == "__main__":
    asyncio.run(main())
