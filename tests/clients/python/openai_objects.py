"""Runs openai-python with its own message objects as the history, including their unknown fields.

With streaming, the client's stream helper assembles each message from the deltas.
"""

from __future__ import annotations

from typing import Any

from openai import OpenAI

from tests.clients.python.reporting import MAX_ROUNDS, PROMPT, Asked, Report
from tests.clients.python.tools import DECLARATIONS, TOOLS


def main() -> None:
    """Run the tool loop until an answer has no calls, and print the report."""
    asked, report = Asked.read(), Report()
    client = OpenAI(base_url=asked.base_url, api_key="none", max_retries=0)
    messages: Any = [{"role": "user", "content": PROMPT}]
    for _ in range(MAX_ROUNDS):
        message = answer(client, asked, messages)
        if not message.tool_calls:
            report.text = message.content
            break
        report.begin_round()
        messages.append(message)
        for call in message.tool_calls:
            arguments = report.called(call.id, call.function.name, call.function.arguments)
            result = TOOLS[call.function.name](**arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    report.write()


def answer(client: OpenAI, asked: Asked, messages: Any) -> Any:
    """Send the history, and return the message of the answer."""
    if not asked.stream:
        whole = client.chat.completions.create(model=asked.model, messages=messages, tools=DECLARATIONS)
        return whole.choices[0].message
    with client.chat.completions.stream(model=asked.model, messages=messages, tools=DECLARATIONS) as events:
        return events.get_final_completion().choices[0].message


if __name__ == "__main__":
    main()
