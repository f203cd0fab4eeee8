"""Tests of the table of dialects, by the fields that arrive at each provider."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.proxy.upstream.dialects.arriving import ROUTES, Provider
from tests.proxy.upstream.dialects.test_fit_parameters_nothing_lost import BY_SCHEMA, NAMED, TOOL
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE

DROPPED = "dropped"
REFUSED = "refused"
AS_IT_CAME = "as it came"

Outcome = str | dict[str, Any]

ARRIVALS: dict[str, tuple[dict[str, Any], dict[str, Outcome]]] = {
    "max_completion_tokens": (
        {"max_completion_tokens": 77},
        {
            "openai gpt-5 o3 server vllm openrouter": AS_IT_CAME,
            "mistral deepseek reasoner claude-3.5 claude-4.7 cohere": {"max_tokens": 77},
            "gemini-2.5 gemini-3.7": {"max_output_tokens": 77},
            "ollama gpt-oss": {"num_predict": 77},
            "bedrock-claude bedrock-nova": {"maxTokens": 77},
        },
    ),
    "max_tokens": (
        {"max_tokens": 77},
        {"gpt-5 o3": {"max_completion_tokens": 77}, "openai server mistral deepseek claude-4.5": AS_IT_CAME},
    ),
    "top_k": (
        {"top_k": 17},
        {
            "openai o3 gpt-5 mistral deepseek reasoner groq xai claude-4.7 cerebras perplexity": DROPPED,
            "server vllm custom openrouter claude-3.5 claude-4.5 ollama fireworks": AS_IT_CAME,
            "gemini-2.5 gemini-3.7": {"top_k": 17},
            "cohere": {"k": 17},
            "bedrock-claude": {"top_k": 17},
            "bedrock-nova": {"topK": 17},
        },
    ),
    "n": (
        {"n": 2},
        {
            "openai server mistral gemini-2.5 gpt-5": {},
            "gemini-3.7 claude-3.5 claude-4.7 cohere ollama bedrock-claude bedrock-nova deepseek": REFUSED,
            "groq cerebras perplexity": REFUSED,
        },
    ),
    "seed": (
        {"seed": 4711},
        {
            "mistral": {"random_seed": 4711},
            "openai gemini-2.5 cohere ollama": AS_IT_CAME,
            "claude-4.5 bedrock-nova deepseek": DROPPED,
        },
    ),
    "penalty": (
        {"presence_penalty": 0.25},
        {
            "openai server mistral deepseek cohere ollama": AS_IT_CAME,
            "claude-4.5 bedrock-claude gemini-3.7 o3 gpt-5": DROPPED,
        },
    ),
    "frequency": ({"frequency_penalty": 0.25}, {"ollama": DROPPED, "mistral openai cohere": AS_IT_CAME}),
    "effort": (
        {"reasoning_effort": "xhigh"},
        {
            "gpt-5": {"reasoning_effort": "high"},
            "o3": {"reasoning_effort": "high"},
            "openai mistral cohere claude-3.5 reasoner": DROPPED,
            "claude-4.5": {"budget_tokens": 8192},
            "claude-4.7": {"effort": "xhigh"},
            "gemini-3.7": {"thinkingLevel": "high"},
            "ollama": {"think": True},
            "gpt-oss": {"think": "high"},
        },
    ),
    "no effort": (
        {"reasoning_effort": "none"},
        {
            "gpt-5": {"reasoning_effort": "minimal"},
            "o3": {"reasoning_effort": "low"},
            "gemini-2.5-pro": {"thinkingBudget": 128},
            "gemini-3.7": {"thinkingLevel": "low", "includeThoughts": False},
            "ollama": {"think": False},
            "gpt-oss": {"think": "low"},
            "deepseek": {"thinking": {"type": "disabled"}},
        },
    ),
    "named tool": (
        {"tools": [TOOL], "tool_choice": NAMED},
        {
            "openai server mistral deepseek": AS_IT_CAME,
            "gemini-2.5 gemini-3.7": {"mode": "ANY"},
            "claude-4.5": {"tool_choice": {"type": "tool", "name": "look"}},
            "cohere ollama": DROPPED,
            "reasoner": DROPPED,
        },
    ),
    "schema": (
        {"response_format": BY_SCHEMA},
        {
            "openai mistral vllm": AS_IT_CAME,
            "deepseek": {"response_format": {"type": "json_object"}},
            "cohere": DROPPED,
        },
    ),
    "service_tier": (
        {"service_tier": "flex"},
        {"openai o3": AS_IT_CAME, "mistral deepseek claude-4.5 cohere ollama": DROPPED},
    ),
    "user": (
        {"user": "u-4711"},
        {
            "openai gpt-5 server vllm openrouter": AS_IT_CAME,
            "claude-4.5": {"user_id": "u-4711"},
            "mistral cohere": DROPPED,
        },
    ),
    "verbosity": (
        {"verbosity": "low"},
        {"gpt-5": AS_IT_CAME, "openai o3 mistral claude-4.5 cohere": DROPPED},
    ),
}
"""For each case, the parameters that are sent, and the outcome for each route.

An outcome may be the fields that the body must hold.
"""


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("case", ARRIVALS)
async def test_parameters_arrive_as_the_table_says(provider: Provider, case: str) -> None:
    """Each provider gets the fields of the table, through every transport that reaches the provider."""
    parameters, outcomes = ARRIVALS[case]
    name = list(parameters)[-1]
    for names, outcome in outcomes.items():
        for route in names.split():
            for transport in ("direct", "litellm") if ROUTES[route][1] == "both" else ("litellm",):
                arrival = await provider.receive(route, transport, parameters)
                place = (route, transport, arrival)
                if outcome == REFUSED:
                    assert arrival.refused == name, place
                    continue
                assert arrival.body is not None, place
                if outcome == DROPPED:
                    assert name in arrival.dropped, place
                    continue
                assert name not in arrival.dropped, place
                expected = {name: parameters[name]} if isinstance(outcome, str) else outcome
                for field, value in expected.items():
                    assert _holds(arrival.body, field, value), place


def _holds(value: Any, field: str, wanted: Any) -> bool:
    """Tell whether *wanted* stands under *field* somewhere in *value*, in either spelling of the name."""
    if isinstance(value, list):
        return any(_holds(one, field, wanted) for one in value)
    if not isinstance(value, dict):
        return False
    spelled = {key.replace("_", "").lower(): given for key, given in value.items()}
    found = spelled.get(field.replace("_", "").lower())
    same = json.dumps(found, sort_keys=True) == json.dumps(wanted, sort_keys=True)
    return same or any(_holds(one, field, wanted) for one in value.values())
