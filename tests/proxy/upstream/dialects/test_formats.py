"""Tests of the answer's format: a parameter where the dialect has one, else an instruction."""

from __future__ import annotations

import pytest

from proxy.core.errors import InvalidRequest
from proxy.upstream.dialects.table import COHERE, DEEPSEEK, GEMINI, GEMINI_3
from tests.proxy.upstream.dialects.fitted import JSON, SCHEMA, TOOL, Row, check_refused, check_rule, fit
from tests.support.builders import assistant

FORMATS: list[Row] = [
    (DEEPSEEK, {"response_format": SCHEMA}, {"response_format": JSON}, "replaced in_words response_format"),
    (GEMINI, {"response_format": SCHEMA}, {"response_format": SCHEMA}, ""),
    (
        GEMINI,
        {"response_format": JSON, "tools": [TOOL]},
        {"tools": [TOOL]},
        "dropped in_words response_format",
    ),
    (GEMINI_3, {"response_format": JSON, "tools": [TOOL]}, {"response_format": JSON, "tools": [TOOL]}, ""),
    (COHERE, {"response_format": {"type": "text"}}, {"response_format": {"type": "text"}}, ""),
]


@pytest.mark.parametrize("row", FORMATS)
def test_a_format_without_a_parameter_becomes_an_instruction(row: Row) -> None:
    """A schema becomes ``json_object`` where the provider knows only that format."""
    check_rule(*row)


def test_a_schema_that_is_no_object_is_refused() -> None:
    """An invalid schema is refused before an instruction is made of it."""
    schema = {**SCHEMA, "json_schema": {"schema": []}}

    check_refused(GEMINI, {"tools": [TOOL], "response_format": schema}, "response_format")


def test_format_as_an_instruction_needs_a_system_or_user_message() -> None:
    """A history of assistant messages alone has no message that can hold the instruction."""
    with pytest.raises(InvalidRequest):
        fit(COHERE, [assistant("Hello.")], response_format=JSON)


def test_instruction_holds_the_schema() -> None:
    """With tools, the instruction is for answers in text only."""
    plain, with_tools = fit(COHERE, response_format=SCHEMA), fit(GEMINI, response_format=SCHEMA, tools=[TOOL])

    assert plain.instruction is not None
    assert with_tools.instruction is not None
    assert "JSON" in plain.instruction
    assert '{"type":"object"}' in plain.instruction
    assert "instead of calling a function" in with_tools.instruction
    assert "calling" not in plain.instruction
    assert fit(GEMINI, response_format=SCHEMA).instruction is None
