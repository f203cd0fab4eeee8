"""Runs langchain-openai with ``use_responses_api``, streamed or not."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

from tests.clients.python.reporting import MAX_ROUNDS, Report
from tests.clients.python.responses.asked import Asked, Weather
from tests.clients.python.tools import TOOLS
from tests.clients.python.with_langchain import joined


def main() -> None:
    """Run the tool loop of each prompt until an answer has no calls, and print the report."""
    asked, report = Asked.read(), Report()
    chat = ChatOpenAI(
        base_url=asked.base_url,
        api_key="none",
        model=asked.model,
        max_retries=0,
        use_responses_api=True,
        use_previous_response_id=asked.is_chained,
        store=asked.stores,
    )
    if asked.is_structured:
        report.text = structured(chat.with_structured_output(Weather), asked).model_dump_json()
        report.write()
        return
    model = chat.bind_tools(list(TOOLS.values()))
    messages: list[Any] = []
    for prompt in asked.prompts:
        messages.append(HumanMessage(prompt))
        for _ in range(MAX_ROUNDS):
            message = joined(model.stream(messages)) if asked.stream else model.invoke(messages)
            messages.append(message)
            if not message.tool_calls:
                report.text = message.text
                break
            report.begin_round()
            for call in message.tool_calls:
                arguments = report.called(call["id"], call["name"], call["args"])
                messages.append(ToolMessage(TOOLS[call["name"]](**arguments), tool_call_id=call["id"]))
    report.write()


def structured(model: Any, asked: Asked) -> Any:
    """Return the parsed output. Streamed, it is the last of the values, which grow."""
    if asked.stream:
        return list(model.stream(asked.prompts[0]))[-1]
    return model.invoke(asked.prompts[0])


if __name__ == "__main__":
    main()
