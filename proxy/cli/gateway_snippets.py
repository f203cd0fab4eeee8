"""Writes the lines of configuration that make the Gemini emulator a gateway's provider."""

from __future__ import annotations

PROVIDER_MODEL = "gemini-3.6-flash"
"""The Gemini model that the lines name. No other Gemini model has stricter rules in the emulator."""

KEY = "emulated"
"""The provider's API key in the lines. The emulator accepts any key."""


def model_list_snippet(name: str, api_base: str) -> str:
    """Return a ``model_list`` for turnright and for the LiteLLM proxy, which read the same shape."""
    return "\n".join(
        (
            "model_list:",
            f"  - model_name: {_yaml(name)}",
            "    litellm_params:",
            f"      model: gemini/{PROVIDER_MODEL}",
            f"      api_base: {api_base}",
            f"      api_key: {KEY}",
        )
    )


def _yaml(text: str) -> str:
    """Return *text* as a YAML scalar in single quotes, which have no other escape than the doubled quote."""
    return "'" + text.replace("'", "''") + "'"
