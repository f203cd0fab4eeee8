"""Tests that the tools of real packages keep their meaning, except for losses that are noted."""

from __future__ import annotations

import pytest

from proxy.emulator import judge
from proxy.upstream.wires.gemini.function_parameters import parameter_fields
from sanitizers.schemas import GEMINI, GEMINI_JSON, GEMINI_ON_LITELLM, Dialect, clean_schema
from tests.clients.drawn_values import drawn_values
from tests.clients.tool_sources.sources import NAME, SOURCES, Source
from tests.sanitizers.schemas.fitting import judge_of
from tests.support.covering_cases import EVERYTHING

VALUES = 12 if EVERYTHING else 6
"""Values drawn from each tool's cleaned schema, and from its original one."""

each_source = pytest.mark.parametrize("source", SOURCES, ids=NAME)
each_dialect = pytest.mark.parametrize("dialect", [GEMINI, GEMINI_ON_LITELLM, GEMINI_JSON], ids=NAME)


@pytest.mark.each_value
@each_dialect
@each_source
def test_the_same_calls_fit(source: Source, dialect: Dialect) -> None:
    """If no loss is noted, a drawn value fits a tool's cleaned schema exactly when it fits the original one."""
    kept = compared = 0
    differing = []
    for tool in source.tools:
        done = clean_schema(tool.schema, dialect)
        if done.losses or not done.notes:
            continue
        kept += 1
        pairs = 0
        fits_given, fits_cleaned = judge_of(tool.schema), judge_of(done.schema)
        for drawn_from in (done.schema, tool.schema):
            for value in drawn_values(drawn_from, VALUES):
                before, after = fits_given(value), fits_cleaned(value)
                pairs += bool(before)
                if before is not after and None not in (before, after):
                    differing.append((tool.name, value, before, after))
        compared += bool(pairs)
    assert differing == []
    assert compared >= 0.9 * kept


@each_source
def test_vertex_takes_them_too(source: Source) -> None:
    """By the emulator's rules Vertex accepts the cleaned tools too, though it demands a type in every schema."""
    refused = {}
    for tool in source.tools:
        fields = parameter_fields(clean_schema(tool.schema, GEMINI).schema)
        body = {
            "contents": [{"role": "user", "parts": [{"text": "go"}]}],
            "tools": [{"functionDeclarations": [{"name": "f", **fields}]}],
        }
        refusal = judge("gemini-2.5-pro", body, vertex=True)
        if refusal is not None or "parametersJsonSchema" in fields:
            refused[tool.name] = refusal
    assert refused == {}
