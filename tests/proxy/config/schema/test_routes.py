"""Tests of the pool of deployments that a client's model name resolves to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from proxy.config import Settings, model_names, resolve
from proxy.config.schema.general import GeneralSettings
from proxy.core.deployment import Deployment
from tests.proxy.config.samples import entry, load, settings_of

SETTINGS = settings_of(
    entry("fast", "gemini/gemini-2.5-flash", api_key="k0"),
    entry("gpt", "gpt-4o"),
    entry("fast", "groq/llama", api_key="k2"),
    entry("gemini/*", "gemini/*", api_key="k3"),
    entry("gemini/gemini-2*", "gemini/gemini-2*", api_key="k4"),
    entry("gemini/gemini-2.5-pro", "gemini/gemini-2.5-pro", api_key="k5"),
    entry("gemini/*", "gemini/*", api_key="k6"),
)


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("fast", [("fast", "gemini/gemini-2.5-flash", 0), ("fast", "groq/llama", 2)]),
        ("gpt", [("gpt", "gpt-4o", 1)]),
        ("gemini/gemini-2.5-pro", [("gemini/gemini-2.5-pro", "gemini/gemini-2.5-pro", 5)]),
        ("gemini/gemini-2.5-flash", [("gemini/gemini-2*", "gemini/gemini-2.5-flash", 4)]),
        ("gemini/gemini-2", [("gemini/*", "gemini/gemini-2", 3), ("gemini/*", "gemini/gemini-2", 6)]),
        ("gemini/gemma-3", [("gemini/*", "gemini/gemma-3", 3), ("gemini/*", "gemini/gemma-3", 6)]),
        ("gemini/a/b@1:c", [("gemini/*", "gemini/a/b@1:c", 3), ("gemini/*", "gemini/a/b@1:c", 6)]),
        ("other", []),
        ("", []),
        ("gemini/", []),
        ("gemini/*", []),
        ("gemini/../secret", []),
        ("gemini/a..b", []),
        ("gemini//a", []),
        ("gemini/a/", []),
        ("gemini/./a", []),
        ("gemini/.", []),
        ("gemini/a b", []),
        ("gemini/a?key=1", []),
        ("gemini/a#b", []),
        ("gemini/a%2e", []),
        ("gemini/a\n", []),
        ("gemini/\u0430", []),
        ("Gemini/a", []),
        ("gemini/" + "a" * 201, []),
    ],
)
def test_a_name_resolves_to_its_pool(requested: str, expected: list[tuple[str, str, int]]) -> None:
    """An exact name wins, then the longest wildcard; a pool is in the file's order. An illegal name has no pool."""
    assert [(found.name, found.model, found.position) for found in resolve(SETTINGS, requested)] == expected


def test_name_behind_a_wildcard_may_have_200_characters() -> None:
    """The text that a ``*`` stands for may have up to 200 characters."""
    assert len(resolve(SETTINGS, "gemini/" + "a" * 200)) == 2


@pytest.mark.parametrize(
    ("general", "serves"),
    [
        ({}, True),
        ({"master_key": "sk-master-0123456789"}, True),
        ({"keys": [{"name": "a", "key": "sk-a-0123456789abcdef"}]}, True),
        (
            {"master_key": "sk-master-0123456789", "keys": [{"name": "a", "key": "sk-a-0123456789abcdef"}]},
            False,
        ),
        (
            {"keys": [{"name": name, "key": f"sk-{name}-0123456789abcdef"} for name in ("a", "b")]},
            False,
        ),
    ],
)
def test_objects_at_the_provider_are_for_one_key_unless_the_entry_allows_them(
    general: Mapping[str, Any], serves: bool
) -> None:
    """A wildcard's deployments have the same right."""
    allowed = {**entry("b", "openai/gpt-4.1"), "provider_objects": True, "provider_state": True}
    settings = settings_of(entry("a", "openai/gpt-4.1"), allowed, entry("xai/*", "xai/*"))
    settings = settings.model_copy(update={"general_settings": GeneralSettings.model_validate(general)})
    found = [resolve(settings, name)[0] for name in ("a", "b", "xai/grok-4")]

    assert [member.serves_objects for member in found] == [serves, True, serves]
    assert [member.provider_state for member in found] == [False, True, False]


def test_a_deployment_carries_its_entry() -> None:
    """A deployment has every field of its entry, with credentials under litellm's names."""
    params: Mapping[str, Any] = {
        "api_key": "k",
        "api_base": "https://h/v1/",
        "timeout": 9,
        "allowed_openai_params": ["guided_json"],
        "api_version": "2024-06-01",
        "aws_secret_access_key": "s",
        "extra_headers": {"X-Team": "blue"},
    }
    info = {"max_input_tokens": 10, "max_output_tokens": 5}
    settings = settings_of(
        {**entry("a", "azure/my/gpt", **params), "model_info": info, "transport": "litellm"}
    )

    assert resolve(settings, "a") == (
        Deployment(
            name="a",
            model="azure/my/gpt",
            provider="azure",
            model_id="my/gpt",
            api_key=SecretStr("k"),
            api_base="https://h/v1",
            timeout_s=9,
            allowed_openai_params=frozenset({"guided_json"}),
            transport="litellm",
            max_input_tokens=10,
            max_output_tokens=5,
            extra_headers={"X-Team": SecretStr("blue")},
            credentials={"api_version": "2024-06-01", "aws_secret_access_key": SecretStr("s")},
            label="a",
            position=0,
            serves_objects=True,
        ),
    )


def test_a_bare_openai_name_stays_as_it_is() -> None:
    """A bare name such as ``gpt-4o`` stays as it is, and its provider is OpenAI."""
    (deployment,) = resolve(SETTINGS, "gpt")

    assert (deployment.provider, deployment.model, deployment.model_id) == ("openai", "gpt-4o", "gpt-4o")


def test_the_router_s_deadline_is_the_default_timeout() -> None:
    """A deployment without its own timeout gets the router's."""
    assert resolve(settings_of(router_settings={"timeout": 7}), "gemini")[0].timeout_s == 7


def test_names_are_listed_once_in_order() -> None:
    """Each name is listed once, in the file's order, and wildcards are listed as they are."""
    assert model_names(SETTINGS) == ("fast", "gpt", "gemini/*", "gemini/gemini-2*", "gemini/gemini-2.5-pro")


def test_equal_deployments_have_one_hash() -> None:
    """Equal deployments have equal hashes, so that state can be kept for a deployment."""
    assert len({*resolve(SETTINGS, "fast"), *resolve(SETTINGS, "fast")}) == 2


def test_a_wildcard_s_pool_is_made_once() -> None:
    """A wildcard's pool is the same object for each request with one name and configuration."""
    other = settings_of(entry("gemini/*", "gemini/*", api_key="new"))
    pool = resolve(SETTINGS, "gemini/gemini-x")

    assert resolve(SETTINGS, "gemini/gemini-x") is pool
    assert resolve(SETTINGS, "gemini/gemini-y") != pool
    (renewed,) = resolve(other, "gemini/gemini-x")
    assert renewed.api_key == SecretStr("new")
    assert renewed.model == "gemini/gemini-x"


def test_pools_of_wildcard_names_are_bounded() -> None:
    """The pools of a thousand wildcard names are kept, and older pools are dropped."""
    pool = resolve(SETTINGS, "gemini/gemini-x")
    for number in range(1_000):
        resolve(SETTINGS, f"gemini/{number}")

    assert resolve(SETTINGS, "gemini/gemini-x") == pool
    assert resolve(SETTINGS, "gemini/gemini-x") is not pool


@given(requested=st.text() | st.from_regex(r"gemini/.{0,220}", fullmatch=True))
def test_labels_come_from_the_file(requested: str) -> None:
    """For any requested name, a deployment's label is a name of the file."""
    for deployment in resolve(SETTINGS, requested):
        assert deployment.label in model_names(SETTINGS)
        assert deployment.model.isprintable()
        assert ".." not in deployment.model


def test_a_lower_order_goes_first() -> None:
    """A pool begins with the lowest order; deployments without an order are last, in the file's order."""
    settings = settings_of(
        entry("a"), entry("a", order=2), entry("a"), entry("a", order=1, weight=3), entry("a", order=2)
    )
    pool = resolve(settings, "a")

    assert [member.position for member in pool] == [3, 1, 4, 0, 2]
    assert [(member.order, member.weight) for member in pool[:2]] == [(1, 3.0), (2, 0.0)]


ENVIRON = {
    "OPENAI_API_KEY": "openai-key",
    "GEMINI_API_KEY": "gemini-key",
    "ANTHROPIC_API_KEY": "anthropic-key",
    "AZURE_API_KEY": "azure-key",
}
KEYS = {"openai": "openai-key", "gemini": "gemini-key", "anthropic": "anthropic-key"}
ANY = load(entry("*", "*"), environ=ENVIRON).settings
PREFIXED = load(entry("any/*", "*"), environ=ENVIRON).settings
ODD_NAMES = [
    "azure/gpt-4o",
    "evil/gpt-4o",
    "openai/../anthropic/x",
    "openai/https:/evil.test/v1",
    "huggingface/https:/evil.test",
    "https://evil.test/v1",
    "https:/evil.test",
    "//evil.test",
    "openai/",
    "/gpt-4o",
    "openai/gpt-4o?x=1",
    "openai@evil.test/gpt",
    "OpenAI/gpt-4o",
    "gpt-4o",
    "openai",
    "openai/anthropic/claude",
    "hosted_vllm/x",
    "openai/a:b@c",
]


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize(("settings", "prefix"), [(ANY, ""), (PREFIXED, "any/")])
def test_key_of_the_environment_goes_to_its_own_provider_alone(
    settings: Settings, prefix: str, name: str
) -> None:
    """For any name, a key of the environment goes only to its own provider's usual address."""
    for found in resolve(settings, prefix + name):
        key = found.api_key.get_secret_value() if found.api_key else None
        assert key == KEYS.get(found.provider)
        assert found.api_base is None
        assert "//" not in found.model


@given(name=st.text() | st.from_regex(r"[a-z]{0,9}/[A-Za-z0-9._:/@-]{0,40}", fullmatch=True))
def test_no_name_moves_a_key_of_the_environment(name: str) -> None:
    """For any text as a name, a key of the environment goes only to its own provider's usual address."""
    for found in resolve(ANY, name):
        assert (found.api_key.get_secret_value() if found.api_key else None) == KEYS.get(found.provider)
        assert found.api_base is None


@pytest.mark.parametrize(
    ("name", "provider", "model_id"),
    [
        ("any/gemini/gemini-2.5-pro", "gemini", "gemini-2.5-pro"),
        ("any/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"),
        ("any/gpt-4o", "openai", "gpt-4o"),
        ("any/no-such-provider/x", None, None),
    ],
)
def test_provider_is_read_behind_the_prefix_of_a_wildcard(
    name: str, provider: str | None, model_id: str | None
) -> None:
    """The provider is read from the text after the prefix of a wildcard's name."""
    found = resolve(PREFIXED, name)

    assert [(each.provider, each.model_id) for each in found] == ([(provider, model_id)] if provider else [])


@pytest.mark.parametrize("rest", ["https:/evil.test", "https:", "a/https:/b", "http:/evil.test/x"])
@pytest.mark.parametrize("provider", ["gemini", "huggingface"])
def test_address_is_no_model_s_name(provider: str, rest: str) -> None:
    """A URL as a model name resolves to nothing, since litellm would use it as an address for some providers."""
    assert resolve(settings_of(entry("w/*", f"{provider}/*", api_key="k")), f"w/{rest}") == ()


def test_entry_without_a_key_gets_none_from_the_environment() -> None:
    """Only an entry with the model ``*`` takes keys from the environment.

    A self-hosted server must not get OpenAI's key.
    """
    settings = load(
        entry("*", "*"),
        entry("own/*", "openai/*", api_base="http://127.0.0.1:9/v1"),
        entry("openai/*", "openai/*"),
        environ=ENVIRON,
    ).settings

    assert [resolve(settings, name)[0].api_key for name in ("own/x", "openai/x")] == [None, None]


@pytest.mark.parametrize(
    ("model", "reads"),
    [
        *(("*", True), ("xai/*", True), ("perplexity/*", True), ("groq/*", False)),
        *(("xai/grok-4", True), ("openai/gpt-4.1", True), ("groq/llama", False)),
    ],
)
def test_table_that_decides_about_models_is_read_with_the_file(
    model: str, reads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request would otherwise read it on the event loop."""
    read: list[str] = []
    monkeypatch.setattr("proxy.config.schema.routes.is_provider", read.append)

    assert settings_of({"model_name": model, "litellm_params": {"model": model}}).routes.names == (model,)
    assert bool(read) is reads
