"""Tests of the names that ``/v1/models`` lists."""

from __future__ import annotations

import re

import pytest

from proxy.config import resolve
from proxy.config.allowed_models import AllowedModels
from proxy.config.list_models import MAX_LISTED, listed_names, near_models, require_listed
from proxy.core.errors import ModelNotFound, ModelUnavailable
from tests.proxy.config.samples import entry, load, settings_of

ENVIRON = {"OPENAI_API_KEY": "o", "GEMINI_API_KEY": "g"}


@pytest.mark.parametrize(
    ("name", "model", "first", "some"),
    [
        ("gemini/*", "gemini/*", r"gemini/", "gemini/gemini-2.5-flash"),
        ("byok/*", "openai/*", r"byok/", "byok/gpt-4o"),
        ("*", "openai/*", r"[^/]+$", "gpt-4o"),
        ("gpt-4*", "openai/gpt-4*", r"gpt-4", "gpt-4o"),
        ("*", "*", r"(openai|gemini)/", "openai/gpt-4o"),
    ],
)
def test_wildcard_is_listed_as_the_known_models_of_its_provider(
    name: str, model: str, first: str, some: str
) -> None:
    """A wildcard is listed as known models of its provider, and each listed name resolves to the wildcard."""
    settings = load(entry(name, model), environ=ENVIRON).settings
    names = listed_names(settings)

    assert some in names
    assert len(names) == len(set(names)) <= 2 * MAX_LISTED
    assert all(re.match(first, listed) for listed in names)
    assert all(resolve(settings, listed)[0].label == name for listed in names)


@pytest.mark.parametrize(
    ("name", "model", "params"),
    [
        ("own/*", "hosted_vllm/*", {"api_base": "http://127.0.0.1:9/v1"}),
        ("one/*", "openai/gpt-4o", {}),
        ("*", "*", {"api_base": "http://127.0.0.1:9/v1"}),
    ],
)
def test_wildcard_without_known_models_is_listed_as_it_is(
    name: str, model: str, params: dict[str, str]
) -> None:
    """A wildcard without known models, as for a self-hosted server, is listed as it is."""
    assert listed_names(load(entry(name, model, **params), environ=ENVIRON).settings) == (name,)


@pytest.mark.parametrize("provider", ["openai", "gemini", "azure", "bedrock", "vertex_ai"])
def test_list_has_served_kinds_alone_with_chats_first(provider: str) -> None:
    """The list has chat models first, then embeddings, and no models for images or audio."""
    names = listed_names(settings_of(entry(f"{provider}/*", f"{provider}/*")))

    assert 10 < len(names) <= MAX_LISTED
    assert not [
        name
        for name in names
        if re.search(r"\d-x-\d|commitment|\*|whisper|dall-e|tts-1|ft:|container$", name)
    ]
    embeddings = [at for at, name in enumerate(names) if "embedding" in name]
    assert not embeddings or min(embeddings) > len(names) // 2


@pytest.mark.parametrize(
    ("name", "model", "asked", "near"),
    [
        ("openai/*", "openai/*", "openai/gpt-4oo", "openai/gpt-4o"),
        ("byok/*", "openai/*", "byok/gpt-4oo", "byok/gpt-4o"),
        ("*", "openai/*", "gpt-4oo", "gpt-4o"),
        ("gpt-4*", "openai/gpt-4*", "gpt-4oo", "gpt-4o"),
        ("*", "*", "gemini/gemini-2.5-prro", "gemini/gemini-2.5-pro"),
        ("openai/*", "openai/*", "openai/gpt-4o", None),
        ("openai/*", "openai/*", "openai/zzzzzzzz", None),
        ("own/*", "hosted_vllm/*", "own/llama", None),
        ("gpt-4oo", "openai/gpt-4oo", "gpt-4oo", None),
    ],
)
def test_typo_behind_a_wildcard_has_the_nearest_models_of_its_provider(
    name: str, model: str, asked: str, near: str | None
) -> None:
    """A typo after a wildcard's prefix gets the nearest models of the wildcard's provider, as names to send.

    A name that litellm's table or the file has is no typo.
    """
    settings = load(entry(name, model), environ=ENVIRON).settings
    [deployment] = resolve(settings, asked)
    found = near_models(settings, asked, deployment)

    assert found[:1] == ((near,) if near else ())
    assert all(resolve(settings, each) for each in found)


def test_plain_names_come_in_the_files_order_and_second_names_last() -> None:
    """Models are listed in the file's order, then aliases that are neither hidden nor left out."""
    loaded = load(
        entry("b"),
        entry("a"),
        entry("left-out", api_key="os.environ/ABSENT"),
        entry("b"),
        router_settings={
            "model_group_alias": {
                "x": "a",
                "a": "b",
                "y": {"model": "b", "hidden": True},
                "z": "left-out",
            }
        },
    )

    assert listed_names(loaded.settings) == ("b", "a", "x")


def test_a_key_with_a_list_gets_its_own_names_alone() -> None:
    """Names of the list are listed where they are served, those that only a wildcard serves behind the others."""
    settings = load(
        entry("b"),
        entry("a"),
        entry("openai/*", "openai/*"),
        entry("left-out", api_key="os.environ/ABSENT"),
        environ=ENVIRON,
        router_settings={
            "model_group_alias": {"quick": "a", "hush": "b", "quiet": {"model": "a", "hidden": True}}
        },
    ).settings

    def listed(*models: str) -> tuple[str, ...]:
        return listed_names(settings, AllowedModels.of(models))

    assert listed("a", "openai/no-table-has-this", "nowhere", "left-out") == (
        "a",
        "quick",
        "openai/no-table-has-this",
    )
    assert set(listed("openai/gpt-4o*")) == {
        name for name in listed_names(settings) if name.startswith("openai/gpt-4o")
    }
    assert listed("quiet") == ("quiet",)
    assert listed("*") == listed_names(settings)


def test_a_hint_after_a_provider_s_refusal_names_models_of_the_key() -> None:
    """The names that are near to a model that the provider lacks are those that the key may use."""
    settings = load(entry("openai/*", "openai/*"), environ=ENVIRON).settings
    [deployment] = resolve(settings, "openai/gpt-4o-minni")
    allowed = AllowedModels.of(["openai/gpt-4o-minni", "openai/gpt-4o"])

    assert "openai/gpt-4o-mini" in near_models(settings, "openai/gpt-4o-minni", deployment)
    assert "openai/gpt-4o-mini" not in near_models(settings, "openai/gpt-4o-minni", deployment, allowed)


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("a", None),
        ("openai/*", None),
        ("b", ModelNotFound),
        ("openai/gpt-4o", None),
        ("nowhere", ModelNotFound),
        ("left-out", ModelUnavailable),
    ],
)
def test_a_single_model_is_looked_up_as_it_is_listed(name: str, refusal: type[Exception] | None) -> None:
    """A model that the key may not use is not found. One that was left out is unavailable to a key that may use it."""
    settings = load(
        entry("a"),
        entry("b"),
        entry("openai/*", "openai/*"),
        entry("left-out", api_key="os.environ/ABSENT"),
        environ=ENVIRON,
    ).settings
    allowed = AllowedModels.of(["a", "openai/*", "left-out"])

    if refusal is None:
        require_listed(settings, name, allowed)
        return
    with pytest.raises(refusal) as refused:
        require_listed(settings, name, allowed)
    assert "b," not in str(refused.value)
