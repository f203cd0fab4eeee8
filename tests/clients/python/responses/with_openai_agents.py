"""Runs openai-agents over the Responses API, which is the package's default."""

from __future__ import annotations

import asyncio
from typing import Any

from agents import Agent, ModelSettings, OpenAIResponsesModel, Runner, function_tool

from tests.clients.python.reporting import MAX_ROUNDS, Report
from tests.clients.python.responses.asked import Asked, Weather
from tests.clients.python.tools import TOOLS


async def main() -> None:
    """Run the agent for each prompt, and report the calls in the answers that the runs keep."""
    asked, report = Asked.read(), Report()
    agent = Agent(
        name="guide",
        model=OpenAIResponsesModel(model=asked.model, openai_client=asked.async_openai()),
        model_settings=ModelSettings(store=asked.stores),
        tools=[] if asked.is_structured else [function_tool(tool) for tool in TOOLS.values()],
        output_type=Weather if asked.is_structured else None,
    )
    history: list[Any] = []
    previous: str | None = None
    for prompt in asked.prompts:
        new = {"role": "user", "content": prompt}
        chain: Any = {"auto_previous_response_id": asked.is_chained, "previous_response_id": previous}
        given = [new] if previous else [*history, new]
        if asked.stream:
            run: Any = Runner.run_streamed(agent, given, max_turns=MAX_ROUNDS, **chain)
            async for _ in run.stream_events():
                pass
        else:
            run = await Runner.run(agent, given, max_turns=MAX_ROUNDS, **chain)
        history = run.to_input_list()
        previous = run.last_response_id if asked.is_chained else None
        for response in run.raw_responses:
            calls = [item for item in response.output if item.type == "function_call"]
            if calls:
                report.begin_round()
            for call in calls:
                report.called(call.call_id, call.name, call.arguments)
        report.text = run.final_output.model_dump_json() if asked.is_structured else run.final_output
    report.write()


if __name__ == "__main__":
    asyncio.run(main())
