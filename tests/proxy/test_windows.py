"""The window table, read as data."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from proxy.config import Deployment, resolve
from proxy.windows import Window, window_of
from tests.support.proxied import settings_of


def deployment(model: str) -> Deployment:
    """Return the deployment of a model."""
    (found,) = resolve(settings_of({"m": model}), "m")
    return found


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gemini/gemini-2.5-flash", 1_048_576),
        ("openai/gpt-4o", 128_000),
        ("anthropic/claude-sonnet-4-5", 200_000),
        ("openai/nobody-knows-it", None),
    ],
)
def test_window_of_a_known_model(model: str, window: int | None) -> None:
    """The table answers under the model's own name as well; what it does not know stays unknown."""
    assert window == window_of(deployment(model)).max_input_tokens


def with_info(model: str, **info: int) -> Deployment:
    """Return the deployment of a model whose entry has this `model_info`."""
    entry: dict[str, Any] = {"model_name": "m", "litellm_params": {"model": model}, "model_info": info}
    (found,) = resolve(settings_of(model_list=[entry]), "m")
    return found


def test_the_operator_goes_first() -> None:
    """A `model_info` overrides the table, value by value, and says so."""
    assert window_of(with_info("openai/gpt-4o")) == Window(128_000, 16_384, True, "catalogue")
    assert window_of(with_info("openai/gpt-4o", max_input_tokens=9_000)) == Window(
        9_000, 16_384, True, "configured"
    )
    assert window_of(with_info("openai/gpt-4o", max_output_tokens=500)) == Window(
        128_000, 500, True, "catalogue"
    )
    assert window_of(with_info("openai/nobody-knows-it", max_input_tokens=9_000)) == Window(
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
def test_a_family_fills_the_holes(model: str, window: Window) -> None:
    """What the table does not list has the window of its family, by the beginning of the model's own name."""
    assert window_of(deployment(model)) == window


def test_a_row_with_nothing_known_is_a_hole() -> None:
    """The table lists this model without a window; the family's stands in."""
    found = window_of(deployment("gemini/gemini-3-pro-preview"))

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
def test_whether_the_answer_counts_against_the_window(model: str, shared: bool) -> None:
    """Gemini and GPT-5 limit input and output apart, whoever says how large the window is."""
    assert window_of(deployment(model)).shared is shared
    assert window_of(with_info(model, max_input_tokens=10_000)).shared is shared


def test_reading_it_imports_no_litellm() -> None:
    """The table is a file; the package stays where it is."""
    code = (
        "import sys; from tests.proxy.test_windows import deployment; from proxy.windows import window_of; "
        "window_of(deployment('openai/gpt-4o')); print('litellm' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    assert "False" == done.stdout.strip()
