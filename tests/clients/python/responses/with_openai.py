"""Runs openai-python over the Responses API: ``create`` and ``parse``, or the helper ``stream``.

The history is the objects of the answers, as OpenAI's guide has it (``input += response.output``).
"""

from __future__ import annotations

from typing import Any

from openai import OpenAI

from tests.clients.python.reporting import MAX_ROUNDS, Report
from tests.clients.python.responses.asked import TOOLS as DECLARED
from tests.clients.python.responses.asked import Asked, Weather
from tests.clients.python.tools import TOOLS


def main() -> None:
    """Run the tool loop of each prompt until an answer has no calls, and print the report."""
    asked, report = Asked.read(), Report()
    client = asked.openai()
    history: list[Any] = []
    previous: dict[str, Any] = {}
    for prompt in asked.prompts:
        new: list[Any] = [{"role": "user", "content": prompt}]
        for _ in range(MAX_ROUNDS):
            history += new
            response = answer(client, asked, new if previous else history, previous)
            history += response.output
            previous = {"previous_response_id": response.id} if asked.is_chained else {}
            calls = [item for item in response.output if item.type == "function_call"]
            if not calls:
                report.text = text_of(response, asked)
                break
            report.begin_round()
            new = []
            for call in calls:
                result = TOOLS[call.name](**report.called(call.call_id, call.name, call.arguments))
                new.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
    report.write()


def answer(client: OpenAI, asked: Asked, given: list[Any], previous: dict[str, Any]) -> Any:
    """Send *given*, and return the response object, which the helper puts together where it streams."""
    settings: dict[str, Any] = {"model": asked.model, "input": given, **previous}
    if asked.stores is not None:
        settings["store"] = asked.stores
    settings |= {"text_format": Weather} if asked.is_structured else {"tools": DECLARED}
    if asked.stream:
        with client.responses.stream(**settings) as events:
            return events.get_final_response()
    return client.responses.parse(**settings) if asked.is_structured else client.responses.create(**settings)


def text_of(response: Any, asked: Asked) -> str:
    """Return the text, or the parsed output as JSON."""
    text: str = response.output_parsed.model_dump_json() if asked.is_structured else response.output_text
    return text


if __name__ == "__main__":
    main()
