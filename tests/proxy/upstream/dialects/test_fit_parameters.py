"""Tests of all rules of the dialects together, with generated parameters."""

from __future__ import annotations

import copy
import importlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import InvalidRequest
from proxy.upstream.dialects import Dialect, fit_parameters
from proxy.upstream.dialects.dialect import EFFORTS
from proxy.upstream.dialects.table import (
    ANTHROPIC,
    COHERE,
    COMPATIBLE,
    DEEPSEEK,
    GEMINI,
    GEMINI_3,
    MISTRAL,
    OLLAMA,
)
from sanitizers import Change
from tests.proxy.upstream.dialects.fitted import CALLED, CLAUDE, HISTORY, JSON, NAMED, OTHER, SCHEMA, TOOL, V4


def test_parameters_that_the_deployment_allows_stay_unchanged() -> None:
    """The rules do not see parameters that the deployment allows."""
    given = {"n": 3, "stop": [""], "temperature": 9, "top_k": 1, "tools": [], "tool_choice": NAMED}

    assert fit_parameters(given, MISTRAL, HISTORY, allowed=frozenset(given)).parameters is given


_STOPS = st.text(" \nab", max_size=2)
_FORMS = st.sampled_from([{"type": "text"}, JSON, SCHEMA])
PARAMETERS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "frequency_penalty": st.floats(-2, 2),
        "function_call": st.sampled_from(["auto", "none", {"name": "look"}]),
        "functions": st.lists(st.sampled_from([{"name": "look"}, {"name": "leap"}]), max_size=2),
        "logprobs": st.booleans(),
        "max_completion_tokens": st.integers(1, 20_000),
        "max_tokens": st.integers(1, 20_000),
        "n": st.integers(1, 8),
        "parallel_tool_calls": st.booleans(),
        "reasoning_effort": st.sampled_from([*EFFORTS, "default"]),
        "response_format": _FORMS,
        "seed": st.integers(),
        "stop": _STOPS | st.lists(_STOPS, max_size=7),
        "temperature": st.floats(0, 2),
        "tool_choice": st.sampled_from(["auto", "none", "required", NAMED]),
        "tools": st.lists(st.sampled_from([TOOL, OTHER]), max_size=2),
        "top_k": st.integers(1, 100),
        "top_logprobs": st.integers(0, 20),
        "top_p": st.floats(0, 1),
        "user": st.sampled_from(["u", "a@b.cd"]),
    },
)
DIALECTS = [ANTHROPIC, CLAUDE, COHERE, COMPATIBLE, DEEPSEEK, GEMINI, GEMINI_3, MISTRAL, OLLAMA, V4]


@given(PARAMETERS, st.sampled_from(DIALECTS), st.sampled_from([HISTORY, CALLED, CALLED[:3]]))
def test_every_parameter_is_kept_or_named(
    parameters: dict[str, Any], dialect: Dialect, messages: list[Any]
) -> None:
    """A second fitting changes nothing, and the given parameters are not changed."""
    before = copy.deepcopy(parameters)
    try:
        fitted = fit_parameters(parameters, dialect, messages)
    except InvalidRequest:
        return
    finally:
        assert parameters == before
    named = {change.detail.partition("[")[0] for change in fitted.changes} | set(fitted.dropped)
    named |= {"tools"} & parameters.keys() if "functions" in named else set()
    for name, value in parameters.items():
        assert name in named or fitted.parameters[name] == value
    assert len(fitted.dropped) == len(set(fitted.dropped))
    assert bool(fitted.instruction) == any(change.reason == "in_words" for change in fitted.changes)
    again = fit_parameters(fitted.parameters, dialect, messages)
    assert [change for change in again.changes if change.reason != "always_reasons"] == []
    assert again.parameters is fitted.parameters


@given(PARAMETERS)
def test_dialect_without_rules_returns_the_same_object(parameters: dict[str, Any]) -> None:
    """Only parameters that make sense to no provider are dropped."""
    try:
        fitted = fit_parameters(parameters, Dialect("any"), HISTORY)
    except InvalidRequest:
        return
    if not fitted.changes:
        assert fitted.parameters is parameters
    reasons = {change.reason for change in fitted.changes}
    assert reasons <= {"blank", "empty", "no_logprobs", "no_tools"}
    assert all(isinstance(change, Change) for change in fitted.changes)


@given(PARAMETERS, st.sampled_from(DIALECTS))
def test_untouched_names_are_those_that_no_rule_changes(parameters: dict[str, Any], dialect: Dialect) -> None:
    """Parameters that no rule changes may skip the rules, and the result is the same as with the rules."""
    module = importlib.import_module("proxy.upstream.dialects.fit_parameters")
    usual = {name: value for name, value in parameters.items() if name in module._untouched_by(dialect)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_untouched_by", lambda dialect: frozenset())
        asked = fit_parameters(usual, dialect, HISTORY)
    assert asked == fit_parameters(usual, dialect, HISTORY)
    assert (asked.parameters is usual) == (usual.get("tools") != [])
