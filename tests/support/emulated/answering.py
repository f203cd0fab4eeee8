"""Makes the emulated model's answer, which depends only on the request and on a sequence number.

The answer calls each declared tool that the user's newest message names, or only the tool that the request forces. Any
other request gets a text. The provider's `Wire` decides the format of the answer and its ids.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_FRAGMENT = 8  # characters of text or of arguments in one chunk


@dataclass(frozen=True, slots=True)
class Prompt:
    """The parts of an accepted request that decide its answer. *forced* is the tool that must be called."""

    newest: str
    after_result: bool
    from_user: bool
    tools: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    may_call: bool = True
    parallel: bool = True
    forced: str | None = None
    thinks: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """The content of one assistant message.

    *ends* is the word of the provider's format for an end that is not the usual one. *items* are a scripted answer in
    the provider's own format: the items of a response, or the blocks of a message.
    """

    text: str | None
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    reasoning: str | None = None
    ends: str | None = None
    items: tuple[Mapping[str, Any], ...] | None = None


def say(prompt: Prompt, sequence: int) -> Said:
    """Return the content of the answer to an accepted request."""
    reasoning = f"This is thought number {sequence}." if prompt.thinks else None
    calls = tuple((name, _arguments(schema)) for name, schema in _wanted(prompt))
    if calls:
        return Said(None, calls, reasoning)
    if prompt.after_result:
        return Said("I have read the tool results.", (), reasoning)
    count = len(prompt.newest)
    return Said(f"You wrote {count} characters. This is answer number {sequence}.", (), reasoning)


def token_counts(body: Any, said: Said) -> tuple[int, int]:
    """Return plausible token counts of request and answer, at four characters per token."""
    asked = 3 + len(json.dumps(body, ensure_ascii=False)) // 4
    return asked, 1 + len(json.dumps([said.text, said.calls], ensure_ascii=False)) // 4


def fragments(value: str) -> Iterator[str]:
    """Cut a text into the pieces of a stream."""
    for start in range(0, len(value), _FRAGMENT):
        yield value[start : start + _FRAGMENT]


def _wanted(prompt: Prompt) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    if not prompt.may_call:
        return ()
    if prompt.forced is not None:
        return tuple(tool for tool in prompt.tools if tool[0] == prompt.forced)
    if not prompt.from_user:
        return ()
    words = set(re.findall(r"[A-Za-z0-9_-]+", prompt.newest))
    named = tuple(tool for tool in prompt.tools if tool[0] in words)
    return named if prompt.parallel else named[:1]


def _arguments(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties") or {}
    return {name: sample_of(name, properties.get(name)) for name in schema.get("required") or properties}


def sample_of(name: str, schema: Any) -> Any:
    """Return a value for the property *name*. Its schema may allow several types, or everything."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    kind = kind[0] if isinstance(kind, list) and kind else kind
    samples: dict[str, Any] = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
    return samples.get(kind, f"some {name}") if isinstance(kind, str) else f"some {name}"
