"""Tests of a deployment's default parameters, which a request gets where the client sends none."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.pools import resolve
from proxy.config.schema.request_defaults import RequestDefaults
from tests.proxy.config.samples import entry, faults_of, load, settings_of

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
    "dimensions": 256,
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
        ("max_tokens", "1024 tokens"),
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


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("stop", ["\n\n", " Human:"], ["\n\n", " Human:"]),
        ("stop", "\n", "\n"),
        ("stop", "os.environ/X", "from-x"),
        ("tool_choice", "auto", "auto"),
        (
            "tool_choice",
            {"type": "function", "function": {"name": "${X}"}},
            {"type": "function", "function": {"name": "from-x"}},
        ),
        ("logit_bias", {50256: -100, "7": 1.5}, {"50256": -100, "7": 1.5}),
        ("temperature", "0.2", 0.2),
        ("max_tokens", "os.environ/NUMBER", 300),
        ("seed", "-3", -3),
        ("n", "2", 2),
        ("reasoning_effort", {"effort": "high", "summary": "auto"}, "high"),
        ("reasoning_effort", "disable", "none"),
        ("reasoning_effort", "os.environ/EFFORT", "low"),
    ],
)
def test_litellm_s_spellings_are_taken(name: str, written: Any, value: Any) -> None:
    """Texts of any characters, numbers in quotes or in variables, and LiteLLM's other spellings are taken."""
    environ = {"X": "from-x", "NUMBER": "300", "EFFORT": "low"}
    (found,) = resolve(load(entry("a", **{name: written}), environ=environ).settings, "a")

    assert found.defaults == {name: value}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("stop", 3, "must be a text or a list of texts, and none of them empty"),
        ("stop", ["a", ""], "must be a text or a list of texts, and none of them empty"),
        ("stop", {"a": 1}, "must be a text or a list of texts, and none of them empty"),
        ("tool_choice", 3, "must be a word, such as auto, or a mapping that names a function"),
        ("tool_choice", ["auto"], "must be a word, such as auto, or a mapping that names a function"),
        ("logit_bias", [1], "must be a mapping of keys to values"),
    ],
)
def test_a_value_of_another_shape_is_a_fault_in_words(name: str, value: Any, words: str) -> None:
    """A value of the wrong shape is one fault, at the path that the operator wrote."""
    assert faults_of(entry("a", **{name: value})) == [(f"model_list[0].litellm_params.{name}", words)]
