"""Tools and functions of a chat request are checked before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.openai_chat.parameters import PARAMETERS, check_parameter

FUNCTION = {"name": "f"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tools", []),
        ("tools", [{"type": "function", "function": {"name": "f", "parameters": {}}}]),
        ("tools", [{"type": "function", "function": {"name": "f", "parameters": None}}]),
        ("functions", [{"name": "f", "parameters": {"type": "object"}}]),
    ],
)
def test_function_with_a_name_passes(name: str, value: Any) -> None:
    """A function with a name passes. The check of its schema is left to the provider."""
    check_parameter(name, value)


@pytest.mark.parametrize(
    ("name", "value", "param"),
    [
        ("tools", [{"type": "mcp", "server_url": "http://h"}], "tools[0].type"),
        ("tools", [{"type": "function", "function": FUNCTION}, {"type": "web_search"}], "tools[1].type"),
        ("tools", [{"function": FUNCTION}], "tools[0].type"),
        ("tools", [{"googleSearch": {}}], "tools[0].type"),
        ("tools", [{"type": "code_interpreter"}], "tools[0].type"),
        ("tools", [{"type": 1}], "tools[0].type"),
        ("tools", [{"type": "function"}], "tools[0].function"),
        ("tools", [{"type": "function", "function": {"name": ""}}], "tools[0].function.name"),
        (
            "tools",
            [{"type": "function", "function": {"name": "f", "parameters": []}}],
            "tools[0].function.parameters",
        ),
        ("functions", [{"name": "f", "type": "mcp"}], "functions[0].type"),
        ("functions", [{"googleSearch": {}}], "functions[0].name"),
        ("functions", [{"name": "f"}, {"name": ""}], "functions[1].name"),
        ("functions", [{"name": "f", "parameters": "{}"}], "functions[0].parameters"),
    ],
)
def test_only_plain_functions_are_taken(name: str, value: Any, param: str) -> None:
    """Tools of other types are refused, since litellm or the provider would act for the operator."""
    with pytest.raises(InvalidRequest) as refused:
        check_parameter(name, value)

    assert refused.value.param == param


def test_error_shows_at_most_40_characters_of_a_type() -> None:
    """An error shows at most 40 characters of a tool's type, since a client's text may have any length."""
    with pytest.raises(InvalidRequest) as refused:
        check_parameter("tools", [{"type": "x" * 100}])

    assert refused.value.message.endswith(f"it is '{'x' * 40}'.")


@pytest.mark.parametrize(
    "name", ["api_base", "extra_headers", "extra_body", "fallbacks", "metadata", "mock_response"]
)
def test_arguments_of_litellm_are_no_parameters(name: str) -> None:
    """Litellm's arguments are not in the allow-list, since a client could choose the provider's address by them."""
    assert name not in PARAMETERS
