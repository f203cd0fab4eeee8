"""Tests of the table of context windows by model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proxy.planning.windows import Window, window_of
from tests.proxy.planning.budgets.shapes import deployment_of


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gemini/gemini-2.5-flash", 1_048_576),
        ("openai/gpt-4o", 128_000),
        ("anthropic/claude-sonnet-4-5", 200_000),
        ("openai/nobody-knows-it", None),
    ],
)
def test_known_model_has_its_window_of_the_table(model: str, window: int | None) -> None:
    """A listed model has the window of the table. A model that is not listed has none."""
    assert window == window_of(deployment_of(model)).max_input_tokens


def test_operator_s_values_override_the_table() -> None:
    """A `model_info` overrides the table value by value. An input window from it is marked as configured."""
    assert window_of(deployment_of("openai/gpt-4o")) == Window(128_000, 16_384, True, "catalogue")
    assert window_of(deployment_of("openai/gpt-4o", max_input_tokens=9_000)) == Window(
        9_000, 16_384, True, "configured"
    )
    assert window_of(deployment_of("openai/gpt-4o", max_output_tokens=500)) == Window(
        128_000, 500, True, "catalogue"
    )
    assert window_of(deployment_of("openai/nobody-knows-it", max_input_tokens=9_000)) == Window(
        9_000, None, True, "configured"
    )


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gemini/gemini-99-imaginary", Window(1_048_576, None, False, "family")),
        ("vertex_ai/gemini-99-imaginary", Window(1_048_576, None, False, "family")),
        ("anthropic/claude-imaginary-99", Window(200_000, None, True, "family")),
        ("openrouter/anthropic/claude-imaginary-99", Window(200_000, None, True, "family")),
        ("openai/gpt-5.99-imaginary", Window(272_000, None, False, "family")),
        ("openai/nobody-knows-it", Window(None, None, True, "unknown")),
        ("openai/my-gemini", Window(None, None, True, "unknown")),
    ],
)
def test_a_family_fills_missing_rows(model: str, window: Window) -> None:
    """A model without a row has the window of its family, by the beginning of its own name."""
    assert window_of(deployment_of(model)) == window


@pytest.mark.parametrize(
    "model",
    [
        "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/invoke/anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/us-west-2/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/nowhere.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "openrouter/anthropic/claude-sonnet-4.5",
    ],
)
def test_every_spelling_of_a_route_finds_the_model(model: str) -> None:
    """A route may put an API, a region, a profile or a vendor before the name, or dots into the number."""
    assert window_of(deployment_of(model)) == Window(200_000, 64_000, True, "catalogue")


@pytest.mark.parametrize(
    ("model", "listed_as"),
    [
        ("openrouter/openai/gpt-4o", "openai/gpt-4o"),
        ("openrouter/openai/o3", "openai/o3"),
        ("openrouter/google/gemini-2.5-pro", "vertex_ai/gemini-2.5-pro"),
        ("gemini/models/gemini-2.5-flash", "gemini/gemini-2.5-flash"),
        ("openai/responses/gpt-5", "openai/gpt-5"),
        ("openai/ft:gpt-4o-mini:org::id", "openai/gpt-4o-mini"),
        ("openai/ft:gpt-4o-2024-08-06:org:name:id", "openai/gpt-4o-2024-08-06"),
        ("azure/gpt5_series/gpt-5", "azure/gpt-5"),
    ],
)
def test_the_inner_name_is_used_where_the_outer_is_not_listed(model: str, listed_as: str) -> None:
    """A fine-tuned model, or a model behind another route, has the window of its vendor's model."""
    found = window_of(deployment_of(model))
    assert found.source == "catalogue"
    assert found == window_of(deployment_of(listed_as))


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("openai/gpt-5.1-codex", 272_000),
        ("openai/gpt-5-pro", 272_000),
        ("openai/gpt-5.5", 922_000),
        ("azure/gpt-5.5-pro", 922_000),
        ("bedrock_mantle/openai.gpt-5.4", 922_000),
        ("openai/gpt-5", 272_000),
    ],
)
def test_gpt_5_has_its_input_limit_without_the_answer(model: str, window: int) -> None:
    """The answer's tokens are subtracted from a window that includes the answer in the table."""
    assert window_of(deployment_of(model)) == Window(
        window, window_of(deployment_of(model)).max_output_tokens, False, "catalogue"
    )


@pytest.mark.parametrize(
    "model",
    [
        "ollama/gemini-clone:7b",
        "ollama/claude-distill",
        "ollama/gpt-4o",
        "hosted_vllm/gpt-5-nano-merge",
        "hosted_vllm/openai/gpt-5-nano-merge",
        "huggingface/google/gemini-lora",
        "lm_studio/claude-opus-distill",
        "github_copilot/gpt-5-nobody-knows",
        "openrouter/somebody/claude-merge",
        "together_ai/somebody/gpt-4o",
        "openai/claude-merge",
    ],
)
def test_a_name_that_only_resembles_a_family_is_unknown(model: str) -> None:
    """The window is unknown on a route without that family, and on servers with windows of their own."""
    assert window_of(deployment_of(model)) == Window(None, None, True, "unknown")


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("anthropic/claude-2", 100_000),
        ("anthropic/claude-2.1", 200_000),
        ("bedrock/invoke/anthropic.claude-v2", 100_000),
        ("bedrock/eu.anthropic.claude-opus-99-v1:0", 200_000),
        ("gemini/gemini-1.0-pro", 30_720),
        ("openai/o1-mini", 128_000),
        ("openai/gpt-5.99-chat", 128_000),
        ("azure/GPT-4o", 128_000),
    ],
)
def test_differing_members_of_a_family_have_their_own_window(model: str, window: int) -> None:
    """Older and smaller members of a family, and other spellings, have their own window."""
    found = window_of(deployment_of(model))
    assert (found.max_input_tokens, found.source) == (window, "family")


def test_a_row_without_values_is_filled_by_the_family() -> None:
    """The table may list this model without a window, which then comes from the model's family."""
    found = window_of(deployment_of("gemini/gemini-3-pro-preview"))

    assert (found.max_input_tokens, found.shared) == (1_048_576, False)
    assert found.source in ("catalogue", "family")


@pytest.mark.parametrize(
    ("model", "shared"),
    [
        ("gemini/gemini-2.5-flash", False),
        ("openai/gpt-5", False),
        ("openai/gpt-4o", True),
        ("anthropic/claude-sonnet-4-5", True),
        ("openai/nobody-knows-it", True),
    ],
)
def test_the_answer_counts_against_a_shared_window(model: str, shared: bool) -> None:
    """Gemini and GPT-5 limit input and output separately, for any source of the window."""
    assert window_of(deployment_of(model)).shared is shared
    assert window_of(deployment_of(model, max_input_tokens=10_000)).shared is shared


def test_reading_the_table_imports_no_litellm(fresh_python: Callable[[str], str]) -> None:
    """The table is read as a file, and the package is not imported."""
    code = (
        "import sys; from proxy.config import load_settings, resolve; "
        "from proxy.planning.windows import window_of; "
        "text = b'model_list: [{model_name: m, litellm_params: {model: gpt-4o}}]'; "
        "window = window_of(resolve(load_settings(text, {}).settings, 'm')[0]); "
        "print(window.max_input_tokens, 'litellm' in sys.modules)"
    )

    assert fresh_python(code).split() == ["128000", "False"]
