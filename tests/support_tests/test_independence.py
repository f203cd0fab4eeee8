"""Tests that the emulators and their judges share no code with the proxy, the sanitizers or provider packages."""

from __future__ import annotations

from collections.abc import Callable

EMULATORS = ("anthropic", "bedrock", "chat", "cohere", "compatible", "ollama", "openai", "responses")

PROGRAM = f"""
import importlib, sys
for name in {EMULATORS!r}:
    importlib.import_module(f"tests.support.{{name}}_emulator")
loaded = {{name.split(".")[0] for name in sys.modules}}
print(sorted(loaded & {{"sanitizers", "proxy", "litellm", "openai", "pydantic"}}))
"""


def test_emulators_stand_alone(fresh_python: Callable[..., str]) -> None:
    """Importing the emulators imports neither the sanitizers nor the proxy, nor any provider's package."""
    assert fresh_python(PROGRAM) == "[]\n"
