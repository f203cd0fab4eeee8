"""Tests of ``router_settings``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.router import RouterSettings
from tests.proxy.config.samples import entry, faults_of, load, settings_of


def test_fallbacks_keep_their_order() -> None:
    """Fallbacks in LiteLLM's shape keep their order."""
    router = RouterSettings.model_validate({"fallbacks": [{"a": ["b", "c"]}, {"b": ["c"]}]})

    assert router.fallbacks == ({"a": ("b", "c")}, {"b": ("c",)})


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), True, "5s"])
@pytest.mark.parametrize("key", ["timeout", "connect_timeout", "first_byte_timeout", "idle_timeout"])
def test_timeout_that_is_not_positive_or_finite_is_refused(key: str, bad: Any) -> None:
    """A timeout that is not a positive finite number is a fault with its path."""
    assert [path for path, _ in faults_of(router_settings={key: bad})] == [f"router_settings.{key}"]


@pytest.mark.parametrize(
    ("given", "word"), [("off", "off"), (False, "off"), ("whole", "whole"), ("always", "always")]
)
def test_self_correction_takes_off_whole_and_always(given: Any, word: str) -> None:
    """``self_correction`` accepts `off` (also as false), `whole` and `always`."""
    assert RouterSettings.model_validate({"self_correction": given}).self_correction == word


@pytest.mark.parametrize("bad", [True, "stream", 1])
def test_other_value_of_self_correction_is_refused(bad: Any) -> None:
    """Any other value of ``self_correction`` is a fault with its path."""
    assert [path for path, _ in faults_of(router_settings={"self_correction": bad})] == [
        "router_settings.self_correction"
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("fast", ("fast", False)),
        ({"model": "fast"}, ("fast", False)),
        ({"model": "fast", "hidden": True}, ("fast", True)),
    ],
)
def test_alias_is_a_name_or_a_mapping(given: Any, expected: tuple[str, bool]) -> None:
    """An alias has LiteLLM's two shapes: a name, or a mapping with ``model`` and ``hidden``."""
    alias = RouterSettings.model_validate({"model_group_alias": {"a": given}}).model_group_alias["a"]

    assert (alias.model, alias.hidden) == expected


def test_alias_may_name_its_model_by_a_variable() -> None:
    """An alias may take its model from an environment variable."""
    settings = load(
        entry("fast"), router_settings={"model_group_alias": {"a": "os.environ/M"}}, environ={"M": "fast"}
    ).settings

    assert settings.router_settings.model_group_alias["a"].model == "fast"


@pytest.mark.parametrize(
    ("aliases", "path"),
    [
        ({"a": 1}, ".a"),
        ({"a": {"hidden": True}}, ".a.model"),
        ({"a": {"model": "gemini", "hide": True}}, ".a.hide"),
        ({"a": {"model": "gemini", "hidden": "yes"}}, ".a.hidden"),
        ({"a/*": "gemini"}, ".a/*"),
        (["a"], ""),
    ],
)
def test_alias_of_another_shape_is_refused(aliases: Any, path: str) -> None:
    """An alias of another shape is a fault with its path."""
    assert [found for found, _ in faults_of(router_settings={"model_group_alias": aliases})] == [
        f"router_settings.model_group_alias{path}"
    ]


@pytest.mark.parametrize(
    "key",
    [
        "fallbacks",
        "default_fallbacks",
        "context_window_fallbacks",
        "content_policy_fallbacks",
        "model_group_alias",
    ],
)
@pytest.mark.parametrize("section", ["router_settings", "litellm_settings"])
def test_key_without_a_value_is_not_set(key: str, section: str) -> None:
    """A key that is null counts as not set. LiteLLM reads each of these keys from both sections."""
    settings = settings_of(**{section: {key: None}})

    assert not getattr(settings.router_settings, key)


def test_default_fallbacks_are_for_models_without_a_chain() -> None:
    """Default fallbacks are the last chain, for models without a chain of their own."""
    router = RouterSettings.model_validate({"fallbacks": [{"a": ["b"]}], "default_fallbacks": ["c"]})

    assert router.failure_chains == ({"a": ("b",)}, {"*": ("c",)})
    assert RouterSettings().failure_chains == ()
