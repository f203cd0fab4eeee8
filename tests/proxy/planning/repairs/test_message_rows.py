"""Tests of the repair table's rows for messages: the wording of several servers, and errors about other faults."""

from __future__ import annotations

import pytest

from proxy.planning.repairs.message_rows import MESSAGE_ROWS
from tests.proxy.planning.repairs.asking import refusal, repaired
from tests.support.builders import assistant, call, system, tool, user

HISTORY = [system("t1§"), user("t2§"), assistant(None, [call("c1", index=0)]), tool("c1")]


@pytest.mark.parametrize(
    ("words", "faults"),
    [
        (
            "\n------------\nWhile executing CallExpression at line 1, column 70 in source:\n...\n^\nError: Jinja "
            "Exception: System role not supported",
            ["system_role"],
        ),
        ("Error in applying chat template from request: System role not supported", ["system_role"]),
        (
            "Error in applying chat template from request: Prompting with images is incompatible with system messages.",
            ["system_with_images"],
        ),
        (
            'litellm.APIConnectionError: Cohere_chatException - {"message":"unknown field: parameter '
            "'index' is not a valid field.\"}",
            ["call_field"],
        ),
        ("Missing required parameter: 'messages[5].content[0].type'.", []),
        ("Missing required parameter: 'tools[0].type'.", []),
    ],
)
def test_words_of_a_server_around_the_template_s_words(words: str, faults: list[str]) -> None:
    """A row fits an error even if llama.cpp, vLLM or litellm writes words of its own around the template's words."""
    assert [row.fault for row in MESSAGE_ROWS if row.fits(refusal(words))] == faults


@pytest.mark.parametrize(
    "words",
    [
        "Missing required parameter: 'messages[2].tool_calls[0].id'.",
        "unknown field: parameter 'function' is not a valid field. For proper usage, please refer to "
        "https://docs.cohere.com/reference/chat",
        "unknown field: parameter 'frequency' is not a valid field. For proper usage, please refer to "
        "https://docs.cohere.com/reference/chat",
        "Unknown parameter: 'messages[2].tool_calls[0].function.arguments'.",
        "Unknown parameter: 'messages[2].name'.",
        "1 validation error for ChatCompletionRequest\nmessages.1.user.index\n  Extra inputs are not permitted",
    ],
)
def test_other_fields_change_nothing(words: str) -> None:
    """An error about another field leads to no repair."""
    assert repaired(words, HISTORY) is None
