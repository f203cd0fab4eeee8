"""Tests of sampling, limits and stop sequences: their ranges, lengths and names."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.dialects import Dialect
from proxy.upstream.dialects.responses_models import over_responses
from proxy.upstream.dialects.table import ANTHROPIC, COHERE, COMPATIBLE, DEEPSEEK, GEMINI, GEMINI_3, MISTRAL
from tests.proxy.upstream.dialects.fitted import Row, check_refused, check_rule

BY_RESPONSES = over_responses(COMPATIBLE)

LIMITS: list[Row] = [
    (
        ANTHROPIC,
        {"max_tokens": 5, "max_completion_tokens": 7},
        {"max_completion_tokens": 7},
        "dropped two_limits max_tokens",
    ),
    (
        COMPATIBLE,
        {"max_tokens": 5, "max_completion_tokens": 7},
        {"max_tokens": 5, "max_completion_tokens": 7},
        "",
    ),
    (DEEPSEEK, {"max_completion_tokens": 7}, {"max_tokens": 7}, "replaced other_name max_completion_tokens"),
    (
        DEEPSEEK,
        {"max_tokens": 5, "max_completion_tokens": 7},
        {"max_tokens": 7},
        "dropped two_limits max_tokens, replaced other_name max_completion_tokens",
    ),
    (BY_RESPONSES, {"max_tokens": 5}, {"max_tokens": 16}, "replaced out_of_range max_tokens"),
    (
        BY_RESPONSES,
        {"max_completion_tokens": 5},
        {"max_completion_tokens": 16},
        "replaced out_of_range max_completion_tokens",
    ),
    (BY_RESPONSES, {"max_tokens": 16}, {"max_tokens": 16}, ""),
]


@pytest.mark.parametrize("row", LIMITS)
def test_the_limit_is_named_once(row: Row) -> None:
    """Of two limits, ``max_completion_tokens`` counts. The limit is sent under the provider's name for it."""
    check_rule(*row)


SAMPLING: list[Row] = [
    (ANTHROPIC, {"temperature": 1.5}, {"temperature": 1.0}, "replaced out_of_range temperature"),
    (COHERE, {"presence_penalty": -1}, {"presence_penalty": 0.0}, "replaced out_of_range presence_penalty"),
    (COHERE, {"top_p": 1}, {"top_p": 0.99}, "replaced out_of_range top_p"),
    (COHERE, {"top_k": 3}, {"k": 3}, "replaced other_name top_k"),
    (MISTRAL, {"top_k": 3, "temperature": 1.5}, {"temperature": 1.5}, ""),
    (
        Dialect("one", one_sampler=True),
        {"temperature": 0, "top_p": 0.5},
        {"temperature": 0},
        "dropped temperature_given top_p",
    ),
    (GEMINI, {"seed": 2**31}, {"seed": 0}, "replaced out_of_range seed"),
    (GEMINI, {"seed": -(2**31)}, {"seed": -(2**31)}, ""),
    (COMPATIBLE, {"top_logprobs": 2}, {}, "dropped no_logprobs top_logprobs"),
    (ANTHROPIC, {"user": "a.b@c.de"}, {}, "dropped personal user"),
    (ANTHROPIC, {"user": "(030) 123-456"}, {}, "dropped personal user"),
    (ANTHROPIC, {"user": "u17"}, {"user": "u17"}, ""),
]


@pytest.mark.parametrize("row", SAMPLING)
def test_sampling_stays_within_the_dialect(row: Row) -> None:
    """A value outside its range is set to the nearest allowed value.

    A parameter that another parameter excludes is dropped.
    """
    check_rule(*row)


STOPS: list[Row] = [
    (
        GEMINI,
        {"stop": list("abcdefg")},
        {"stop": list("abcde")},
        "dropped too_many stop[5], dropped too_many stop[6]",
    ),
    (ANTHROPIC, {"stop": ["\n", "x", ""]}, {"stop": ["x"]}, "dropped blank stop[0], dropped blank stop[2]"),
    (ANTHROPIC, {"stop": "\n"}, {}, "dropped blank stop"),
    (GEMINI, {"stop": ["\n", ""]}, {"stop": ["\n"]}, "dropped blank stop[1]"),
    (COHERE, {"stop": "x"}, {"stop": ["x"]}, "replaced as_list stop"),
]


@pytest.mark.parametrize("row", STOPS)
def test_stop_sequences_are_those_that_the_dialect_takes(row: Row) -> None:
    """The first stop sequences stay. Blank stop sequences are dropped where the provider refuses them."""
    check_rule(*row)


@pytest.mark.parametrize(
    ("dialect", "parameters", "param"),
    [(ANTHROPIC, {"n": 2}, "n"), (GEMINI, {"n": 9}, "n"), (GEMINI_3, {"n": 2}, "n")],
)
def test_more_answers_than_the_model_gives_are_refused(
    dialect: Dialect, parameters: dict[str, Any], param: str
) -> None:
    """A larger ``n`` is refused, since the client did not ask for fewer answers."""
    check_refused(dialect, parameters, param)
