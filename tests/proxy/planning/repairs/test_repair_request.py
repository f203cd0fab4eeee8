"""Tests of the words that lead to a repair, and of several repairs together."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from proxy.core.failures import Evidence
from proxy.planning.repairs import repair_request
from proxy.resilience.read_error import read_error
from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.profiles import OPENAI
from tests.proxy.planning.repairs.asking import repaired
from tests.support.builders import assistant, call, system, tool, user

QUOTED = "Requests ending with a model turn are not supported. Unsupported parameter: 'temperature' is not supported"
HISTORY = [user(QUOTED), assistant("t2§")]
PARAMETERS = {"temperature": 0.2}


@pytest.mark.parametrize(
    "body",
    [
        {"detail": [{"type": "missing", "loc": ["body", "model"], "msg": "Field required", "input": QUOTED}]},
        {
            "message": f"[{{'type': 'missing', 'loc': ('body', 'x'), 'msg': 'Field required', 'input': '{QUOTED}'}}]"
        },
        {
            "message": f"1 validation error for UserMessage\n  Field required [input_value='{QUOTED}', input_type=str]"
        },
        {"error": {"message": "Bad request.", "messages": HISTORY}},
    ],
)
def test_a_quoted_request_is_not_the_provider_s_text(body: dict[str, Any]) -> None:
    """A user may write a provider's words, and some providers quote the request."""
    error = read_error(400, Evidence(400, {}, orjson.dumps(body)), now=0.0)

    assert repair_request(HISTORY, PARAMETERS, OPENAI, error) is None


@pytest.mark.parametrize(
    "words",
    [
        "A schema in the request is invalid: enum",
        "Invalid function name. Must start with a letter or an underscore.",
        "Unknown name \"role\" at 'contents[0].parts': Cannot find field.",
        "Unsupported value: 'messages[0].content' does not support 'x' with this model.",
        "Unsupported parameter: 'tools' is not supported with this model.",
        "Unrecognized request argument supplied: thinking. Please stop and see user docs",
        "Invalid 'messages[2].content': string too long. Expected a string with maximum length 40.",
        "Request contains an invalid argument.",
        "",
    ],
)
def test_other_words_change_nothing(words: str) -> None:
    """The words resemble the phrases of the table, but have another meaning."""
    history = [system(), user("t1§"), assistant(None, [call("c1")]), tool("c1"), assistant("t2§")]
    parameters = {
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
        "stop": "x",
        "user": "u",
    }

    assert repaired(words, history, parameters, GEMINI_3) is None


def test_faults_of_one_error_are_mended_together() -> None:
    """Gemini lists the faults of a request's fields line by line, and the request is repaired once."""
    words = (
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n"
        "* GenerateContentRequest.contents[3].parts[0].function_response.name: Name cannot be empty.\n"
    )
    history = [user("t1§"), assistant(" "), user("t2§"), assistant(None, [call("c1")]), tool("c1")]

    done = repaired(words, history, profile=GEMINI_3)

    assert done is not None
    assert [(change.index, change.kind, change.reason) for change in done.changes] == [
        (1, "dropped", "empty_message"),
        (4, "replaced", "name"),
    ]
    assert done.profile is None
    assert done.messages == [user("t1§"), user("t2§"), history[3], tool("c1", name="f")]


def test_an_unchanged_history_is_the_same_object() -> None:
    """A repair of parameters returns the same history object, and a repair of the history the same parameters."""
    history = [user("t1§"), assistant("t2§")]
    parameters = {"temperature": 0.2}

    of_parameters = repaired("Unsupported parameter: 'temperature' is not supported", history, parameters)
    of_messages = repaired("Requests ending with a model turn are not supported.", history, parameters)

    assert of_parameters is not None
    assert of_parameters.messages is history
    assert of_messages is not None
    assert of_messages.parameters is parameters
