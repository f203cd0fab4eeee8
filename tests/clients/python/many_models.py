"""Runs openai-python's tool loop with many models at once, whole and streamed.

The request has many of the parameters and fields in OpenAI's reference, and most providers refuse some of them. The
history holds the client's own messages as it dumps them. The client's ``ChatCompletionStreamState`` joins a stream.

The command line is ``BASE_URL WAYS``, where the ways are ``whole`` and ``stream`` in JSON, by the name of a model. The
output is one line of JSON: a report for each model and each of its ways.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import httpx
from openai import AsyncOpenAI, OpenAIError
from openai.lib.streaming.chat import ChatCompletionStreamState

from tests.clients.python.reporting import MAX_ROUNDS
from tests.clients.python.tools import DECLARATIONS, TOOLS

AT_ONCE = 8
MARK = {"cache_control": {"type": "ephemeral"}}
MARKED: Any = [{**DECLARATIONS[0], **MARK}, *DECLARATIONS[1:]]
CHOICES: Any = ("required", "auto", {"type": "function", "function": {"name": "get_time"}})
"""The tool choice of each round. In later rounds it is ``auto``."""

PROMPT: Any = [
    {"role": "developer", "content": [{"type": "text", "text": "Be brief.", **MARK}]},
    {"role": "system", "content": "Never guess."},
    {
        "role": "user",
        "name": "amy",
        "content": [{"type": "text", "text": "Find out "}, {"type": "text", "text": "what I want to know."}],
    },
    {"role": "user", "content": "Take your time."},
]
PARAMETERS: Any = {
    "frequency_penalty": 0.1,
    "logit_bias": {"50256": -100},
    "max_completion_tokens": 3000,
    "n": 1,
    "parallel_tool_calls": True,
    "presence_penalty": 0.1,
    "prompt_cache_key": "k",
    "reasoning_effort": "minimal",
    "safety_identifier": "s",
    "seed": 7,
    "service_tier": "auto",
    "stop": ["###"],
    "store": False,
    "temperature": 2,
    "top_p": 0.9,
    "user": "u",
    "verbosity": "low",
}


async def main() -> None:
    """Run all loops, and print the reports."""
    base_url, ways = sys.argv[1], json.loads(sys.argv[2])
    limit = asyncio.Semaphore(AT_ONCE)
    async with httpx.AsyncClient(timeout=60) as http:
        client = AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0, http_client=http)

        async def each(model: str) -> dict[str, Any]:
            async with limit:
                return {way: await loop(client, model, stream=way == "stream") for way in ways[model]}

        reports = await asyncio.gather(*map(each, ways))
    sys.stdout.write(json.dumps(dict(zip(ways, reports, strict=True))) + "\n")


async def loop(client: AsyncOpenAI, model: str, *, stream: bool) -> dict[str, Any]:
    """Run the tool loop with one model until an answer has no calls, and return its report."""
    messages: Any = [*PROMPT]
    report: dict[str, Any] = {"rounds": [], "answers": [], "text": None, "error": None}
    try:
        for number in range(MAX_ROUNDS):
            choice = CHOICES[number] if number < len(CHOICES) else "auto"
            message = await answer(client, model, messages, choice, report, stream=stream)
            if not message.tool_calls:
                report["text"] = message.content
                break
            messages += [{**message.to_dict(mode="json"), "name": "helper"}, *results(message, report)]
    except OpenAIError as error:
        report["error"] = str(error)
    return report


async def answer(
    client: AsyncOpenAI, model: str, messages: Any, choice: Any, report: dict[str, Any], *, stream: bool
) -> Any:
    """Send the history, note the facts of the answer, and return its message."""
    given = {"model": model, "messages": messages, "tools": MARKED, "tool_choice": choice, **PARAMETERS}
    ask = client.chat.completions.with_raw_response.create
    if stream:
        raw = await ask(**given, stream=True, stream_options={"include_usage": True})
        state: Any = ChatCompletionStreamState(input_tools=MARKED)
        async for chunk in raw.parse():
            state.handle_chunk(chunk)
        done = state.get_final_completion()
    else:
        raw = await ask(**given)
        done = raw.parse()
    [chosen] = done.choices
    usage = done.usage
    report["answers"].append(
        {
            "deployment": raw.headers.get("x-turnright-model"),
            "attempts": raw.headers.get("x-turnright-attempts"),
            "model": done.model,
            "finish": chosen.finish_reason,
            "thought": getattr(chosen.message, "reasoning_content", None),
            "usage": usage and [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens],
        }
    )
    return chosen.message


def results(message: Any, report: dict[str, Any]) -> list[dict[str, Any]]:
    """Call the tools, and return their results. The first result of a message is a list of parts."""
    told: list[dict[str, Any]] = []
    seen: list[dict[str, Any]] = []
    for call in message.tool_calls:
        name, arguments = call.function.name, json.loads(call.function.arguments)
        seen.append({"id": call.id, "name": name, "arguments": arguments})
        text = TOOLS[name](**arguments)
        content: Any = text if told else [{"type": "text", "text": text}]
        told.append({"role": "tool", "tool_call_id": call.id, "name": name, "content": content})
    report["rounds"].append(seen)
    return told


if __name__ == "__main__":
    asyncio.run(main())
