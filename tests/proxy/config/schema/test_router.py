"""``router_settings``."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.router import RouterSettings
from tests.proxy.config.samples import entry, faults_of, load, settings_of


def test_fallbacks_keep_their_order() -> None:
    """LiteLLM's shape arrives as it is."""
    router = RouterSettings.model_validate({"fallbacks": [{"a": ["b", "c"]}, {"b": ["c"]}]})

    assert router.fallbacks == ({"a": ("b", "c")}, {"b": ("c",)})


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), True, "5"])
@pytest.mark.parametrize("key", ["timeout", "connect_timeout", "first_byte_timeout", "idle_timeout"])
def test_timeout_that_is_not_positive_or_finite_is_refused(key: str, bad: Any) -> None:
    """The fault has the path of the timeout."""
    assert [path for path, _ in faults_of(router_settings={key: bad})] == [f"router_settings.{key}"]


@pytest.mark.parametrize(
    ("given", "word"), [("off", "off"), (False, "off"), ("whole", "whole"), ("always", "always")]
)
def test_self_correction_takes_off_whole_and_always(given: Any, word: str) -> None:
    """The bare word `off`, which YAML reads as false, is one of the three."""
    assert RouterSettings.model_validate({"self_correction": given}).self_correction == word


@pytest.mark.parametrize("bad", [True, "stream", 1, None])
def test_other_value_of_self_correction_is_refused(bad: Any) -> None:
    """The fault has the path of the key."""
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
    """LiteLLM's two shapes."""
    alias = RouterSettings.model_validate({"model_group_alias": {"a": given}}).model_group_alias["a"]

    assert (alias.model, alias.hidden) == expected


def test_alias_may_name_its_model_by_a_variable() -> None:
    """As any text of the file."""
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
    """The fault has its place."""
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
    """YAML reads a key without a value as null. LiteLLM reads each of these keys from both sections."""
    settings = settings_of(**{section: {key: None}})

    assert not getattr(settings.router_settings, key)


def test_default_fallbacks_are_for_models_without_a_chain() -> None:
    """They are the last of the chains."""
    router = RouterSettings.model_validate({"fallbacks": [{"a": ["b"]}], "default_fallbacks": ["c"]})

    assert router.failure_chains == ({"a": ("b",)}, {"*": ("c",)})
    assert RouterSettings().failure_chains == ()
