"""The ``shape`` step, where other providers have rules about one message."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sanitizers.messages import Entry
from sanitizers.profiles import GEMINI_3, OPENAI
from sanitizers.provider_profiles import ANTHROPIC, BEDROCK_CLAUDE, COHERE, DEEPSEEK, MISTRAL
from sanitizers.steps.shape import normalize_shape
from sanitizers.synthetic import EMPTY_RESULT
from tests.sanitizers.steps.case import Case, History, check
from tests.support.builders import assistant, call, developer, image, system, text, tool, user

GO = user("go")
ASKS = assistant(calls=[call("abcdefgh1")])


def answered(content: object, **extra: object) -> History:
    """Return an exchange whose result has *content*."""
    return [GO, ASKS, tool("abcdefgh1", content, **extra)]


BLANK_TEXTS = [
    Case(
        "a message of whitespace goes",
        [system(" "), GO, assistant("\n"), user("\t")],
        [GO],
        [("dropped", 0, "empty_message"), ("dropped", 2, "empty_message"), ("dropped", 3, "empty_message")],
        ANTHROPIC,
    ),
    Case(
        "whitespace beside calls goes",
        [GO, {**ASKS, "content": "\n\n"}, tool("abcdefgh1")],
        answered("ok"),
        [("dropped", 1, "empty_text")],
        ANTHROPIC,
    ),
    Case(
        "a part of whitespace goes, the others stay",
        [user([text(" "), text("a "), image(), text("\u3000")])],
        [user([text("a "), image()])],
        [("dropped", 0, "empty_text"), ("dropped", 0, "empty_text")],
        ANTHROPIC,
    ),
    Case(
        "in a result too",
        answered([text(""), text("r"), text(" ")]),
        answered([text("r")]),
        [("dropped", 2, "empty_text"), ("dropped", 2, "empty_text")],
        ANTHROPIC,
    ),
    Case(
        "a result of such parts is an empty one",
        answered([text(" ")]),
        answered(""),
        [("dropped", 2, "empty_text"), ("replaced", 2, "result_content")],
        ANTHROPIC,
    ),
    Case(
        "a refusal of whitespace says nothing",
        [GO, assistant(None, refusal=" ")],
        [GO],
        [("dropped", 1, "empty_message")],
        ANTHROPIC,
    ),
    Case(
        "a refusal is the assistant's text",
        [GO, assistant(" ", refusal="No.")],
        [GO, assistant("No.", refusal="No.")],
        [("replaced", 1, "refusal_as_text")],
        ANTHROPIC,
    ),
    Case("whitespace around words stays", [user(" a\n"), assistant("\tb")], None, (), ANTHROPIC),
    Case("a blank result is an answer", answered(" "), None, (), ANTHROPIC),
    Case("whitespace is text at DeepSeek", [user(" "), assistant("\n")], None, (), DEEPSEEK),
]

BLANK_RESULTS = [
    Case(
        f"a result of {name} says so",
        answered(content),
        answered(EMPTY_RESULT),
        [("replaced", 2, "blank_result")],
        MISTRAL,
    )
    for name, content in (("nothing", ""), ("null", None), ("no parts", []), ("whitespace", " \n"))
]
BLANK_RESULTS += [
    Case(
        "a result of blank parts says so",
        answered([text(" "), text("")]),
        answered(EMPTY_RESULT),
        [("dropped", 2, "empty_text"), ("dropped", 2, "empty_text"), ("replaced", 2, "blank_result")],
        BEDROCK_CLAUDE,
    ),
    Case(
        "an image alone is a result",
        answered([text(""), image()]),
        answered([image()]),
        [("dropped", 2, "empty_text")],
        BEDROCK_CLAUDE,
    ),
    Case(
        "blank parts say so where blank texts are taken elsewhere",
        answered([text(" ")]),
        answered(EMPTY_RESULT),
        [("replaced", 2, "blank_result")],
        replace(OPENAI, blank_results=False),
    ),
    Case("an image is no blank", answered([image()]), None, (), BEDROCK_CLAUDE),
    Case("nor is a zero", answered("0"), None, (), MISTRAL),
    Case("an empty result is left alone elsewhere", answered(""), None, (), COHERE),
]

DEVELOPERS = [
    Case(
        "the developer is the system",
        [developer("s", name="n"), GO],
        [system("s", name="n"), GO],
        [("replaced", 0, "developer_role")],
        DEEPSEEK,
    ),
    Case(
        "behind the first turn the user",
        [GO, developer("s")],
        [GO, user("s")],
        [("replaced", 1, "developer_role"), ("replaced", 1, "system_after_start")],
        ANTHROPIC,
    ),
    Case(
        "without words nobody",
        [developer(""), GO],
        [GO],
        [("replaced", 0, "developer_role"), ("dropped", 0, "empty_message")],
        ANTHROPIC,
    ),
    Case("OpenAI has the role", [developer("s"), GO], None, (), OPENAI),
    Case("so has Gemini's wire", [developer("s"), GO], None, (), GEMINI_3),
]

ONLY_FIELDS = [
    Case(
        "fields that are not Mistral's go, each named",
        [user("a", x_own=1, cache_control={}), assistant("b", refusal=None, prefix=True)],
        [user("a"), assistant("b", prefix=True)],
        [("dropped", 0, "refused_field"), ("dropped", 0, "refused_field"), ("dropped", 1, "refused_field")],
        MISTRAL,
    ),
    Case(
        "of a result too, whose own stay",
        answered("r", name="f", is_error=False),
        answered("r", name="f"),
        [("dropped", 2, "refused_field")],
        MISTRAL,
    ),
    Case(
        "cache marks on parts and calls go",
        [
            user([text("a", cache_control={})]),
            assistant(calls=[call("abcdefgh1", cache_control={})]),
            tool("abcdefgh1"),
        ],
        [user([text("a")]), ASKS, tool("abcdefgh1")],
        [("dropped", 0, "refused_field"), ("dropped", 1, "refused_field")],
        MISTRAL,
    ),
    Case("its own are left alone", [GO, ASKS, tool("abcdefgh1", name="f")], None, (), MISTRAL),
    Case("others are ignored elsewhere", [user("a", x_own=1)], None, (), DEEPSEEK),
]

CASES = [*BLANK_TEXTS, *BLANK_RESULTS, *DEVELOPERS, *ONLY_FIELDS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_each_message_gets_the_shape_that_its_provider_accepts(case: Case) -> None:
    """Each change is reported."""
    check(normalize_shape, case)


def test_fields_are_named_in_the_order_of_the_alphabet() -> None:
    """Not in that of a set, which is another one in each process."""
    message = user("a", x_b=1, x_a=1, x_d=1, cache_control={}, x_c=1)

    _, changes = normalize_shape((Entry(message, 0),), MISTRAL)

    assert ["cache_control", "x_a", "x_b", "x_c", "x_d"] == [change.detail for change in changes]


def test_the_text_of_an_empty_result_is_pinned() -> None:
    """The words, byte for byte: a change would move every provider's cached prefix."""
    assert EMPTY_RESULT == "(empty result)"
