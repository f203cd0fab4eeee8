"""Tests of parameters that only some providers know."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.pools import resolve
from proxy.config.schema.provider_parameters import ProviderParameters
from tests.proxy.config.samples import entry, faults_of, load

VALUES: dict[str, Any] = {
    "num_ctx": 8192,
    "keep_alive": "5m",
    "repeat_penalty": 1.25,
    "repetition_penalty": 1.5,
    "min_p": 0.25,
    "min_tokens": 16,
    "top_a": 0,
    "thinking_budget": 2048,
    "enable_thinking": False,
    "web_search_options": {"search_context_size": "low"},
}


def test_every_parameter_has_a_value_here() -> None:
    """Every parameter of ``ProviderParameters`` has a value in ``VALUES``, so that each one is tested."""
    assert set(VALUES) == set(ProviderParameters.model_fields)


@pytest.mark.parametrize("name", VALUES)
def test_each_parameter_becomes_a_field_of_the_body(name: str) -> None:
    """Each parameter becomes a field of the provider's body. A field of the same name in ``extra_body`` wins."""
    loaded = load(entry("a", "hosted_vllm/m", api_base="http://h/v1", **{name: VALUES[name]}))
    (found,) = resolve(loaded.settings, "a")

    assert loaded.warnings == ()
    assert found.extra_body == {name: VALUES[name]}
    assert type(found.extra_body[name]) is type(VALUES[name])

    both = entry("a", "hosted_vllm/m", **{name: VALUES[name], "extra_body": {name: "own"}})
    assert resolve(load(both).settings, "a")[0].extra_body == {name: "own"}


def test_gemini_gets_none() -> None:
    """Gemini gets none of these parameters, since Google refuses a body with a field that it does not know."""
    (found,) = resolve(load(entry("a", "gemini/gemini-2.5-pro", **VALUES)).settings, "a")

    assert found.extra_body == {}


@pytest.mark.parametrize(("written", "value"), [("-1", "-1"), (-1, -1), (0.5, 0.5), ("os.environ/X", "24h")])
def test_a_model_may_stay_loaded_for_seconds_or_a_duration(written: Any, value: Any) -> None:
    """``keep_alive`` is sent as it is written, or with the value of the variable that it refers to."""
    (found,) = resolve(load(entry("a", "ollama/m", keep_alive=written), environ={"X": "24h"}).settings, "a")

    assert found.extra_body == {"keep_alive": value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_ctx", 0),
        ("keep_alive", True),
        ("keep_alive", ["5m"]),
        ("min_p", -1),
        ("web_search_options", True),
    ],
)
def test_a_wrong_value_is_a_fault(name: str, value: Any) -> None:
    """A wrong value is one fault at its key."""
    assert [path for path, _ in faults_of(entry("a", **{name: value}))] == [
        f"model_list[0].litellm_params.{name}"
    ]
