"""Each parameter of a request arrives, or is reported as dropped, changed or refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.proxy.upstream.dialects.arriving import WAYS, Arrival, Provider
from tests.support.builders import assistant, call, tool, user
from tests.support.covering_cases import share_of
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
NAMED = {"type": "function", "function": {"name": "look"}}
SCHEMA = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
BY_SCHEMA = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}

CASES: list[dict[str, Any]] = [
    {"max_tokens": 4711},
    {"max_completion_tokens": 4711},
    {"max_tokens": 4711, "max_completion_tokens": 4712},
    {"temperature": 0.25},
    {"temperature": 1.75},
    {"top_p": 0.25},
    {"top_p": 0.25, "temperature": 0.75},
    {"top_k": 17},
    {"n": 1},
    {"n": 2},
    {"stop": "halt"},
    {"stop": ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]},
    {"stop": [" ", "halt"]},
    {"stop": ["", "halt"]},
    {"presence_penalty": 0.25},
    {"frequency_penalty": -0.25},
    {"logit_bias": {"17": 5}},
    {"logprobs": True},
    {"logprobs": True, "top_logprobs": 3},
    {"top_logprobs": 3},
    {"seed": 4711},
    {"seed": 2**40},
    *(
        {"reasoning_effort": effort}
        for effort in ("none", "minimal", "low", "medium", "high", "xhigh", "max")
    ),
    {"reasoning_effort": "default"},
    {"reasoning_effort": "high", "max_tokens": 3000},
    {"reasoning_effort": "high", "max_tokens": 500},
    {"reasoning_effort": "low", "temperature": 0.25, "top_p": 0.5, "top_k": 4},
    {"reasoning_effort": "low", "tools": [TOOL], "tool_choice": "required"},
    {"verbosity": "low"},
    {"response_format": {"type": "text"}},
    {"response_format": {"type": "json_object"}},
    {"response_format": BY_SCHEMA},
    {"response_format": {"type": "json_object"}, "tools": [TOOL]},
    {"response_format": BY_SCHEMA, "tools": [TOOL]},
    {"tools": [TOOL]},
    {"tools": []},
    {"functions": []},
    *({"tools": [TOOL], "tool_choice": choice} for choice in ("none", "auto", "required", NAMED)),
    {"tool_choice": "auto"},
    {"tool_choice": "required", "tools": []},
    {"tools": [TOOL], "parallel_tool_calls": False},
    {"tools": [TOOL], "parallel_tool_calls": True},
    {"parallel_tool_calls": False},
    {"functions": [TOOL["function"]]},
    {"functions": [TOOL["function"]], "function_call": {"name": "look"}},
    {"functions": [TOOL["function"]], "function_call": "none"},
    {"function_call": "auto"},
    {"user": "u-4711"},
    {"user": "who@example.com"},
    {"user": "+49 30 1234567"},
    {"store": True},
    {"service_tier": "flex"},
    {"prediction": {"type": "content", "content": "predicted"}},
    {"modalities": ["text"]},
    {"prompt_cache_key": "k-4711"},
    {"safety_identifier": "s-4711"},
    {"metadata": {"k": "v-4711"}},
]

REFUSED = {"functions", "n", "tools"}
"""Parameters that may be refused, where the provider cannot honour them."""

MARKS: dict[str, list[str]] = {
    "stop": ["halt", "s1", "s2", "s3", "s4", "s5", "s6", "s7", '" "'],
    "response_format": ["colour"],
}
"""Texts that must arrive with a parameter, unless it is reported as dropped or changed."""


@pytest.mark.long
@pytest.mark.parametrize(("name", "transport"), WAYS)
async def test_set_parameters_arrive_or_are_named(provider: Provider, name: str, transport: str) -> None:
    """A parameter changes the request that arrives, or it is reported as dropped, changed or refused.

    ``make test`` sends a third of the cases each way, and ``make test-deep`` all of them.
    """
    known: dict[str, Arrival] = {}

    async def receive(parameters: dict[str, Any]) -> Arrival:
        key = json.dumps(parameters)
        if key not in known:
            known[key] = await provider.receive(name, transport, parameters)
        return known[key]

    lost = []
    for parameters in share_of(CASES, WAYS.index((name, transport))):
        arrival = await receive(parameters)
        if arrival.body is None:
            assert arrival.refused in (REFUSED & parameters.keys()), parameters
            continue
        told = arrival.dropped | {detail.partition("[")[0] for _, detail in arrival.changed}
        for parameter in parameters.keys() - told:
            rest = await receive({key: value for key, value in parameters.items() if key != parameter})
            if rest.body == arrival.body and not _is_as_without(parameter, parameters):
                lost.append((parameters, parameter))
            lost += [
                (parameters, mark)
                for mark in MARKS.get(parameter, [])
                if mark in json.dumps(parameters) and mark not in arrival.text.replace("\\", "")
            ]
    assert lost == []


def _is_as_without(parameter: str, parameters: dict[str, Any]) -> bool:
    """Tell whether a value means the same as no value."""
    return (parameter, parameters[parameter]) in (
        ("n", 1),
        ("response_format", {"type": "text"}),
        ("reasoning_effort", "none"),
    )


@pytest.mark.parametrize(("name", "transport"), WAYS[::5])
async def test_observing_sends_the_same_request_as_the_mode_off(
    provider: Provider, name: str, transport: str
) -> None:
    """Mode observe sends the same request as mode off, and only lists the changes."""
    history = [user("q"), assistant(None, calls=[call("c1", "look")]), tool("c1", "r"), user("Go on.")]
    parameters = {"tools": [TOOL], "tool_choice": "auto", "stop": ["s1", "", "s2"]}
    arrivals = [
        await provider.receive(name, transport, parameters, messages=history, mode=mode)
        for mode in ("off", "observe")
    ]

    assert arrivals[0].body == arrivals[1].body
    assert arrivals[0].dropped == arrivals[1].dropped
    assert arrivals[0].changed == ()
    if "stop" not in arrivals[1].dropped and arrivals[1].body is not None:
        assert ("blank", "stop[1]") in arrivals[1].changed
