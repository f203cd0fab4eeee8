"""Runs google-genai over a tool loop: ``generate_content`` or its stream. The history is the answers' contents."""

from __future__ import annotations

from google.genai import types

from tests.clients.python.gemini.asked import DECLARED, Asked
from tests.clients.python.reporting import MAX_ROUNDS, PROMPT, Report
from tests.clients.python.tools import TOOLS


def main(asked: Asked) -> None:
    """Run the tool loop until an answer has no calls, and print the report."""
    report = Report()
    history = [types.Content(role="user", parts=[types.Part(text=PROMPT)])]
    for _ in range(MAX_ROUNDS):
        content = answer(asked, history)
        parts = content.parts or []
        calls = [part.function_call for part in parts if part.function_call is not None]
        history.append(content)
        if not calls:
            report.text = "".join(part.text for part in parts if part.text and not part.thought)
            break
        report.begin_round()
        results = []
        for call in calls:
            assert call.name is not None
            result = TOOLS[call.name](**report.called(call.id, call.name, call.args or {}))
            response = types.FunctionResponse(id=call.id, name=call.name, response={"result": result})
            results.append(types.Part(function_response=response))
        history.append(types.Content(role="user", parts=results))
    report.write()


def answer(asked: Asked, history: list[types.Content]) -> types.Content:
    """Return the answer to *history*, with the parts of all chunks where it is a stream."""
    config = types.GenerateContentConfig(
        tools=[DECLARED],
        thinking_config=types.ThinkingConfig(include_thoughts=True),
        system_instruction="Be brief.",
    )
    parts: list[types.Part] = []
    last = None
    for chunk in asked.contents_of(history, config):
        [candidate] = chunk.candidates or [types.Candidate()]
        parts += (candidate.content and candidate.content.parts) or []
        last = chunk
    assert last is not None
    assert last.usage_metadata is not None
    assert (last.usage_metadata.prompt_token_count or 0) > 0, last
    assert (last.usage_metadata.total_token_count or 0) > 0, last
    assert last.response_id, last
    assert last.model_version, last
    assert last.candidates is not None
    assert last.candidates[0].finish_reason == types.FinishReason.STOP, last
    return types.Content(role="model", parts=parts)
