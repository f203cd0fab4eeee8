"""Tests of the judge of Cohere's API v2: each broken rule is refused with its own text. Similar legal requests pass."""

from typing import Any

import pytest

from tests.support.builders import assistant, call, image, system, text, tool, user, without
from tests.support.cohere_emulator import judge_cohere
from tests.support.cohere_emulator import judging as rules
from tests.support_tests.chat_cases import function

U = user("Hello.")
ROUND = [U, assistant(calls=[call("c1")]), tool("c1")]


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    """Return a request to Cohere."""
    return {"model": "command-a-03-2025", "messages": list(messages), **fields}


PARSED = {**call("c1"), "function": {**call("c1")["function"], "parsed_arguments": None}}
STRICT = {"type": "function", "function": {**function("f")["function"], "strict": True}}

REFUSED: dict[str, tuple[Any, str, int]] = {
    "unknown field": (body(U, n=2), rules.UNKNOWN.format(name="n"), 422),
    "unknown field of a message": (body(user("a", name="b")), rules.UNKNOWN.format(name="name"), 422),
    "reasoning": (
        body(U, assistant("a", reasoning_content="b"), U),
        rules.UNKNOWN.format(name="reasoning_content"),
        422,
    ),
    "strict tool": (body(U, tools=[STRICT]), rules.UNKNOWN.format(name="strict"), 422),
    "field of a call": (
        body(U, assistant(calls=[call("c1", index=0)]), tool("c1")),
        rules.UNKNOWN.format(name="index"),
        422,
    ),
    "field of a function": (
        body(U, assistant(calls=[PARSED]), tool("c1")),
        rules.UNKNOWN.format(name="parsed_arguments"),
        422,
    ),
    "call without a type": (
        body(U, assistant(calls=[without(call("c1"), "type")]), tool("c1")),
        rules.MISSING.format(name="tool_calls.type"),
        400,
    ),
    "declaration without parameters": (
        body(U, tools=[{"type": "function", "function": {"name": "f"}}]),
        rules.MISSING.format(name="tools.function.parameters"),
        400,
    ),
    "no JSON": (None, "invalid json syntax", 400),
    "no messages": (body(), rules.NO_MESSAGES, 400),
    "no model": (without(body(U), "model"), rules.MISSING.format(name="model"), 400),
    "role of another": (
        body({"role": "function", "content": "a"}),
        rules.BAD_ROLE.format(role="function"),
        400,
    ),
    "assistant with nothing": (body(U, assistant(""), U), rules.NOTHING, 400),
    "blank user": (body(user(" ")), rules.EMPTY, 400),
    "blank parts": (body(user([text("")])), rules.EMPTY, 400),
    "blank system": (body(system(""), U), rules.EMPTY, 400),
    "result without content": (body(*ROUND[:2], tool("c1", None)), rules.MISSING.format(name="content"), 400),
    "unanswered": (body(U, ROUND[1], U), rules.UNANSWERED.format(id="c1"), 400),
    "unanswered at the end": (body(U, ROUND[1]), rules.UNANSWERED.format(id="c1"), 400),
    "orphan": (body(U, tool("c1")), rules.ORPHAN.format(id="c1"), 400),
    "null ids": (
        body(U, assistant(calls=[call(None)]), tool(None)),
        rules.ORPHAN.format(id=None),
        400,
    ),
    "two results": (body(*ROUND, tool("c1")), rules.TWICE.format(id="c1"), 400),
}
ACCEPTED: dict[str, Any] = {
    "a round": body(system(), *ROUND, tools=[function("f")]),
    "user behind results": body(*ROUND, U),
    "neighbours": body(U, U, assistant("a"), assistant("b")),
    "assistant first": body(assistant("a"), U),
    "an image": body(user([text("a"), image()])),
    "an image alone": body(user([image()])),
    "an empty result": body(*ROUND[:2], tool("c1", "")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_cohere_judge_names_the_fault_in_coheres_words(case: str) -> None:
    """The refusal of a broken rule has Cohere's text and status, and the keys of Cohere's envelope."""
    asked, words, status = REFUSED[case]

    refusal = judge_cohere(asked)

    assert refusal is not None
    assert (refusal.message, refusal.status) == (words, status)
    assert refusal.envelope().keys() == {"id", "message"}


@pytest.mark.parametrize("case", ACCEPTED)
def test_cohere_judge_takes_what_cohere_takes(case: str) -> None:
    """The judge accepts requests that Cohere accepts."""
    assert judge_cohere(ACCEPTED[case]) is None
