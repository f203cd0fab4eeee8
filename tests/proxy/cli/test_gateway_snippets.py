"""Tests that turnright loads the configuration lines that ``turnright conform`` prints."""

from __future__ import annotations

import pytest
import yaml

from proxy.cli.gateway_snippets import PROVIDER_MODEL, model_list_snippet
from proxy.config import load_settings

API_BASE = "http://127.0.0.1:9090/v1beta"


@pytest.mark.parametrize("name", ["gemini", "it's", "a: b", "#x", "null", "gemini/*"])
def test_turnright_loads_the_lines_without_a_warning(name: str) -> None:
    """The lines load without a warning for any model name, and their model and address are the emulator's."""
    loaded = load_settings(model_list_snippet(name, API_BASE).encode(), {})

    [entry] = yaml.safe_load(model_list_snippet(name, API_BASE))["model_list"]
    assert loaded.warnings == ()
    assert entry["model_name"] == name
    assert entry["litellm_params"]["model"] == f"gemini/{PROVIDER_MODEL}"
    assert entry["litellm_params"]["api_base"] == API_BASE
