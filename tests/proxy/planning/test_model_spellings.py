"""Tests of the names under which a table may list a deployment's model."""

from __future__ import annotations

import pytest

from proxy.planning.model_spellings import own_name, spellings_of, vendors_of
from tests.proxy.planning.budgets.shapes import deployment_of


@pytest.mark.parametrize(
    ("model", "spelling"),
    [
        ("gemini/gemini-2.5-pro", "gemini-2.5-pro"),
        ("openrouter/openai/gpt-4o", "gpt-4o"),
        ("openrouter/anthropic/claude-opus-4.8", "claude-opus-4-8"),
        ("bedrock/converse/us.anthropic.claude-x-v1:0", "anthropic.claude-x-v1:0"),
        ("openai/ft:gpt-4o-mini:org::id", "ft:gpt-4o-mini"),
        ("openai/ft:gpt-4o-mini:org::id", "gpt-4o-mini"),
    ],
)
def test_vendors_regions_and_organisations_may_be_left_out(model: str, spelling: str) -> None:
    """Of all spellings, the full name comes first, since it is the most specific."""
    spellings = list(spellings_of(deployment_of(model)))

    assert spellings[0] == model
    assert spelling in spellings


@pytest.mark.parametrize("model", ["ollama/gpt-4o", "hosted_vllm/gemini-2.5-pro", "github_copilot/gpt-4o"])
def test_a_server_with_its_own_windows_is_only_found_by_its_full_name(model: str) -> None:
    """A server with its own windows may serve any weights under a known name."""
    assert list(spellings_of(deployment_of(model))) == [model]
    assert vendors_of(deployment_of(model)) == ()


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gemini/gemini-2.5-pro", "gemini-2.5-pro"),
        ("openai/gpt-4.1", "gpt-4.1"),
        ("bedrock/us.anthropic.claude-x-v1:0", "claude-x-v1:0"),
        ("openai/ft:GPT-4o-mini:org::id", "gpt-4o-mini"),
        ("openrouter/openai/gpt-4o", "gpt-4o"),
    ],
)
def test_the_own_name_is_bare(model: str, name: str) -> None:
    """A version number with a dot is part of the own name. A region or vendor before a dot is not."""
    assert own_name(deployment_of(model)) == name


def test_a_vendor_in_the_path_may_host_the_model() -> None:
    """The route and the last vendor of the path are returned."""
    assert vendors_of(deployment_of("openrouter/openai/gpt-4o")) == ("openrouter", "openai")
    assert vendors_of(deployment_of("gemini/gemini-2.5-pro")) == ("gemini",)
