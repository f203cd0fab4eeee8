"""Random requests with hostile texts, and other requests to the same deployment."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.sanitize import History
from sanitizers import Profile, Unrepairable, sanitize
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import MISTRAL
from tests.support.builders import assistant, call, system, text, tool, user

PROFILES: Sequence[Profile] = (
    OPENAI,
    OPENAI,
    replace(OPENAI, max_call_id_length=None),
    MISTRAL,
    GEMINI_2,
    GEMINI_3,
)

_SCALARS: dict[str, Sequence[Any]] = {
    "frequency_penalty": (0.1, 0.5),
    "logprobs": (True, False),
    "max_completion_tokens": (64, 512),
    "max_tokens": (64, 512),
    "n": (1, 2),
    "parallel_tool_calls": (True, False),
    "presence_penalty": (0.1, 0.5),
    "reasoning_effort": ("low", "high"),
    "seed": (1, 7),
    "service_tier": ("auto", "flex"),
    "temperature": (0.2, 1.0),
    "tool_choice": ("auto", "required"),
    "top_logprobs": (2, 5),
    "top_p": (0.5, 1),
    "verbosity": ("low", "high"),
}
NAMES = tuple(_SCALARS)
"""The names of the parameters that a request may have, besides tools and the form of the answer."""

FIELDS = ("index", "cache_control", "note")
"""Fields that a client may leave on its calls."""

_SCHEMAS: Sequence[dict[str, Any]] = (
    {"$schema": "x", "type": "object", "properties": {"a": {"type": ["string", "null"]}}},
    {"type": "object", "properties": {"a": {"type": "integer", "enum": [1, 2], "minimum": 0}}},
    {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}},
    {"type": "object", "properties": {"seed": {"type": "array", "maxItems": 3}}, "required": ["seed"]},
    {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {"const": "temperature"}}}},
    },
)

_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)
"""A text that may be the name of a tool."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it was sent."""

    messages: History
    parameters: dict[str, Any]
    profile: Profile


def user_texts_of(messages: Sequence[Any]) -> list[str]:
    """Return the contents of the user's messages, each as JSON."""
    return [
        json.dumps(message["content"], ensure_ascii=False)
        for message in messages
        if message["role"] == "user"
    ]


class RandomRequests:
    """Draws requests. Two requests of one object may have texts, schemas and parameters in common, or none."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._number = 0

    def refused(self, hostile: Sequence[str]) -> Request:
        """Return a request that holds each of *hostile* at some place."""
        return self._request(list(hostile), self._draw.choice(PROFILES))

    def others(self, refused: Request) -> list[Request]:
        """Return further requests to the deployment that *refused* one.

        The same again; other texts; other schemas; other values of the same parameters; and one where all is new.
        """
        fresh = self._request([], refused.profile)
        return [
            refused,
            replace(refused, messages=fresh.messages),
            replace(refused, parameters={**refused.parameters, **self._schemas()}),
            replace(
                refused,
                parameters={name: self._other(name, value) for name, value in refused.parameters.items()},
            ),
            fresh,
            self._request([], refused.profile),
        ]

    def _request(self, hostile: list[str], profile: Profile) -> Request:
        parameters = self._parameters()
        messages = self._messages(hostile)
        self._place_in_parameters(parameters, hostile)
        messages = [*messages, *map(user, hostile)]
        if profile is not OPENAI:
            try:
                messages = list(sanitize(messages, profile).messages)
            except Unrepairable:
                profile = OPENAI
        return Request(messages, parameters, profile)

    def _messages(self, hostile: list[str]) -> History:
        """Return a history with many of the table's faults, and with some of *hostile*, which are removed there."""
        draw, history = self._draw, []
        if draw.random() < 0.7:
            history += [system(self._text(hostile))] * draw.choice((1, 1, 2))
        for number in range(draw.randint(1, 3)):
            history.append(user(self._content(hostile)))
            if draw.random() < 0.3:
                history.append(user(self._text(hostile)))
            if draw.random() < 0.6:
                history += self._exchange(number, hostile)
            if draw.random() < 0.6:
                history.append(assistant(self._text(hostile)))
        return history

    def _exchange(self, number: int, hostile: list[str]) -> History:
        draw = self._draw
        calls = []
        for at in range(draw.choice((1, 1, 2))):
            more = {name: at for name in FIELDS if draw.random() < 0.3}
            given = draw.choice(("c", "call_" + "x" * 60 + "_", "functions.f:"))
            calls.append(call(f"{given}{number}{at}", "f", json.dumps({"a": self._text(hostile)}), **more))
        if draw.random() < 0.2:
            del calls[0]["type"]
        words = self._text(hostile) if draw.random() < 0.5 else None
        return [assistant(words, calls), *(tool(one["id"], self._text(hostile)) for one in calls)]

    def _parameters(self) -> dict[str, Any]:
        draw = self._draw
        chosen = {name: draw.choice(values) for name, values in _SCALARS.items() if draw.random() < 0.35}
        return {**chosen, **(self._schemas() if draw.random() < 0.7 else {})}

    def _schemas(self) -> dict[str, Any]:
        """Return tools, and the form of the answer, with schemas that no other request has."""
        schemas = []
        for one in self._draw.sample(_SCHEMAS, 2):
            self._number += 1
            schemas.append(
                {**one, "properties": {**one["properties"], f"p{self._number}": {"type": "string"}}}
            )
        found: dict[str, Any] = {}
        if self._draw.random() < 0.8:
            found["tools"] = [{"type": "function", "function": {"name": "f", "parameters": schemas[0]}}]
        if self._draw.random() < 0.6:
            wrapper = {"name": "n", "schema": schemas[1]}
            found["response_format"] = {"type": "json_schema", "json_schema": wrapper}
        return found

    def _other(self, name: str, value: Any) -> Any:
        return next((other for other in _SCALARS.get(name, ()) if other != value), value)

    def _place_in_parameters(self, parameters: dict[str, Any], hostile: list[str]) -> None:
        if hostile and self._draw.random() < 0.3:
            parameters[self._draw.choice(("user", "stop", "safety_identifier"))] = hostile.pop()
        if hostile and self._draw.random() < 0.2:
            parameters["metadata"] = {self._draw.choice(("code", "note")): hostile.pop()}
        tools = parameters.get("tools")
        if hostile and tools and _NAME.fullmatch(hostile[-1]):
            tools[0]["function"]["name"] = hostile.pop()
        if hostile and tools and self._draw.random() < 0.5:
            tools[0]["function"]["description"] = hostile.pop()
        if hostile and tools and self._draw.random() < 0.2:
            properties = tools[0]["function"]["parameters"]["properties"]
            properties["h"] = {"type": "string", "enum": ["x", hostile.pop()]}

    def _content(self, hostile: list[str]) -> Any:
        if self._draw.random() < 0.3:
            return [text(self._text(hostile)), text(self._text(hostile))]
        return self._text(hostile)

    def _text(self, hostile: list[str]) -> str:
        """Return a text of its own number, around one of *hostile* where there is one left."""
        self._number += 1
        words = f"text {self._number}"
        if not hostile or self._draw.random() < 0.4:
            return words
        return f"{words} {hostile.pop()}" if self._draw.random() < 0.7 else hostile.pop()
