"""Tests of warnings about probable mistakes, each with its path in the file."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.check_warnings import find_warnings
from proxy.config.sdk_credentials import Surroundings
from tests.proxy.config.samples import entry, load, settings_of


def warnings_of(*entries: dict[str, Any], **sections: Any) -> list[str]:
    """Return the warnings about a file."""
    return list(find_warnings(settings_of(*entries, **sections)))


def keyed(name: str, model: str = "gemini/gemini-2.5-flash", **params: Any) -> dict[str, Any]:
    """Return an entry with a key."""
    return entry(name, model, api_key="k", **params)


SMALL = keyed("small", "openai/gpt-4o")  # 128,000
LARGE = keyed("large", "openai/gpt-4.1")  # 1,047,576


def test_good_file_has_no_warning() -> None:
    """A good file has no warning: its pools have equal windows, and long requests fall back to a larger model."""
    router = {"fallbacks": [{"small": ["large"]}], "context_window_fallbacks": [{"small": ["large"]}]}

    assert warnings_of(SMALL, SMALL, LARGE, keyed("gemini/*", "gemini/*"), router_settings=router) == []


NO_KEY_AT_ALL = (
    "model_list[0].litellm_params.api_key: is not set, and the environment has no key of a provider that a client "
    "may name"
)


@pytest.mark.parametrize(
    ("params", "warned"),
    [
        ({"model": "openai/gpt-4.1"}, True),
        ({"model": "gpt-4.1"}, True),
        ({"model": "anthropic/claude-sonnet-4-5"}, True),
        ({"model": "openai/*"}, True),
        ({"model": "openai/gpt-4.1", "api_key": "k"}, False),
        ({"model": "openai/gpt-4.1", "api_base": "http://llm/v1"}, False),
        ({"model": "openai/gpt-4.1", "extra_headers": {"authorization": "k"}}, False),
        ({"model": "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0"}, False),
        ({"model": "hosted_vllm/x", "api_base": "http://llm/v1"}, False),
        ({"model": "nvidia_nim/x"}, True),
        ({"model": "scaleway/x"}, True),
        ({"model": "together_ai/x", "api_base": "http://gateway/v1"}, False),
        ({"model": "ollama_chat/x"}, False),
    ],
)
def test_missing_key_of_a_hosted_provider_is_a_warning(params: dict[str, Any], warned: bool) -> None:
    """A missing key is a warning for a hosted provider, but not for own servers or other credentials."""
    name = params["model"] if "*" in params["model"] else "x"
    found = warnings_of({"model_name": name, "litellm_params": params}, budget={"preset": "off"})

    assert [each.startswith("model_list[0].litellm_params.api_key: is not set") for each in found] == [
        True
    ] * warned


@pytest.mark.parametrize(
    ("params", "environ", "warned"),
    [
        ({}, {"OPENAI_API_KEY": "k"}, []),
        ({}, {"GROQ_API_KEY": "k"}, []),
        ({}, {}, [NO_KEY_AT_ALL]),
        ({}, {"OPENAI_API_KEY": ""}, [NO_KEY_AT_ALL]),
        ({"api_base": "http://llm/v1"}, {}, []),
    ],
)
def test_entry_for_any_provider_needs_one_key_in_the_environment(
    params: dict[str, Any], environ: dict[str, str], warned: list[str]
) -> None:
    """An entry for any provider needs a key of at least one provider in the environment."""
    given = load(entry("*", "*", **params), environ=environ, budget={"preset": "off"})

    assert list(find_warnings(given.settings)) == warned


@pytest.mark.parametrize(
    ("key", "source", "targets"),
    [
        ("fallbacks", "small", ["second"]),
        ("fallbacks", "second", ["small"]),
        ("context_window_fallbacks", "small", ["second", "large"]),
    ],
)
def test_fallback_to_another_name_of_the_model_is_a_warning(
    key: str, source: str, targets: list[str]
) -> None:
    """A fallback to an alias of the same model is a warning, since the alias has the same deployments."""
    router = {key: [{source: targets}], "model_group_alias": {"second": "small"}}
    found = warnings_of(SMALL, LARGE, router_settings=router)

    assert [each for each in found if "another name" in each] == [
        f"router_settings.{key}: {source} falls back to {targets[0]}, which is another name of the same model and is "
        "not asked"
    ]


def test_variable_of_an_empty_key_is_named() -> None:
    """The warning about a missing key names the variable that is empty."""
    given = entry("x", "openai/gpt-4.1", api_key="os.environ/OPENAI_API_KEY")
    [found] = find_warnings(load(given, environ={"OPENAI_API_KEY": ""}).settings)

    assert found == (
        "model_list[0].litellm_params.api_key: is not set (OPENAI_API_KEY is empty), and openai requires one"
    )


def test_provider_whose_sdk_finds_no_credentials_is_a_warning() -> None:
    """A provider whose SDK finds no credentials is a warning, if the surroundings are known.

    A provider with a key has no such warning.
    """
    settings = settings_of(keyed("x"), entry("claude", "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0"))
    nothing = Surroundings({}, "/home/x", is_file=lambda _: False, has_module=lambda _: False)
    [found] = find_warnings(settings, around=nothing)

    assert found.startswith("model_list[1].litellm_params: bedrock: no AWS credentials are found")
    assert find_warnings(settings) == ()


def test_port_that_is_open_without_a_key_is_a_warning() -> None:
    """A port that anyone may use without a key is a warning, even though the operator has allowed it.

    With a key there is no warning.
    """
    general = {"allow_unauthenticated_access": True}
    [found] = warnings_of(LARGE, general_settings=general)

    assert found.startswith("general_settings.allow_unauthenticated_access: whoever reaches the port")
    assert warnings_of(LARGE, general_settings=general | {"master_key": "k"}) == []


def test_different_windows_in_a_pool_are_a_warning() -> None:
    """Different context windows in a pool of deployments are a warning, unless histories are never cut.

    Nearly equal windows count as equal.
    """
    pool = [keyed("pool", "openai/gpt-4.1"), keyed("pool", "openai/gpt-4o")]
    near = [keyed("pool", "openai/gpt-4.1"), keyed("pool", "gemini/gemini-2.5-flash")]
    [found] = warnings_of(*pool)

    assert "the deployments of pool have different windows (1,047,576, 128,000)" in found
    assert warnings_of(*near) == []
    assert warnings_of(*pool, sanitize={"mode": "off"}) == warnings_of(*pool, budget={"preset": "off"}) == []


def test_unknown_window_is_a_warning() -> None:
    """An unknown context window is a warning, unless a window is given or assumed, or histories are never cut."""
    unknown = keyed("x", "openai/my-own", api_base="http://llm/v1")
    [found] = warnings_of(SMALL, unknown)

    assert found.startswith(
        "model_list[1].model_info.max_input_tokens: the window of openai/my-own is not known"
    )
    assert warnings_of(unknown | {"model_info": {"max_input_tokens": 9_000}}) == []
    assert warnings_of(unknown, budget={"preset": "lango"}) == []
    assert warnings_of(unknown, budget={"unknown_window": 32_768}) == []
    assert warnings_of(unknown, budget={"preset": "off"}) == []


@pytest.mark.parametrize("key", ["fallbacks", "context_window_fallbacks", "content_policy_fallbacks"])
def test_chain_that_is_not_followed_is_a_warning(key: str) -> None:
    """A warning says that the fallbacks of a fallback are not followed.

    Two models that name each other give one warning.
    """
    entries = [keyed(name) for name in "abc"]
    followed = warnings_of(*entries, router_settings={key: [{"a": ["b"]}, {"b": ["c"]}]})
    circle = warnings_of(*entries, router_settings={key: [{"a": ["b"]}, {"b": ["a"]}]})
    written_out = warnings_of(*entries, router_settings={key: [{"a": ["b", "c"]}, {"b": ["c"]}]})

    place = f"router_settings.{key}: "
    assert f"{place}a falls back to b and not on to c" in "".join(followed)
    assert [each for each in circle if "each other" in each] == [
        f"{place}a and b fall back to each other; each is tried once"
    ]
    assert not any("not on to" in each or "each other" in each for each in written_out)


def test_fallback_without_a_larger_window_is_a_warning() -> None:
    """A context-window fallback without a larger window is a warning."""
    chains = [{"large": ["small"]}]
    [found] = warnings_of(SMALL, LARGE, router_settings={"context_window_fallbacks": chains})

    assert found.endswith("small has no larger window than large (128,000 tokens, 1,047,576)")
    assert warnings_of(SMALL, LARGE, router_settings={"fallbacks": chains}) == []


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ("turns", "max_rounds"),
        ("turns", "max_rounds_multi_agent"),
        ("turns", "max_delegation_rounds"),
        ("turns", "max_calls_per_turn"),
        ("turns", "max_repeats"),
        ("general_settings", "drain_grace"),
    ],
)
def test_zero_that_switches_something_off_is_a_warning(section: str, key: str) -> None:
    """A zero that switches something off is a warning, unless the turn guard is off."""
    [found] = warnings_of(LARGE, **{section: {key: 0}})

    assert found.startswith(f"{section}.{key}: 0 ")
    if section == "turns":
        assert warnings_of(LARGE, turns={key: 0, "mode": "off"}) == []


@pytest.mark.parametrize(
    ("general", "transport", "memory_mib", "warned"),
    [
        ({}, "direct", 1024, []),
        ({}, "direct", 1023, ["max_body_mib"]),
        ({}, "litellm", 1024, ["max_body_mib"]),
        ({}, "litellm", 1792, []),
        ({"max_body_mib": 16}, "direct", 512, []),
        ({"max_in_flight_mib": 256}, "direct", 512, []),
        ({"max_in_flight_mib": 255}, "direct", 512, ["max_body_mib"]),
        ({"max_in_flight_mib": 1024}, "direct", 512, ["max_in_flight_mib"]),
        ({}, "direct", None, []),
    ],
)
def test_bodies_that_memory_cannot_hold_are_a_warning(
    general: dict[str, Any], transport: str, memory_mib: int | None, warned: list[str]
) -> None:
    """Bodies that memory cannot hold are a warning: a body takes 8 times its bytes, or 14 times with litellm.

    All requests together may take a quarter of the memory, or the number that is set in ``max_in_flight_mib``.
    """
    settings = settings_of(LARGE | {"transport": transport}, general_settings=general)
    limit = None if memory_mib is None else memory_mib * 2**20

    found = find_warnings(settings, limit)

    assert [line.split(":")[0] for line in found] == [f"general_settings.{name}" for name in warned]


def test_warning_about_memory_names_a_safe_limit() -> None:
    """The warning about memory names the two numbers that do not fit and a safe limit."""
    [found] = find_warnings(settings_of(LARGE), 512 * 2**20)
    assert "32 MiB may take 256 MiB" in found
    assert "have 128 (max_in_flight_mib): at most 16 is safe" in found


@pytest.mark.parametrize(
    ("first", "second", "warned"),
    [
        ({"weight": 1}, {}, True),
        ({"weight": 1}, {"weight": 0}, False),
        ({"weight": 1}, {"weight": 2}, False),
        ({}, {}, False),
        ({"weight": 1, "order": 1}, {"order": 2}, False),
    ],
)
def test_deployment_without_a_weight_beside_others_is_a_warning(
    first: dict[str, Any], second: dict[str, Any], warned: bool
) -> None:
    """A deployment without a weight beside one with a weight is a warning, as it gets no requests.

    A weight of 0 shows intent.
    """
    found = warnings_of(keyed("a", **first), keyed("a", **second))

    assert [each.startswith("model_list[1].litellm_params.weight: is not set") for each in found] == [
        True
    ] * warned
