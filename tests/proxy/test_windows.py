"""The window table, read as data."""

from __future__ import annotations

import subprocess
import sys

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


def test_the_operator_goes_first() -> None:
    """A `model_info` overrides the table."""
    entry = {"model": "openai/gpt-4o", "api_key": "x"}
    settings = settings_of({"m": entry})
    (known,) = resolve(settings, "m")

    assert window_of(known) == Window(128_000, 16_384)


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
