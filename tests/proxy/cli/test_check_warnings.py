"""Likely mistakes: each is told where it is made, and a file without them is left in peace."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.check_warnings import find_warnings
from tests.proxy.config.samples import entry, settings_of


def doubts(*entries: dict[str, Any], **sections: Any) -> list[str]:
    """Return the doubts about a file."""
    return list(find_warnings(settings_of(*entries, **sections)))


def keyed(name: str, model: str = "gemini/gemini-2.5-flash", **params: Any) -> dict[str, Any]:
    """Return an entry with a key."""
    return entry(name, model, api_key="k", **params)


SMALL = keyed("small", "openai/gpt-4o")  # 128,000
LARGE = keyed("large", "openai/gpt-4.1")  # 1,047,576


def test_a_good_file_is_left_in_peace() -> None:
    """Pools of one model, chains that are written out, a larger model for what is too long."""
    router = {"fallbacks": [{"small": ["large"]}], "context_window_fallbacks": [{"small": ["large"]}]}

    assert doubts(SMALL, SMALL, LARGE, keyed("gemini/*", "gemini/*"), router_settings=router) == []


@pytest.mark.parametrize(
    ("params", "told"),
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
    ],
)
def test_a_key_that_is_missing(params: dict[str, Any], told: bool) -> None:
    """Hosted providers ask for one; servers of one's own, and those with credentials of their own, may not."""
    name = params["model"] if "*" in params["model"] else "x"
    found = doubts({"model_name": name, "litellm_params": params}, budget={"preset": "off"})

    assert [each.startswith("model_list[0].litellm_params.api_key: is not set") for each in found] == [
        True
    ] * told


def test_port_that_is_open_without_a_key_is_a_warning() -> None:
    """A port that is open to all is the operator's word, and worth a word back; with a key it is not open."""
    general = {"allow_unauthenticated_access": True}
    [found] = doubts(LARGE, general_settings=general)

    assert found.startswith("general_settings.allow_unauthenticated_access: whoever reaches the port")
    assert doubts(LARGE, general_settings=general | {"master_key": "k"}) == []


def test_windows_that_differ() -> None:
    """How much is sent then depends on chance; nearly the same is the same."""
    pool = [keyed("pool", "openai/gpt-4.1"), keyed("pool", "openai/gpt-4o")]
    near = [keyed("pool", "openai/gpt-4.1"), keyed("pool", "gemini/gemini-2.5-flash")]
    [found] = doubts(*pool)

    assert "the deployments of pool have different windows (1,047,576, 128,000)" in found
    assert doubts(*near) == []
    assert doubts(*pool, sanitize={"mode": "off"}) == doubts(*pool, budget={"preset": "off"}) == []


def test_a_window_that_is_not_known() -> None:
    """Unless one is given or assumed, or nothing is cut in any case."""
    unknown = keyed("x", "openai/my-own", api_base="http://llm/v1")
    [found] = doubts(SMALL, unknown)

    assert found.startswith(
        "model_list[1].model_info.max_input_tokens: the window of openai/my-own is not known"
    )
    assert doubts(unknown | {"model_info": {"max_input_tokens": 9_000}}) == []
    assert doubts(unknown, budget={"preset": "lango"}) == []
    assert doubts(unknown, budget={"unknown_window": 32_768}) == []
    assert doubts(unknown, budget={"preset": "off"}) == []


@pytest.mark.parametrize("key", ["fallbacks", "context_window_fallbacks"])
def test_chains_that_are_not_followed(key: str) -> None:
    """A fallback's own fallbacks are not asked, and two that name each other are told of once."""
    entries = [keyed(name) for name in "abc"]
    followed = doubts(*entries, router_settings={key: [{"a": ["b"]}, {"b": ["c"]}]})
    circle = doubts(*entries, router_settings={key: [{"a": ["b"]}, {"b": ["a"]}]})
    written_out = doubts(*entries, router_settings={key: [{"a": ["b", "c"]}, {"b": ["c"]}]})

    place = f"router_settings.{key}: "
    assert f"{place}a falls back to b and not on to c" in "".join(followed)
    assert [each for each in circle if "each other" in each] == [
        f"{place}a and b fall back to each other; each is tried once"
    ]
    assert not any("not on to" in each or "each other" in each for each in written_out)


def test_a_fallback_that_takes_no_more() -> None:
    """What does not fit the one fits the other no better."""
    chains = [{"large": ["small"]}]
    [found] = doubts(SMALL, LARGE, router_settings={"context_window_fallbacks": chains})

    assert found.endswith("small has no larger window than large (128,000 tokens, 1,047,576)")
    assert doubts(SMALL, LARGE, router_settings={"fallbacks": chains}) == []


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
    """It switches something off; where the guard is off it switches nothing off."""
    [found] = doubts(LARGE, **{section: {key: 0}})

    assert found.startswith(f"{section}.{key}: 0 ")
    if section == "turns":
        assert doubts(LARGE, turns={key: 0, "mode": "off"}) == []


@pytest.mark.parametrize(
    ("general", "transport", "memory_mib", "told"),
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
def test_bodies_that_memory_does_not_hold(
    general: dict[str, Any], transport: str, memory_mib: int | None, told: list[str]
) -> None:
    """A body may take 8 times its bytes, 14 through litellm; requests have a quarter of the memory, or what is set."""
    settings = settings_of(LARGE | {"transport": transport}, general_settings=general)
    limit = None if memory_mib is None else memory_mib * 2**20

    found = find_warnings(settings, limit)

    assert [line.split(":")[0] for line in found] == [f"general_settings.{name}" for name in told]


def test_the_doubt_names_a_limit_that_fits() -> None:
    """And both figures that do not."""
    [found] = find_warnings(settings_of(LARGE), 512 * 2**20)
    assert "32 MiB may take 256 MiB" in found
    assert "have 128 (max_in_flight_mib): at most 16 is safe" in found
