"""A history of the probe as plain data, and builders of its messages.

The ids have nine letters and digits, which is the strictest form of a call id that a profile knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sanitizers import Message

Need = Literal["text", "tools", "media"]
"""The ability that a history needs of a model. The probe first sends a plain history that needs the same ability."""

FIRST, SECOND = "call00001", "call00002"
"""Two call ids for the histories."""

PNG = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKklEQVR42mO4oKBAU8QwasGoBaMWjFowasGoBaMWjFowasGoBaMWDBULAE7YQD2B7wk2AAAAAElFTkSuQmCC"
)
"""A red square of 32 pixels."""

BMP = (
    "data:image/bmp;base64,"
    "Qk1GAAAAAAAAADYAAAAoAAAAAgAAAAIAAAABABgAAAAAABAAAAATCwAAEwsAAAAAAAAAAAAAICDQICDQAAAgINAgINAAAA=="
)
"""A red square of 2 pixels, as a bitmap."""

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Returns the weather of a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "The name of the city."}},
                "required": ["city"],
            },
        },
    },
)
"""The only tool, which all calls in the histories call."""


@dataclass(frozen=True, slots=True)
class ProbeHistory:
    """A history that breaks *rule* under the profiles that have the rule, and no other rule.

    *rule* is a key of :data:`sanitizers.invariants.RULES`, or empty for a history that every profile accepts. A *spare*
    history is used only if no other history of its rule fits the profile.
    """

    id: str
    rule: str
    messages: tuple[Message, ...]
    needs: Need = "text"
    spare: bool = False

    @property
    def tools(self) -> tuple[dict[str, Any], ...]:
        """The tools of the request."""
        return TOOLS if self.needs == "tools" else ()

    def as_dict(self) -> dict[str, Any]:
        """Return the history as JSON-ready values."""
        return {
            "id": self.id,
            "rule": self.rule,
            "messages": list(self.messages),
            "tools": list(self.tools),
        }


def user(content: Any = "Is it sunny in Paris? Answer with one word.", **extra: Any) -> Message:
    """Return a message of the user."""
    return {"role": "user", "content": content, **extra}


def assistant(content: Any = "Yes.", **extra: Any) -> Message:
    """Return a message of the model, without calls."""
    return {"role": "assistant", "content": content, **extra}


def system(content: str = "Answer briefly.", **extra: Any) -> Message:
    """Return a system message."""
    return {"role": "system", "content": content, **extra}


def function_call(call_id: str = FIRST, city: str = "Paris", **function: Any) -> dict[str, Any]:
    """Return a call of the tool.

    *function* replaces fields of the call's ``function`` object, and None removes a field.
    """
    fields = {"name": "get_weather", "arguments": f'{{"city": "{city}"}}', **function}
    kept = {name: value for name, value in fields.items() if value is not None}
    return {"id": call_id, "type": "function", "function": kept}


def calling(*calls: dict[str, Any], content: Any = None) -> Message:
    """Return a message of the model with *calls*, by default one call."""
    return {"role": "assistant", "content": content, "tool_calls": list(calls or [function_call()])}


def result(call_id: str = FIRST, content: Any = "sunny", **extra: Any) -> Message:
    """Return the result message for the call *call_id*, with *extra* as further fields."""
    return {"role": "tool", "tool_call_id": call_id, "content": content, **extra}


def image(url: str = PNG) -> dict[str, Any]:
    """Return an image as a content part."""
    return {"type": "image_url", "image_url": {"url": url}}


def text(value: str = "What is the colour? Answer with one word.", **extra: Any) -> dict[str, Any]:
    """Return a text as a content part."""
    return {"type": "text", "text": value, **extra}


def histories(
    rule: str, needs: Need, *given: Sequence[Message], spare: bool = False
) -> tuple[ProbeHistory, ...]:
    """Return the histories of one rule.

    The first has the rule as its id, and the others the rule with a number from 2 on.
    """
    return tuple(
        ProbeHistory(rule if number == 1 else f"{rule}-{number}", rule, tuple(messages), needs, spare)
        for number, messages in enumerate(given, 1)
    )
