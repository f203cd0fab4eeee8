"""OpenAI's own types accept every event and every response object."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from proxy.core.errors import Overloaded
from proxy.ingress.openai_responses.echo import make_echo
from proxy.ingress.openai_responses.fields import read_fields
from tests.proxy.ingress.openai_responses.responding import answers, call, chunk, piece, usage_chunk, whole
from tests.support.responses_grammar import events_of
from tests.support.strategies.strict_chunks import StrictAnswer, strict_answers

EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)

CALLS = [
    call(0, "f", "{}"),
    call(1, "ex", '{"input":"a"}'),
    call(2, "ns__g", "{}"),
    call(3, "local_shell", '{"command":["ls"],"timeout_ms":5}'),
    call(4, "shell", '{"commands":["ls"]}'),
    call(5, "apply_patch", '{"type":"update_file","path":"a","diff":"+b"}'),
    call(6, "local_shell", '{"command":7,"env":[],"timeout_ms":"5"}'),
    call(7, "shell", "x"),
    call(8, "apply_patch", "[]"),
]


def check_types(raw: bytes) -> None:
    """Validate each event of a stream."""
    for event in events_of(raw):
        EVENT.validate_python(event)


@given(answer=strict_answers())
def test_any_stream_has_the_types_of_the_sdk(answer: StrictAnswer) -> None:
    """Each event is one of the union, and the response in it is a response."""
    writer = answers(shows_thoughts=True).write_stream()

    check_types(b"".join(map(writer.write_chunk, answer.chunks)) + writer.write_end())


def test_every_kind_of_items_and_errors_has_the_types_of_the_sdk() -> None:
    """Items of all tools are valid, also for arguments of other types than they should have."""
    Response.model_validate(answers_of(CALLS))
    writer = answers().write_stream()
    parts = [piece(at, one["function"]["arguments"], one["function"]["name"]) for at, one in enumerate(CALLS)]
    raw = b"".join(writer.write_chunk(chunk(delta)) for delta in parts)
    check_types(
        raw
        + writer.write_chunk(chunk({}, "tool_calls"))
        + writer.write_chunk(usage_chunk())
        + writer.write_end()
    )
    check_types(answers().write_stream().write_error(Overloaded("Busy.")))


def answers_of(calls: list[dict[str, Any]]) -> Any:
    """Return the response object of an answer with *calls*."""
    made = answers()
    made.write_answer(whole({"content": "Hi.", "refusal": "No.", "tool_calls": calls}, "tool_calls"))
    return made.finished


def test_the_echo_has_the_types_of_the_sdk() -> None:
    """A request with many fields is repeated in types that the SDK knows."""
    body = b"""{"model": "m", "input": "Hi.", "temperature": 0, "text": {"format": {"type": "json_schema", "name": "n",
        "schema": {}}, "verbosity": "low"}, "reasoning": {"effort": "low", "summary": "auto"}, "service_tier": "auto",
        "tool_choice": {"type": "function", "name": "f"}, "tools": [{"type": "function", "name": "f"},
        {"type": "custom", "name": "ex"}, {"type": "web_search"}], "conversation": "conv_1", "truncation": "auto"}"""
    fields = read_fields(body, max_nesting=50)

    found = Response.model_validate({**answers_of(CALLS), **fields.echo})

    assert found.conversation is not None
    assert (found.conversation.id, found.service_tier, found.truncation) == ("conv_1", "default", "auto")
    assert fields.echo == make_echo(fields.echo)
