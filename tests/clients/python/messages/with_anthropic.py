"""Runs anthropic's client over a tool loop: ``create``, or the helper ``stream``. The history is blocks."""

from __future__ import annotations

from typing import Any

from anthropic import Anthropic

from tests.clients.python.messages.asked import TOOLS as DECLARED
from tests.clients.python.messages.asked import Asked
from tests.clients.python.reporting import MAX_ROUNDS, PROMPT, Report
from tests.clients.python.tools import TOOLS


def main(asked: Asked) -> None:
    """Run the tool loop until an answer has no calls, and print the report."""
    report = Report()
    client = asked.client()
    history: list[Any] = [{"role": "user", "content": PROMPT}]
    for _ in range(MAX_ROUNDS):
        message = answer(client, asked, history)
        assert message.model == asked.model, message.model
        assert message.usage.input_tokens + (message.usage.cache_read_input_tokens or 0) > 0, message.usage
        calls = [block for block in message.content if block.type == "tool_use"]
        history.append({"role": "assistant", "content": message.content})
        if not calls:
            assert message.stop_reason == "end_turn", message
            report.text = "".join(block.text for block in message.content if block.type == "text")
            break
        assert message.stop_reason == "tool_use", message
        report.begin_round()
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": TOOLS[call.name](**report.called(call.id, call.name, call.input)),
            }
            for call in calls
        ]
        history.append({"role": "user", "content": results})
    report.write()


def answer(client: Anthropic, asked: Asked, history: list[Any]) -> Any:
    """Return the answer to *history*, which the helper puts together where it streams."""
    settings: dict[str, Any] = {
        "model": asked.model,
        "max_tokens": 4096,
        "messages": history,
        "tools": DECLARED,
        "thinking": {"type": "adaptive"},
    }
    if not asked.stream:
        return client.messages.create(**settings)
    with client.messages.stream(**settings) as stream:
        return stream.get_final_message()
