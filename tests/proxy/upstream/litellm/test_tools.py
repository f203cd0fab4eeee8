"""Tests of the tools that litellm gets: litellm does not change cleaned schemas."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.upstream.litellm.tools import litellm_tools, without_extras
from sanitizers import Unrepairable
from sanitizers.schemas import GEMINI_ON_LITELLM, clean_schema
from tests.sanitizers.schemas import drawn
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE

TEXT = {"type": "string"}


def declared(*schemas: dict[str, Any], **function: Any) -> list[dict[str, Any]]:
    """Return one tool for each schema of parameters."""
    return [
        {"type": "function", "function": {"name": "f", "parameters": schema, **function}}
        for schema in schemas
    ]


def sent(tools: list[dict[str, Any]]) -> list[Any]:
    """Return the declarations that litellm sends for *tools*."""
    from litellm.utils import get_optional_params

    given = litellm_tools(tools, rewritten=True)
    made = get_optional_params(model="gemini-2.5-flash", custom_llm_provider="gemini", tools=given)
    [tool] = made["tools"]
    declarations: list[Any] = tool["function_declarations"]
    return declarations


@pytest.mark.usefixtures("litellm")
@given(st.lists(st.one_of(drawn.roots, drawn.junk), min_size=1, max_size=3))
def test_cleaned_schemas_arrive_as_they_are(schemas: list[dict[str, Any]]) -> None:
    """Litellm's own cleaning finds nothing to drop, and does not write into the tools."""
    try:
        cleaned = [clean_schema(schema, GEMINI_ON_LITELLM).schema for schema in schemas]
    except Unrepairable:
        return
    tools = declared(*cleaned)
    before = copy.deepcopy(tools)

    assert [declaration["parameters"] for declaration in sent(tools)] == cleaned
    assert tools == before


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize(
    "name", ["strict", "$ref", "$defs", "type", "properties", "additionalProperties", "items"]
)
def test_properties_named_like_keywords_arrive(name: str) -> None:
    """Litellm searches for keywords at every level, but leaves properties that are named like keywords."""
    schema = {"type": "object", "properties": {name: TEXT, "b": TEXT}, "required": [name]}
    nested = {"type": "object", "properties": {"a": schema}}

    assert [each["parameters"] for each in sent(declared(schema, nested))] == [schema, nested]


@pytest.mark.usefixtures("litellm")
def test_openai_strict_is_left_out() -> None:
    """Gemini has no field ``strict``."""
    [declaration] = sent(declared({"type": "object", "properties": {"a": TEXT}}, strict=True))

    assert declaration.keys() == {"name", "parameters"}


def test_tools_for_other_providers_are_copies() -> None:
    """The tools are copied, since the cleaned tools are kept for other requests."""
    tools = declared({"type": "object", "properties": {"strict": TEXT}}, strict=True)

    copied = litellm_tools(tools, rewritten=False)

    assert copied == tools
    assert (
        copied[0]["function"]["parameters"]["properties"]
        is not tools[0]["function"]["parameters"]["properties"]
    )


def test_cohere_gets_only_the_fields_that_it_knows() -> None:
    """Cohere refuses a request with any other field of a function."""
    [tool] = without_extras(declared({"type": "object", "properties": {"a": TEXT}}, strict=True, x_own=1))

    assert tool["function"].keys() == {"name", "parameters"}
