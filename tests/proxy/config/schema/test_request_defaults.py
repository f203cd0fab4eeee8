"""Tests of the default parameters of a deployment."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.pools import resolve
from proxy.config.schema.request_defaults import RequestDefaults
from tests.proxy.config.samples import entry, faults_of, settings_of

VALUES: dict[str, Any] = {
    "max_tokens": 1024,
    "max_completion_tokens": 1024,
    "temperature": 0,
    "top_p": 0.5,
    "top_k": 40,
    "frequency_penalty": 0.5,
    "presence_penalty": -0.5,
    "seed": -3,
    "n": 2,
    "stop": ["END"],
    "logit_bias": {"50256": -100},
    "logprobs": True,
    "top_logprobs": 0,
    "user": "u",
    "service_tier": "flex",
    "verbosity": "low",
    "reasoning_effort": "high",
    "thinking": {"type": "enabled", "budget_tokens": 4096},
    "response_format": {"type": "json_object"},
    "tool_choice": {"type": "function", "function": {"name": "f"}},
    "parallel_tool_calls": False,
    "modalities": ["text"],
    "prompt_cache_key": "k",
    "safety_identifier": "s",
    "store": False,
}


def test_every_parameter_has_a_value_here() -> None:
    """Every parameter of ``RequestDefaults`` has a value in ``VALUES``, so that each one is tested."""
    assert set(VALUES) == set(RequestDefaults.model_fields)


@pytest.mark.parametrize("name", VALUES)
def test_each_parameter_reaches_the_deployment_as_json(name: str) -> None:
    """Each default parameter reaches the deployment as the same JSON value."""
    (found,) = resolve(settings_of(entry("a", **{name: VALUES[name]})), "a")

    assert found.defaults == {name: VALUES[name]}
    assert type(found.defaults[name]) is type(VALUES[name])


def test_an_entry_without_parameters_has_none() -> None:
    """A parameter that is null is not set."""
    (found,) = resolve(settings_of(entry("a", temperature=None)), "a")

    assert found.defaults == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_tokens", 0),
        ("max_tokens", "1024"),
        ("temperature", "hot"),
        ("temperature", float("nan")),
        ("n", 9),
        ("reasoning_effort", "extreme"),
        ("thinking", "yes"),
        ("logprobs", "true"),
        ("response_format", ["json"]),
    ],
)
def test_a_wrong_value_is_a_fault(name: str, value: Any) -> None:
    """A wrong default value is a fault, since the provider would refuse every request."""
    assert {path for path, _ in faults_of(entry("a", **{name: value}))} == {
        f"model_list[0].litellm_params.{name}"
    }
