"""Tests of rules that concern several fields of a configuration file."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.cross_checks import cross_check
from proxy.config.faults import Fault
from tests.proxy.config.samples import entry

WILDCARD = "has a *, and its model_name has none to fill it in with"
PROVIDER = "lets a client name the provider of a model: write provider/*, or * alone for any provider"
ANYWHERE = "would go to any provider that a client names: write provider/* as the model, or set api_base"


@pytest.mark.parametrize(
    ("name", "model", "fault"),
    [
        ("gemini/*", "gemini/*", None),
        ("gemini/gemini-2*", "gemini/gemini-2*", None),
        ("gemini", "gemini/gemini-2.5-pro", None),
        ("gemini/*", "gemini/gemini-2.5-pro", None),
        ("gemini/*", "openai/*", None),
        ("gemini/g*", "gemini/*", None),
        ("*", "openai/*", None),
        ("*", "*", None),
        ("gemini", "gemini/*", WILDCARD),
        ("x/*", "*/gpt-4o", PROVIDER),
        ("x/*", "azure*/gpt-4o", PROVIDER),
    ],
)
def test_wildcard_of_a_model_is_filled_in_by_its_name(name: str, model: str, fault: str | None) -> None:
    """The model name that a client sends fills in the ``*`` of an entry's model.

    The client may name a provider only where the model is ``*`` alone.
    """
    faults = cross_check({"model_list": [entry(name, model)]}, {})

    assert faults == ((Fault("model_list[0].litellm_params.model", fault),) if fault else ())


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({"api_key": "k"}, "api_key"),
        ({"api_key": "os.environ/K"}, "api_key"),
        ({"headers": {"Authorization": "k"}}, "headers"),
        ({"extra_headers": {"x-api-key": "k"}}, "extra_headers"),
        ({"litellm_credential_name": "c"}, "litellm_credential_name"),
        ({"aws_secret_access_key": "k"}, "aws_secret_access_key"),
        ({"client_secret": "k"}, "client_secret"),
        ({"vertex_credentials": "k"}, "vertex_credentials"),
        ({"api_key": ""}, None),
        ({"api_key": "os.environ/EMPTY"}, None),
        ({"extra_headers": {}}, None),
        ({"aws_region_name": "eu-central-1", "timeout": 5}, None),
        ({"api_key": "k", "api_base": "http://127.0.0.1:9/v1"}, None),
        ({"api_key": "k", "base_url": "http://127.0.0.1:9/v1"}, None),
    ],
)
def test_secret_beside_any_provider_needs_an_address(params: dict[str, Any], key: str | None) -> None:
    """An entry for any provider needs an address beside a secret, else a client chooses where the secret goes."""
    credentials = [{"credential_name": "c"}]
    faults = cross_check(
        {"model_list": [entry("*", "*", **params)], "credential_list": credentials}, {"K": "k", "EMPTY": ""}
    )

    assert faults == ((Fault(f"model_list[0].litellm_params.{key}", ANYWHERE),) if key else ())
    named: dict[object, object] = {
        "model_list": [entry("*", "openai/*", **params)],
        "credential_list": credentials,
    }
    assert cross_check(named, {"K": "k"}) == ()


NO_CREDENTIAL = "names no credential of credential_list"


@pytest.mark.parametrize(
    ("name", "listed", "fault"),
    [
        pytest.param("azure-eu", ["azure-eu"], None, id="listed"),
        pytest.param("os.environ/NAME", ["azure-eu"], None, id="by a variable"),
        pytest.param("azure-eu", ["os.environ/NAME"], None, id="listed by a variable"),
        pytest.param("azure-ue", ["azure-eu"], f"{NO_CREDENTIAL}; did you mean azure-eu?", id="misspelled"),
        pytest.param("openai", ["azure-eu"], NO_CREDENTIAL, id="unlike any"),
        pytest.param("azure-eu", [], NO_CREDENTIAL, id="no list"),
        pytest.param(3, [], None, id="wrong type"),
    ],
)
def test_a_named_credential_is_in_the_list(name: object, listed: list[str], fault: str | None) -> None:
    """A credential that is not listed is a fault. Otherwise the provider's usual address would get the request."""
    raw: dict[object, object] = {
        "model_list": [entry(), entry("a", "azure/gpt-4o", litellm_credential_name=name)],
        "credential_list": [{"credential_name": each} for each in listed],
    }
    faults = cross_check(raw, {"NAME": "azure-eu"})

    path = "model_list[1].litellm_params.litellm_credential_name"
    assert faults == ((Fault(path, fault),) if fault else ())


@pytest.mark.parametrize(
    ("aliases", "faults"),
    [
        pytest.param({"x": "a", "y": {"model": "b", "hidden": True}}, {}, id="good"),
        pytest.param({"x": "gemini/gemini-2.5-pro"}, {}, id="through a wildcard"),
        pytest.param({"a": "b"}, {}, id="over a model"),
        pytest.param({"x": "os.environ/NAME"}, {}, id="by a variable"),
        pytest.param({"x": "nope"}, {".x": "names no model of model_list"}, id="unknown"),
        pytest.param({"x": {"model": "nope"}}, {".x": "names no model of model_list"}, id="unknown, mapping"),
        pytest.param({"x": "a", "y": "x"}, {".y": "names no model of model_list"}, id="of an alias"),
        pytest.param({"x": "gemini/*"}, {".x": "must be a model, not a wildcard"}, id="wildcard"),
        pytest.param({"x": 3, 4: "a", "y": {}}, {}, id="wrong shapes are validation's"),
        pytest.param(["x"], {}, id="no mapping"),
    ],
)
def test_alias_names_a_configured_model(aliases: Any, faults: dict[str, str]) -> None:
    """An alias must name a configured model; an alias of an alias is a fault."""
    raw: dict[object, object] = {
        "model_list": [entry("a"), entry("b"), entry("gemini/*", "gemini/*")],
        "router_settings": {"model_group_alias": aliases},
    }

    assert cross_check(raw, {"NAME": "b"}) == tuple(
        Fault(f"router_settings.model_group_alias{path}", text) for path, text in faults.items()
    )


def test_other_sections_may_name_an_alias() -> None:
    """Fallbacks and limits of rounds may name an alias."""
    raw: dict[object, object] = {
        "model_list": [entry("a"), entry("b")],
        "router_settings": {
            "model_group_alias": {"x": "a", "y": {"model": "b"}},
            "fallbacks": [{"x": ["y"]}],
            "default_fallbacks": ["y"],
        },
        "turns": {"per_model": [{"model": "x"}]},
    }

    assert cross_check(raw, {}) == ()


@pytest.mark.parametrize(
    ("names", "faults"),
    [
        (["a", "gemini/gemini-2.5-pro"], {}),
        (["a", "nope"], {"[1]": "names no model of model_list"}),
        (["gemini/*"], {"[0]": "must be a model, not a wildcard"}),
        ("a", {}),
        ([3], {}),
    ],
)
def test_default_fallbacks_name_configured_models(names: Any, faults: dict[str, str]) -> None:
    """Default fallbacks must name configured models; validation reports wrong shapes."""
    raw: dict[object, object] = {
        "model_list": [entry("a"), entry("gemini/*", "gemini/*")],
        "router_settings": {"default_fallbacks": names},
    }

    assert cross_check(raw, {}) == tuple(
        Fault(f"router_settings.default_fallbacks{path}", text) for path, text in faults.items()
    )


@pytest.mark.parametrize("section", ["fallbacks", "context_window_fallbacks", "content_policy_fallbacks"])
@pytest.mark.parametrize(
    ("chains", "faults"),
    [
        pytest.param([{"a": ["b"]}, {"*": ["a"]}], {}, id="good"),
        pytest.param([{"a": ["gemini/gemini-2.5-pro"]}], {}, id="through a wildcard"),
        pytest.param([{"x": ["b"]}], {"[0].x": "names no model of model_list"}, id="source"),
        pytest.param([{"a": ["b", "y"]}], {"[0].a[1]": "names no model of model_list"}, id="target"),
        pytest.param([{"a": ["a"]}], {"[0].a[0]": "falls back to itself"}, id="itself"),
        pytest.param([{"a": ["gemini/"]}], {"[0].a[0]": "names no model of model_list"}, id="empty rest"),
        pytest.param([{"a": ["gemini/*"]}], {"[0].a[0]": "must be a model, not a wildcard"}, id="wildcard"),
        pytest.param([3, {"a": 4}, {5: [6]}], {}, id="wrong shapes are validation's"),
        pytest.param({"a": "b"}, {}, id="no list"),
    ],
)
def test_fallbacks_name_configured_models(section: str, chains: Any, faults: dict[str, str]) -> None:
    """A fallback chain leads from a configured model to other configured models. Any other chain is a fault."""
    raw: dict[object, object] = {
        "model_list": [entry("a"), entry("b"), entry("gemini/*", "gemini/*")],
        "router_settings": {section: chains},
    }

    assert cross_check(raw, {}) == tuple(
        Fault(f"router_settings.{section}{path}", text) for path, text in faults.items()
    )


def test_names_from_the_environment_count() -> None:
    """A name from an environment variable counts by its value."""
    raw: dict[object, object] = {
        "model_list": [entry("os.environ/NAME")],
        "router_settings": {"fallbacks": [{"n": ["n2"]}]},
    }

    assert cross_check(raw, {"NAME": "n"}) == (
        Fault("router_settings.fallbacks[0].n[0]", "names no model of model_list"),
    )


def test_teams_have_names_of_their_own_and_keys_name_a_team() -> None:
    """Two teams of one name, and a key of an unknown team, are faults."""
    general = {
        "teams": [{"name": "a"}, {"name": "b"}, {"name": "os.environ/A"}, {"name": 5}, {}],
        "keys": [
            {"name": "k", "key": "1", "team": "b"},
            {"name": "l", "key": "2", "team": "c"},
            {"name": "m", "key": "3"},
            {"name": "n", "key": "4", "team": 5},
        ],
    }
    faults = cross_check({"general_settings": general}, {"A": "a"})

    assert [(fault.path, fault.text) for fault in faults] == [
        ("general_settings.teams[2].name", "is the name of another team"),
        ("general_settings.keys[1].team", "names no team of general_settings.teams"),
    ]


def test_entries_of_a_name_have_their_conversations_in_one_place() -> None:
    """The conversation is looked up before one of the entries is chosen."""
    states = [("a", True), ("a", False), ("b", False), ("a", True), ("b", None), ("b", True)]
    listed = [
        {**entry(name, "openai/gpt-4.1"), **({} if state is None else {"provider_state": state})}
        for name, state in states
    ]

    assert [fault.path for fault in cross_check({"model_list": listed}, {})] == [
        "model_list[1].provider_state",
        "model_list[5].provider_state",
    ]
