"""Numbers of chat messages, as the places that a client of Gemini's API knows.

One entry of ``contents`` may have become several chat messages: one for each function response, and one for the other
parts. The system instruction has become those before (:mod:`proxy.ingress.client_places`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from typing_extensions import override

from proxy.ingress.client_places import NO_ENTRY, ClientPlaces, find_span
from sanitizers.native import Items, Span
from sanitizers.record import record

_MESSAGE = re.compile(
    r"\bmessages\[([0-9]{1,9})\](?:\.content\[([0-9]{1,9})\])?(?:\.[a-z_]+(?:\[[0-9]{1,9}\])?){0,4}"
)
_NAME = re.compile(r"[a-z_]+")
_CHAT_TOOL = re.compile(r"tools\[[0-9]{1,9}\]\.(?:custom|function|type)\b")
_NATIVE = frozenset({"content_repair", "item_repair", "items"})
"""The steps whose changes have the indexes of the client's own entries."""

_SYSTEM = "systemInstruction"
_CONFIG = "generationConfig"
_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "frequency_penalty": f"{_CONFIG}.frequencyPenalty",
        "logprobs": f"{_CONFIG}.responseLogprobs",
        "max_completion_tokens": f"{_CONFIG}.maxOutputTokens",
        "max_tokens": f"{_CONFIG}.maxOutputTokens",
        "messages": "contents",
        "n": f"{_CONFIG}.candidateCount",
        "presence_penalty": f"{_CONFIG}.presencePenalty",
        "reasoning_effort": f"{_CONFIG}.thinkingConfig",
        "response_format": f"{_CONFIG}.responseJsonSchema",
        "seed": f"{_CONFIG}.seed",
        "stop": f"{_CONFIG}.stopSequences",
        "temperature": f"{_CONFIG}.temperature",
        "tool_choice": "toolConfig.functionCallingConfig",
        "top_k": f"{_CONFIG}.topK",
        "top_logprobs": f"{_CONFIG}.logprobs",
        "top_p": f"{_CONFIG}.topP",
    }
)
"""Gemini's name of a chat parameter."""

_OF_ONE_PART = frozenset({"fileData", "file_data", "inlineData", "inline_data", "text"})
"""The fields of parts that become one part of a chat message each."""


@record
class ContentPlaces(ClientPlaces):
    """Finds the client's content of each chat message of one request, by the *spans* of the projection.

    *items* are the client's contents. With them, a part of a user message has the place of its own part.
    """

    spans: Sequence[Span] = ()
    items: Items = ()

    @override
    def of_message(self, message: int) -> int:
        span = find_span(self.spans, message)
        return NO_ENTRY if span is None else span.items.start

    def place_of(self, message: int, part: int | None = None) -> str:
        """Return the place of a chat message: ``contents[3]``, or ``systemInstruction`` for one without.

        The place of a *part* of it is ``contents[3].parts[1]``, as far as it is known. Without any spans, all places
        are ``contents``.
        """
        if not self.spans:
            return "contents"
        span = find_span(self.spans, message)
        if span is None:
            return _SYSTEM
        index = span.items.start
        content = self.items[index] if index < len(self.items) else None
        found = _find_part(content, message - span.messages.start, part)
        return f"contents[{index}]" if found is None else f"contents[{index}].parts[{found}]"

    @override
    def rename(self, text: str) -> str:
        return _MESSAGE.sub(_place_by(self), text)

    @override
    def rename_param(self, param: str) -> str:
        """Return Gemini's path for the chat field *param*. A path of Gemini's own stays as it is."""
        if param.startswith("messages["):
            return self.rename(param)
        if _CHAT_TOOL.match(param):
            return "tools"
        name = _NAME.match(param)
        return param if name is None or name[0] != param else _NAMES.get(param, param)

    @override
    def of_entry(self, step: str, index: int) -> int | None:
        return index if step in _NATIVE else None


def _find_part(content: Any, message: int, part: int | None) -> int | None:
    """Return the index of the part of *content* that a chat message, or its *part*, was read from.

    *message* counts the chat messages of the content. None where the part is not known for certain.
    """
    parts = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(parts, list):
        return None
    results = [at for at, one in enumerate(parts) if _has_any(one, ("functionResponse", "function_response"))]
    if message < len(results):
        return results[message]
    own = set(results)
    others = [at for at in range(len(parts)) if at not in own]
    if part is None or part >= len(others):
        return None
    known = all(_has_any(parts[at], _OF_ONE_PART) for at in others[: part + 1])
    return others[part] if known else None


def _has_any(part: Any, names: Sequence[str] | frozenset[str]) -> bool:
    return isinstance(part, dict) and not part.keys().isdisjoint(names) and part.get("thought") is not True


def _place_by(places: ContentPlaces) -> Callable[[re.Match[str]], str]:
    def place(found: re.Match[str]) -> str:
        return places.place_of(int(found[1]), None if found[2] is None else int(found[2]))

    return place
