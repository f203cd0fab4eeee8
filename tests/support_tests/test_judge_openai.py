"""Tests of OpenAI's judge: each broken rule is refused with its own text, and similar legal histories pass."""

from typing import Any

import pytest

from tests.support.builders import PNG_URL, image, user
from tests.support.openai_emulator import judge_openai, judge_openai_body
from tests.support.openai_emulator.images import EXPECTED, UNSUPPORTED
from tests.support_tests.chat_cases import function
from tests.support_tests.openai_cases import ACCEPTED, EMPTY, REFUSED, U


@pytest.mark.parametrize("case", REFUSED)
def test_openai_judge_names_the_fault_in_openais_words(case: str) -> None:
    """The refusal names the first fault with OpenAI's text, param and code, in OpenAI's envelope."""
    messages, words, param, code = REFUSED[case]
    refusal = judge_openai(messages)
    assert refusal is not None
    error = {"message": words, "type": "invalid_request_error", "param": param, "code": code}
    assert refusal.envelope() == {"error": error}
    assert refusal.status == 400


@pytest.mark.parametrize("case", ACCEPTED)
def test_openai_judge_takes_what_openai_takes(case: str) -> None:
    """The judge accepts histories that OpenAI accepts."""
    assert judge_openai(ACCEPTED[case]) is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (None, "We could not parse the JSON body of your request."),
        ({"messages": [U]}, "you must provide a model parameter"),
        ({"model": "m"}, "Missing required parameter: 'messages'."),
        (
            {"model": "m", "messages": [U], "stream_options": {"include_usage": True}},
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        ),
        ({"model": "m", "messages": []}, f"Invalid 'messages': {EMPTY}"),
    ],
)
def test_openai_judge_refuses_a_body_that_is_not_whole(body: Any, words: str) -> None:
    """A request without JSON, model or messages, or with a contradiction, is refused."""
    refusal = judge_openai_body(body)
    assert refusal is not None
    assert refusal.message.startswith(words)


def declared(schema: Any) -> dict[str, Any]:
    """Return the declaration of the tool ``g``, whose parameters have the schema *schema*."""
    return {"type": "function", "function": {"name": "g", "parameters": schema}}


TOOL = function("f")
NAMED = {"type": "function", "function": {"name": "g"}}
LONG = "Expected an array with maximum length {}, but got an array with length {} instead."
NAME = "tools[0].function.name"


@pytest.mark.parametrize(
    ("fields", "words", "param"),
    [
        ({"tools": []}, f"Invalid 'tools': {EMPTY}", "tools"),
        (
            {"tools": [function(f"f{i}") for i in range(129)]},
            f"Invalid 'tools': array too long. {LONG.format(128, 129)}",
            "tools",
        ),
        (
            {"tools": [function("a.b")]},
            f"Invalid '{NAME}': string does not match pattern. "
            "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
            NAME,
        ),
        (
            {"tools": [function("a" * 65)]},
            f"Invalid '{NAME}': string too long. Expected a string with maximum length 64, "
            "but got a string with length 65 instead.",
            NAME,
        ),
        ({"tools": [TOOL, TOOL]}, "Tool names must be unique.", "tools[1].function.name"),
        (
            {"tools": [TOOL, declared({"type": "object"})]},
            "Invalid schema for function 'g': In context=(), object schema missing properties.",
            "tools[1].function.parameters",
        ),
        (
            {"parallel_tool_calls": True},
            "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are "
            "specified.",
            "parallel_tool_calls",
        ),
        (
            {"tool_choice": "auto"},
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
            "tool_choice",
        ),
        (
            {"tools": [TOOL], "tool_choice": NAMED},
            "Tool choice 'g' not found in 'tools' parameter.",
            "tool_choice",
        ),
        ({"stop": list("abcde")}, f"Invalid 'stop': array too long. {LONG.format(4, 5)}", "stop"),
    ],
)
def test_openai_judge_refuses_parameters_over_the_limits(
    fields: dict[str, Any], words: str, param: str
) -> None:
    """A request that exceeds the limits of tools, tool options or stop sequences is refused with the parameter."""
    refusal = judge_openai_body({"model": "m", "messages": [U], **fields})
    assert refusal is not None
    assert (refusal.message, refusal.param) == (words, param)


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [TOOL, function("a" * 64)], "tool_choice": "required", "parallel_tool_calls": False},
        {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "f"}}},
        {"tools": [declared({"type": "object", "properties": {}})]},
        {"stop": list("abcd")},
        {"stop": "a"},
    ],
)
def test_openai_judge_takes_parameters_within_the_limits(fields: dict[str, Any]) -> None:
    """The judge accepts parameters within the limits."""
    assert judge_openai_body({"model": "m", "messages": [U], **fields}) is None


PATH = "messages[0].content[0].image_url"


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("file:///etc/passwd", "a value without the 'data:' prefix"),
        ("data:image/svg+xml;base64,PHN2Zy8+", "unsupported MIME type 'image/svg+xml'"),
        ("data:image/png,abc", "unsupported MIME type 'image/png'"),
        ("data:image/png;base64,%%%", "an invalid base64-encoded value"),
        ("data:image/png;base64,", "empty base64-encoded bytes"),
    ],
)
def test_openai_judge_refuses_addresses_without_an_image(url: str, found: str) -> None:
    """An ``image_url`` that leads to no image is refused with the path of the field."""
    refusal = judge_openai_body({"model": "m", "messages": [user([image(url)])]})
    assert refusal is not None
    assert (refusal.message, refusal.code) == (
        EXPECTED.format(path=f"{PATH}.url", found=found),
        "invalid_value",
    )


def test_openai_judge_refuses_bytes_that_are_no_image() -> None:
    """Bytes that are no image, an image as a string, and a part without an address get different error codes."""
    refused = [
        judge_openai_body({"model": "m", "messages": [user([part])]})
        for part in (
            image("data:image/png;base64,aGVsbG8="),
            {"type": "image_url", "image_url": PNG_URL},
            {"type": "image_url", "image_url": {}},
        )
    ]
    assert [(refusal.message, refusal.code) for refusal in refused if refusal] == [
        (UNSUPPORTED, "invalid_image_format"),
        (f"Invalid type for '{PATH}': expected an object, but got a string instead.", "invalid_type"),
        (f"Missing required parameter: '{PATH}.url'.", "missing_required_parameter"),
    ]


@pytest.mark.parametrize("url", [PNG_URL, "https://example.com/a.png"])
def test_openai_judge_takes_images_of_both_kinds(url: str) -> None:
    """An image in a data URL passes, and so does an image at an HTTPS address."""
    assert judge_openai_body({"model": "m", "messages": [user([image(url)])]}) is None
