"""Runs openai-python with a history that keeps only the id, name and arguments of each call.

Most applications do this, for example to keep the history in a database. All undocumented fields of the answer are
lost.
"""

from __future__ import annotations

from collections.abc import Iterable
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
        answer = client.chat.completions.create(
            model=asked.model, messages=messages, tools=DECLARATIONS, stream=asked.stream
        )
        text, calls = joined(answer) if asked.stream else told(answer)
        if not calls:
            report.text = text
            break
        report.begin_round()
        messages.append({"role": "assistant", "content": text or None, "tool_calls": calls})
        for call in calls:
            function = call["function"]
            arguments = report.called(call["id"], function["name"], function["arguments"])
            result = TOOLS[function["name"]](**arguments)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    report.write()


def told(answer: Any) -> tuple[str, list[dict[str, Any]]]:
    """Return the text and the calls of a whole answer."""
    message = answer.choices[0].message
    calls = [
        called(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ()
    ]
    return message.content or "", calls


def joined(chunks: Iterable[Any]) -> tuple[str, list[dict[str, Any]]]:
    """Return the text and the calls of a stream. The pieces of a call are joined by the call's index."""
    text, calls = "", dict[int, dict[str, Any]]()
    for chunk in chunks:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for delta in choice.delta.tool_calls or ():
                call = calls.setdefault(delta.index, called("", "", ""))
                call["id"] += delta.id or ""
                call["function"]["name"] += delta.function.name or ""
                call["function"]["arguments"] += delta.function.arguments or ""
    return text, [call for _, call in sorted(calls.items())]


def called(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    """Return a call of the documented fields alone."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


if __name__ == "__main__":
    main()
