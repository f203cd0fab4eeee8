"""Rules between fields, on the parsed file."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.cross_checks import cross_check
from proxy.config.faults import Fault
from tests.proxy.config.samples import entry

WILDCARD = "a wildcard must stand on both sides, with the same text before it, as in gemini/*"


@pytest.mark.parametrize(
    ("name", "model", "good"),
    [
        ("gemini/*", "gemini/*", True),
        ("gemini/gemini-2*", "gemini/gemini-2*", True),
        ("gemini", "gemini/gemini-2.5-pro", True),
        ("gemini/*", "gemini/gemini-2.5-pro", False),
        ("gemini", "gemini/*", False),
        ("gemini/*", "openai/*", False),
        ("gemini/g*", "gemini/*", False),
    ],
)
def test_wildcards_stand_on_both_sides(name: str, model: str, good: bool) -> None:
    """A wildcard needs the same wildcard on the other side."""
    faults = cross_check({"model_list": [entry(name, model)]}, {})

    assert faults == (() if good else (Fault("model_list[0].litellm_params.model", WILDCARD),))


@pytest.mark.parametrize("section", ["fallbacks", "context_window_fallbacks"])
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
    """Both sides of a fallback are served models, and not the same one."""
    raw: dict[object, object] = {
        "model_list": [entry("a"), entry("b"), entry("gemini/*", "gemini/*")],
        "router_settings": {section: chains},
    }

    assert cross_check(raw, {}) == tuple(
        Fault(f"router_settings.{section}{path}", text) for path, text in faults.items()
    )


def test_names_from_the_environment_count() -> None:
    """A name that is given as a variable is known by its value."""
    raw: dict[object, object] = {
        "model_list": [entry("os.environ/NAME")],
        "router_settings": {"fallbacks": [{"n": ["n2"]}]},
    }

    assert cross_check(raw, {"NAME": "n"}) == (
        Fault("router_settings.fallbacks[0].n[0]", "names no model of model_list"),
    )


HERE = "http://127.0.0.1:8000/v1"
VARIABLES = {"T": "direct", "A": "auto", "M": "azure/gpt-4o", "V": "hosted_vllm/llama", "B": HERE}


@pytest.mark.parametrize("transport", ["direct", "os.environ/T"])
@pytest.mark.parametrize(
    ("model", "api_base", "fault"),
    [
        ("gpt-4o", None, None),
        ("openai/gpt-4o", None, None),
        ("openai/*", None, None),
        ("gemini/gemini-2.5-pro", None, None),
        ("openrouter/some/model", None, None),
        ("openrouter/some/model", HERE, None),
        ("hosted_vllm/llama", HERE, None),
        ("os.environ/V", "os.environ/B", None),
        ("hosted_vllm/llama", None, "does not know where"),
        ("os.environ/V", None, "does not know where"),
        *((model, None, "not this provider's") for model in ("anthropic/claude-sonnet-4-5", "anthropic/*")),
        *(
            (model, HERE, "not this provider's")
            for model in (
                "anthropic/claude-sonnet-4-5",
                "azure/gpt-4o",
                "azure/*",
                "azure_ai/x",
                "bedrock/anthropic.claude",
                "cohere/command",
                "ollama/llama",
                "vertex_ai/gemini-2.5-pro",
                "os.environ/M",
            )
        ),
    ],
)
def test_direct_transport_needs_a_known_format_and_address(
    transport: str, model: str, api_base: str | None, fault: str | None
) -> None:
    """A provider with another format, or without an address, is a fault of the file."""
    params = {"model": model, **({"api_base": api_base} if api_base else {})}
    listed = [{"model_name": model, "litellm_params": params, "transport": transport}]
    faults = cross_check({"model_list": listed}, VARIABLES)

    assert [found.path for found in faults] == (["model_list[0].transport"] if fault else [])
    assert all(fault in found.text for found in faults if fault)


@pytest.mark.parametrize("transport", [None, "auto", "litellm", "os.environ/A", "os.environ/UNSET", 7])
def test_other_transports_take_any_provider(transport: Any) -> None:
    """A wrong transport is reported by validation."""
    listed = [{"model_name": "m", "litellm_params": {"model": "azure/x"}, "transport": transport}]

    assert cross_check({"model_list": listed}, VARIABLES) == ()
