"""Tests that Gemini's emulator shares no code with the sanitizers, and does not need litellm."""

from __future__ import annotations

from collections.abc import Callable

PROGRAM = """
import sys, proxy.emulator
print(sorted({name.split(".")[0] for name in sys.modules} & {"sanitizers", "litellm", "openai", "pydantic"}))
print(sorted(name for name in sys.modules if name.startswith("proxy.") and not name.startswith("proxy.emulator")))
"""


def test_emulator_stands_alone(fresh_python: Callable[..., str]) -> None:
    """Importing the emulator imports neither the sanitizers nor litellm, nor the rest of the proxy."""
    assert fresh_python(PROGRAM).splitlines() == ["[]", "[]"]
