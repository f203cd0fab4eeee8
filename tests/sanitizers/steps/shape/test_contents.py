"""Tests of the ``shape`` step for contents and fields, with the rules of several providers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sanitizers.messages import Entry
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import (
    ANTHROPIC,
    BEDROCK_CLAUDE,
    CHAT_TEMPLATE,
    COHERE,
    DATABRICKS,
    DEEPSEEK,
    MISTRAL,
)
from sanitizers.steps.shape import normalize_shape
from sanitizers.synthetic import EMPTY_RESULT
from tests.sanitizers.steps.case import Case, History, check
from tests.support.builders import assistant, call, image, legacy_call, system, text, tool, user

GO = user("go")
REFUSED = [{"type": "refusal", "refusal": "no"}]
ASKS = assistant(calls=[call("abcdefgh1")])


def answered(content: object, **extra: object) -> History:
    """Return an exchange whose result has *content*."""
    return [GO, ASKS, tool("abcdefgh1", content, **extra)]


CONTENTS = [
    Case("texts are left alone", [GO, assistant("b"), user([text("c"), image()])], None),
    Case("whitespace is text", [user(" "), assistant("\n"), user("\t")], None),
    Case("media alone is content", [user([image()])], None),
    Case("an empty user text goes", [GO, user("")], [GO], [("dropped", 1, "empty_message")]),
    Case("a null user content goes", [GO, user(None)], [GO], [("dropped", 1, "empty_message")]),
    Case("a user message without parts goes", [GO, user([])], [GO], [("dropped", 1, "empty_message")]),
    Case("an empty assistant goes", [GO, assistant("")], [GO], [("dropped", 1, "empty_message")]),
    Case("an empty system text goes", [system(""), GO], [GO], [("dropped", 0, "empty_message")]),
    Case(
        "an empty text beside calls goes",
        [GO, assistant("", calls=[call("a")]), tool("a")],
        [GO, assistant(None, calls=[call("a")]), tool("a")],
        [("dropped", 1, "empty_text")],
    ),
    Case(
        "an empty text beside a function call goes",
        [GO, legacy_call(content="")],
        [GO, legacy_call()],
        [("dropped", 1, "empty_text")],
        DATABRICKS,
    ),
    Case(
        "an empty part goes, the others stay",
        [user([text(""), text("b"), {"type": "text", "text": None}])],
        [user([text("b")])],
        [("dropped", 0, "empty_text"), ("dropped", 0, "empty_text")],
    ),
    Case(
        "a message of empty parts goes, each part named",
        [GO, user([text("")])],
        [GO],
        [("dropped", 1, "empty_text"), ("dropped", 1, "empty_message")],
    ),
    Case(
        "an empty text beside calls stays for a template",
        [GO, assistant("", calls=[call("a")]), tool("a")],
        None,
        (),
        CHAT_TEMPLATE,
    ),
    Case(
        "parts of nothing beside calls are an empty text for a template",
        [GO, assistant([text("")], calls=[call("a")]), tool("a")],
        [GO, assistant("", calls=[call("a")]), tool("a")],
        [("dropped", 1, "empty_text")],
        CHAT_TEMPLATE,
    ),
    *(
        Case(
            f"a refusal in a {message['role']}'s parts is its text at OpenAI",
            [GO, ASKS, message],
            [GO, ASKS, {**message, "content": [text("no")]}],
            [("replaced", 2, "refusal_as_text")],
            OPENAI,
        )
        for message in (tool("abcdefgh1", REFUSED), user(REFUSED), system(REFUSED))
    ),
    Case("OpenAI's model refuses in parts", [GO, assistant(REFUSED)], None, (), OPENAI),
    Case(
        "an empty name of a result goes at Mistral",
        answered("r", name=""),
        answered("r"),
        [("dropped", 2, "empty_name")],
        MISTRAL,
    ),
    Case("an empty name of a result stays at OpenAI", answered("r", name=""), None, (), OPENAI),
    Case("OpenAI takes empty texts", [user(""), assistant("")], None, (), OPENAI),
    Case(
        "OpenAI takes no null user content", [GO, user(None)], [GO], [("dropped", 1, "empty_message")], OPENAI
    ),
    Case(
        "an empty part of a result stays",
        [GO, assistant(calls=[call("a")]), tool("a", [text(""), text("r")])],
        None,
    ),
    Case("an empty result is an answer", [GO, assistant(calls=[call("a")]), tool("a", "")], None),
    Case(
        "a null result becomes an empty one",
        [GO, assistant(calls=[call("a")]), tool("a", None)],
        [GO, assistant(calls=[call("a")]), tool("a", "")],
        [("replaced", 2, "result_content")],
    ),
    Case(
        "a bare JSON result becomes its text",
        [GO, assistant(calls=[call("a")]), tool("a", {"x": [1, "ü"]})],
        [GO, assistant(calls=[call("a")]), tool("a", '{"x": [1, "ü"]}')],
        [("replaced", 2, "result_content")],
    ),
    Case(
        "a bare JSON array becomes its text",
        [GO, assistant(calls=[call("a")]), tool("a", [{"row": 1}])],
        [GO, assistant(calls=[call("a")]), tool("a", '[{"row": 1}]')],
        [("replaced", 2, "result_content")],
    ),
    Case(
        "a refusal is the assistant's text",
        [GO, assistant(None, refusal="I cannot.")],
        [GO, assistant("I cannot.", refusal="I cannot.")],
        [("replaced", 1, "refusal_as_text")],
    ),
    Case(
        "a refusal part is text",
        [GO, assistant([{"type": "refusal", "refusal": "No."}])],
        [GO, assistant([text("No.")])],
        [("replaced", 1, "refusal_as_text")],
    ),
    Case("OpenAI takes a refusal as it is", [GO, assistant(None, refusal="I cannot.")], None, (), OPENAI),
    Case(
        "media of the assistant's cannot be carried",
        [GO, assistant([text("b"), image()])],
        [GO, assistant([text("b")])],
        [("dropped", 1, "refused_part")],
    ),
    Case(
        "thinking parts cannot be carried",
        [GO, assistant([{"type": "thinking", "thinking": "hm"}, text("b")])],
        [GO, assistant([text("b")])],
        [("dropped", 1, "refused_part")],
    ),
]

FIELDS = [
    Case(
        "fields that Gemini must not see go, each named",
        [
            user("a", cache_control={"type": "ephemeral"}),
            assistant("b", reasoning_content="hm", refusal=None),
        ],
        [user("a"), assistant("b", refusal=None)],
        [("dropped", 0, "refused_field"), ("dropped", 1, "refused_field")],
    ),
    Case(
        "fields of parts go too",
        [user([text("a", cache_control={"type": "ephemeral"})])],
        [user([text("a")])],
        [("dropped", 0, "refused_field")],
    ),
    Case("a null field says nothing", [user("a"), assistant("b", reasoning_content=None)], None),
    Case("unknown fields stay", [user("a", x_unknown={"k": 1})], None),
    Case("OpenAI targets keep cache marks", [user("a", cache_control={})], None, (), OPENAI),
]

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

CASES = [*CONTENTS, *FIELDS, *BLANK_TEXTS, *BLANK_RESULTS, *ONLY_FIELDS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_each_content_gets_the_form_that_its_provider_accepts(case: Case) -> None:
    """Each change is reported, and all other content stays."""
    check(normalize_shape, case)


def test_fields_are_named_in_the_order_of_the_alphabet() -> None:
    """Dropped fields are named in alphabetical order, since a set's order differs from process to process."""
    message = user("a", x_b=1, x_a=1, x_d=1, cache_control={}, x_c=1)

    _, changes = normalize_shape((Entry(message, 0),), MISTRAL)

    assert ["cache_control", "x_a", "x_b", "x_c", "x_d"] == [change.detail for change in changes]


def test_the_text_of_an_empty_result_is_pinned() -> None:
    """Another text would invalidate every provider's cached prefix."""
    assert EMPTY_RESULT == "(empty result)"
