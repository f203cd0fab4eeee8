"""Each rule of the table over rows that are made for it."""

from __future__ import annotations

import copy
import importlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import InvalidRequest
from proxy.upstream.dialects import Dialect, FittedParameters, fit_parameters
from proxy.upstream.dialects.dialect import EFFORTS
from proxy.upstream.dialects.reasoning import nearest_effort
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
from tests.support.builders import assistant, call, tool, user

TOOL = {"type": "function", "function": {"name": "look"}}
OTHER = {"type": "function", "function": {"name": "leap"}}
NAMED = {"type": "function", "function": {"name": "look"}}
HISTORY = [user("q")]
CALLED = [user("q"), assistant(None, calls=[call("c1", "look")]), tool("c1", "r"), user("Go on.")]
SCHEMA = {"type": "json_schema", "json_schema": {"name": "s", "schema": {"type": "object"}}}
JSON = {"type": "json_object"}
CLAUDE = Dialect("claude", efforts=EFFORTS, thinking="budget", functions=False)
V4 = Dialect("v4", efforts=("none", "high"), thinking="always")


def fit(dialect: Dialect, messages: list[Any] | None = None, **parameters: Any) -> FittedParameters:
    """Fit parameters to a row."""
    return fit_parameters(parameters, dialect, messages or HISTORY)


def told(fitted: FittedParameters) -> list[tuple[str, str, str]]:
    """Return what was said of the changes, which all stand at 0."""
    assert all((change.step, change.index) == ("parameters", 0) for change in fitted.changes)
    return [(change.kind, change.reason, change.detail) for change in fitted.changes]


ROWS: list[tuple[Dialect, dict[str, Any], dict[str, Any], list[tuple[str, str, str]]]] = [
    # limits
    (
        ANTHROPIC,
        {"max_tokens": 5, "max_completion_tokens": 7},
        {"max_completion_tokens": 7},
        [("dropped", "two_limits", "max_tokens")],
    ),
    (
        COMPATIBLE,
        {"max_tokens": 5, "max_completion_tokens": 7},
        {"max_tokens": 5, "max_completion_tokens": 7},
        [],
    ),
    (
        DEEPSEEK,
        {"max_completion_tokens": 7},
        {"max_tokens": 7},
        [("replaced", "other_name", "max_completion_tokens")],
    ),
    (
        DEEPSEEK,
        {"max_tokens": 5, "max_completion_tokens": 7},
        {"max_tokens": 7},
        [("dropped", "two_limits", "max_tokens"), ("replaced", "other_name", "max_completion_tokens")],
    ),
    # sampling
    (ANTHROPIC, {"temperature": 1.5}, {"temperature": 1.0}, [("replaced", "out_of_range", "temperature")]),
    (
        COHERE,
        {"presence_penalty": -1},
        {"presence_penalty": 0.0},
        [("replaced", "out_of_range", "presence_penalty")],
    ),
    (COHERE, {"top_p": 1}, {"top_p": 0.99}, [("replaced", "out_of_range", "top_p")]),
    (COHERE, {"top_k": 3}, {"k": 3}, [("replaced", "other_name", "top_k")]),
    (MISTRAL, {"top_k": 3, "temperature": 1.5}, {"temperature": 1.5}, []),
    (
        Dialect("one", one_sampler=True),
        {"temperature": 0, "top_p": 0.5},
        {"temperature": 0},
        [("dropped", "temperature_given", "top_p")],
    ),
    (GEMINI, {"seed": 2**31}, {"seed": 0}, [("replaced", "out_of_range", "seed")]),
    (GEMINI, {"seed": -(2**31)}, {"seed": -(2**31)}, []),
    (COMPATIBLE, {"top_logprobs": 2}, {}, [("dropped", "no_logprobs", "top_logprobs")]),
    (ANTHROPIC, {"user": "a.b@c.de"}, {}, [("dropped", "personal", "user")]),
    (ANTHROPIC, {"user": "(030) 123-456"}, {}, [("dropped", "personal", "user")]),
    (ANTHROPIC, {"user": "u17"}, {"user": "u17"}, []),
    # stops
    (
        GEMINI,
        {"stop": list("abcdefg")},
        {"stop": list("abcde")},
        [("dropped", "too_many", "stop[5]"), ("dropped", "too_many", "stop[6]")],
    ),
    (
        ANTHROPIC,
        {"stop": ["\n", "x", ""]},
        {"stop": ["x"]},
        [("dropped", "blank", f"stop[{n}]") for n in (0, 2)],
    ),
    (ANTHROPIC, {"stop": "\n"}, {}, [("dropped", "blank", "stop")]),
    (GEMINI, {"stop": ["\n", ""]}, {"stop": ["\n"]}, [("dropped", "blank", "stop[1]")]),
    (COHERE, {"stop": "x"}, {"stop": ["x"]}, [("replaced", "as_list", "stop")]),
    # tools
    (
        COMPATIBLE,
        {"tools": [], "tool_choice": "required", "parallel_tool_calls": False},
        {},
        [
            ("dropped", "empty", "tools"),
            ("dropped", "no_tools", "tool_choice"),
            ("dropped", "no_tools", "parallel_tool_calls"),
        ],
    ),
    (COMPATIBLE, {"function_call": "auto"}, {}, [("dropped", "no_tools", "function_call")]),
    (
        ANTHROPIC,
        {
            "functions": [{"name": "leap"}, {"name": "look"}],
            "tools": [TOOL],
            "function_call": {"name": "leap"},
        },
        {"tools": [TOOL, OTHER], "tool_choice": {"type": "function", "function": {"name": "leap"}}},
        [("replaced", "legacy_form", "functions"), ("replaced", "legacy_form", "function_call")],
    ),
    (
        ANTHROPIC,
        {"tools": [TOOL], "tool_choice": "auto", "function_call": "none"},
        {"tools": [TOOL], "tool_choice": "auto"},
        [("dropped", "two_choices", "function_call")],
    ),
    (COMPATIBLE, {"functions": [{"name": "look"}]}, {"functions": [{"name": "look"}]}, []),
    (OLLAMA, {"tools": [TOOL], "tool_choice": "auto"}, {"tools": [TOOL]}, []),
    (
        OLLAMA,
        {"tools": [TOOL], "tool_choice": "required"},
        {"tools": [TOOL]},
        [("dropped", "not_available", "tool_choice")],
    ),
    (
        OLLAMA,
        {"tools": [TOOL], "tool_choice": "none", "parallel_tool_calls": True},
        {},
        [
            ("dropped", "not_available", "tool_choice"),
            ("dropped", "tool_choice_none", "tools"),
            ("dropped", "no_tools", "parallel_tool_calls"),
        ],
    ),
    (
        Dialect("modes", choices=frozenset({"required"})),
        {"tools": [TOOL], "tool_choice": NAMED},
        {"tools": [TOOL], "tool_choice": "required"},
        [("replaced", "not_available", "tool_choice")],
    ),
    (
        Dialect("modes", choices=frozenset({"required"})),
        {"tools": [TOOL, OTHER], "tool_choice": NAMED},
        {"tools": [TOOL, OTHER]},
        [("dropped", "not_available", "tool_choice")],
    ),
    # forms of the answer
    (
        DEEPSEEK,
        {"response_format": SCHEMA},
        {"response_format": JSON},
        [("replaced", "in_words", "response_format")],
    ),
    (GEMINI, {"response_format": SCHEMA}, {"response_format": SCHEMA}, []),
    (
        GEMINI,
        {"response_format": JSON, "tools": [TOOL]},
        {"tools": [TOOL]},
        [("dropped", "in_words", "response_format")],
    ),
    (
        GEMINI_3,
        {"response_format": JSON, "tools": [TOOL]},
        {"response_format": JSON, "tools": [TOOL]},
        [],
    ),
    (COHERE, {"response_format": {"type": "text"}}, {"response_format": {"type": "text"}}, []),
    # reasoning
    (
        V4,
        {"reasoning_effort": "max"},
        {"reasoning_effort": "high"},
        [("replaced", "nearest_effort", "reasoning_effort")],
    ),
    (V4, {"reasoning_effort": "default"}, {}, [("dropped", "default", "reasoning_effort")]),
    (COMPATIBLE, {"reasoning_effort": "default"}, {"reasoning_effort": "default"}, []),
    (
        Dialect("none", efforts=("none",)),
        {"reasoning_effort": "low"},
        {},
        [("dropped", "not_available", "reasoning_effort")],
    ),
    (
        Dialect("least", efforts=("none", "low"), always_reasons=True),
        {"reasoning_effort": "none"},
        {"reasoning_effort": "none"},
        [("replaced", "always_reasons", "reasoning_effort")],
    ),
    (
        CLAUDE,
        {"reasoning_effort": "max", "max_completion_tokens": 4096},
        {"reasoning_effort": "medium", "max_completion_tokens": 4096},
        [("replaced", "no_room_to_think", "reasoning_effort")],
    ),
    (
        CLAUDE,
        {"reasoning_effort": "minimal", "max_tokens": 1024},
        {"max_tokens": 1024},
        [("dropped", "no_room_to_think", "reasoning_effort")],
    ),
    (
        CLAUDE,
        {"reasoning_effort": "low", "max_tokens": 1025},
        {"reasoning_effort": "low", "max_tokens": 1025},
        [],
    ),
    (
        CLAUDE,
        {"reasoning_effort": "low", "temperature": 0, "top_p": 0.9, "top_k": 1},
        {"reasoning_effort": "low"},
        [("dropped", "thinking", name) for name in ("temperature", "top_p", "top_k")],
    ),
    (CLAUDE, {"reasoning_effort": "low", "temperature": 1, "top_p": 0.95}, {}, []),
    (CLAUDE, {"reasoning_effort": "none", "temperature": 0}, {}, []),
    (
        CLAUDE,
        {"reasoning_effort": "low", "tools": [TOOL], "tool_choice": NAMED, "temperature": 0},
        {"tools": [TOOL], "tool_choice": NAMED, "temperature": 0},
        [("dropped", "forced_tool", "reasoning_effort")],
    ),
    (CLAUDE, {"reasoning_effort": "low", "tools": [TOOL], "tool_choice": "auto"}, {}, []),
    (
        V4,
        {"tools": [TOOL], "tool_choice": "required"},
        {"tools": [TOOL]},
        [("dropped", "thinking", "tool_choice")],
    ),
    (V4, {"tools": [TOOL], "tool_choice": "required", "reasoning_effort": "none"}, {}, []),
]
"""A row, what is given, what comes of it (nothing: what was given), and what is said of it."""


@pytest.mark.parametrize(("dialect", "given", "expected", "said"), ROWS)
def test_rule_fits_its_parameter_and_reports_it(
    dialect: Dialect, given: dict[str, Any], expected: dict[str, Any], said: list[tuple[str, str, str]]
) -> None:
    """Each rule does what it says, and says what it does."""
    before = copy.deepcopy(given)
    fitted = fit_parameters(given, dialect, HISTORY)

    assert fitted.parameters == (expected or ({} if said else given))
    assert told(fitted) == said
    assert given == before
    if not said and not fitted.dropped:
        assert fitted.parameters is given
    assert {detail for kind, _, detail in said if kind == "dropped" and "[" not in detail} <= set(
        fitted.dropped
    )


@pytest.mark.parametrize(
    ("dialect", "parameters", "param"),
    [
        (ANTHROPIC, {"n": 2}, "n"),
        (GEMINI, {"n": 9}, "n"),
        (GEMINI_3, {"n": 2}, "n"),
        (COMPATIBLE, {"tool_choice": NAMED}, "tool_choice"),
        (COMPATIBLE, {"tools": [OTHER], "tool_choice": NAMED}, "tool_choice"),
        (COMPATIBLE, {"functions": [{"name": "leap"}], "function_call": {"name": "look"}}, "function_call"),
        (ANTHROPIC, {"functions": [{"name": "leap"}], "function_call": "leap"}, "function_call"),
        (
            GEMINI,
            {"tools": [TOOL], "response_format": {**SCHEMA, "json_schema": {"schema": []}}},
            "response_format",
        ),
    ],
)
def test_parameter_missed_in_the_answer_is_refused_by_name(
    dialect: Dialect, parameters: dict[str, Any], param: str
) -> None:
    """What the client would miss in the answer is refused, with the parameter's name."""
    with pytest.raises(InvalidRequest) as refusal:
        fit(dialect, **parameters)

    assert (refusal.value.param or "").split(".")[0] == param


def test_form_without_a_place_to_say_it() -> None:
    """A form that can only be said in words needs a message to say it in."""
    with pytest.raises(InvalidRequest):
        fit(COHERE, [assistant("Hello.")], response_format=JSON)


def test_choice_of_none_keeps_the_tools_of_a_history_with_calls() -> None:
    """Tools that the history's calls belong to stay, since some refuse calls without them."""
    fitted = fit(OLLAMA, CALLED, tools=[TOOL], tool_choice="none")

    assert fitted.parameters == {"tools": [TOOL]}
    assert told(fitted) == [("dropped", "not_available", "tool_choice")]


def test_thinking_stops_where_its_blocks_are_missing() -> None:
    """A round of tools that was begun without thinking goes on without; the next turn thinks again."""
    fitted = fit(CLAUDE, CALLED[:3], reasoning_effort="low", temperature=0)

    assert fitted.parameters == {"temperature": 0}
    assert told(fitted) == [("dropped", "thinking_blocks_missing", "reasoning_effort")]
    assert fit(CLAUDE, CALLED, reasoning_effort="low").changes == ()


def test_words_name_the_schema() -> None:
    """What no parameter says is said in words, with the schema."""
    plain, with_tools = fit(COHERE, response_format=SCHEMA), fit(GEMINI, response_format=SCHEMA, tools=[TOOL])

    assert plain.instruction is not None
    assert with_tools.instruction is not None
    assert "JSON" in plain.instruction
    assert '{"type":"object"}' in plain.instruction
    assert "instead of calling a function" in with_tools.instruction
    assert "calling" not in plain.instruction
    assert fit(GEMINI, response_format=SCHEMA).instruction is None


def test_allowed_names_pass_untouched() -> None:
    """What the deployment allows by name is seen by no rule."""
    given = {"n": 3, "stop": [""], "temperature": 9, "top_k": 1, "tools": [], "tool_choice": NAMED}

    assert fit_parameters(given, MISTRAL, HISTORY, allowed=frozenset(given)).parameters is given


@pytest.mark.parametrize(
    ("effort", "efforts", "nearest"),
    [
        ("none", ("low", "high"), "low"),
        ("minimal", ("none", "low"), "low"),
        ("medium", ("low", "high"), "high"),
        ("xhigh", ("none", "high", "max"), "max"),
        ("max", ("none", "minimal"), "minimal"),
        ("low", ("none",), None),
    ],
)
def test_effort_that_the_model_lacks_becomes_the_nearest(
    effort: str, efforts: tuple[str, ...], nearest: str | None
) -> None:
    """The nearest counts, of two the greater; none is nobody's neighbour."""
    assert nearest_effort(effort, efforts) == nearest


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
    """Every parameter goes as it came, or is named; what was fitted fits; nothing that is given is changed."""
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
def test_what_fits_stays_the_same(parameters: dict[str, Any]) -> None:
    """A server without rules gets the very object, but for what makes no sense to anybody."""
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
def test_what_no_rule_is_asked_of_would_not_be_touched(parameters: dict[str, Any], dialect: Dialect) -> None:
    """The names that pass at once are those that pass all rules, whatever is beside them."""
    module = importlib.import_module("proxy.upstream.dialects.fit_parameters")
    usual = {name: value for name, value in parameters.items() if name in module._untouched_by(dialect)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_untouched_by", lambda dialect: frozenset())
        asked = fit_parameters(usual, dialect, HISTORY)
    assert asked == fit_parameters(usual, dialect, HISTORY)
    assert (asked.parameters is usual) == (usual.get("tools") != [])
