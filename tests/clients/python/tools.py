"""The two tools, as an application writes them: most client packages make declarations of the functions.

A tool's result depends on its name and on each argument, so that a result after the wrong call is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def get_weather(city: str) -> str:
    """Tell the weather in a city."""
    return f"The weather in {city} is fine."


def get_time(city: str, hours_ahead: int) -> str:
    """Tell what time it will be in a city."""
    return f"{city}, {hours_ahead} hours ahead."


TOOLS: Mapping[str, Callable[..., str]] = {"get_weather": get_weather, "get_time": get_time}

DECLARATIONS: Any = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Tell the weather in a city.",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "get_time",
            "description": "Tell what time it will be in a city.",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "hours_ahead": {"type": "integer"}},
                "required": ["city", "hours_ahead"],
                "additionalProperties": False,
            },
        },
    },
]
"""The declarations for openai-python, which makes none itself. Its stream helper takes strict declarations only."""
