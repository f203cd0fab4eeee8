"""Runs langchain-openai, streamed or not. The package converts its own messages to OpenAI's for each request."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import Any

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

from tests.clients.python.reporting import MAX_ROUNDS, PROMPT, Asked, Report
from tests.clients.python.tools import TOOLS


def main() -> None:
    """Run the tool loop until an answer has no calls, and print the report."""
    asked, report = Asked.read(), Report()
    chat = ChatOpenAI(base_url=asked.base_url, api_key="none", model=asked.model, max_retries=0)
    model = chat.bind_tools(list(TOOLS.values()))
    messages: list[Any] = [HumanMessage(PROMPT)]
    for _ in range(MAX_ROUNDS):
        message = joined(model.stream(messages)) if asked.stream else model.invoke(messages)
        if not message.tool_calls:
            report.text = message.text
            break
        report.begin_round()
        messages.append(message)
        for call in message.tool_calls:
            arguments = report.called(call["id"], call["name"], call["args"])
            messages.append(ToolMessage(TOOLS[call["name"]](**arguments), tool_call_id=call["id"]))
    report.write()


def joined(chunks: Iterable[Any]) -> Any:
    """Return the sum of the chunks, which is langchain's own way to assemble a message."""
    return functools.reduce(operator.add, chunks)


if __name__ == "__main__":
    main()
