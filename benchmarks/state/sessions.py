"""A client that works through signed tool calls, one after another, and keeps only OpenAI's fields of each answer.

Each call has an argument that no other call has: its mark. The emulator's signature covers the arguments, so a
signature of another call is never accepted by mistake.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp

HANG_S = 30.0
"""Seconds after which a request counts as failed."""

MODEL = "m"
"""The model's name in the replicas' configuration."""

TOOL = "step"
_PATH = "/v1/chat/completions"
_numbers = itertools.count(1)


class Failed(Exception):
    """A request without a right and complete answer. The text names the reason."""


@dataclass
class Session:
    """One conversation: the messages so far, and the number of calls that the model has made."""

    stream: bool
    key: str = ""
    """The client's key, or "" where the replicas ask for no key."""

    text: str = "Work through the steps."
    number: int = field(default_factory=lambda: next(_numbers))
    turns: int = 0
    messages: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.messages.append({"role": "user", "content": self.text})

    @property
    def mark(self) -> str:
        """The argument of the next call."""
        return f"s{self.number}t{self.turns}"

    def body(self) -> dict[str, Any]:
        """Return the next request, which asks for a call with the argument :attr:`mark`."""
        schema = {
            "type": "object",
            "properties": {"mark": {"type": "string", "enum": [self.mark]}},
            "required": ["mark"],
        }
        function = {"name": TOOL, "description": "Take the next step.", "parameters": schema}
        return {
            "model": MODEL,
            "messages": self.messages,
            "tools": [{"type": "function", "function": function}],
            "tool_choice": {"type": "function", "function": {"name": TOOL}},
            "stream": self.stream,
        }

    @property
    def headers(self) -> dict[str, str]:
        """The headers of a request."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    async def take_turn(self, http: aiohttp.ClientSession, origin: str) -> None:
        """Send the next request to the replica at *origin*, and add the call and its result to the history.

        Raises :class:`Failed` unless the answer is right and complete. A stream is complete with its last event.
        """
        try:
            async with (
                asyncio.timeout(HANG_S),
                http.post(f"{origin}{_PATH}", json=self.body(), headers=self.headers) as response,
            ):
                if response.status != 200:
                    raise Failed(f"{response.status}: {(await response.text())[:300]}")
                if self.stream:
                    call = joined([event async for event in events(response.content)])
                else:
                    call = _only_call((await response.json())["choices"][0])
        except TimeoutError:
            raise Failed("hangs") from None
        except aiohttp.ClientError as error:
            raise Failed(f"the connection broke: {error!r}") from None
        except (AssertionError, KeyError, IndexError, TypeError, ValueError) as error:
            raise Failed(f"unreadable: {error!r}") from error
        self.add(call)

    def add(self, call: Mapping[str, Any]) -> None:
        """Add *call* and its result. Raises :class:`Failed` for a call that was not asked for."""
        function = call["function"]
        if function["name"] != TOOL or json.loads(function["arguments"]) != {"mark": self.mark}:
            raise Failed(f"another call than {self.mark}: {call}")
        kept = {name: call[name] for name in ("id", "type", "function")}
        self.messages += [
            {"role": "assistant", "content": None, "tool_calls": [kept]},
            {"role": "tool", "tool_call_id": call["id"], "content": "done"},
        ]
        self.turns += 1


async def events(content: aiohttp.StreamReader) -> Any:
    """Yield the chunks of a stream, decoded. Returns at the last event, without waiting for the connection's end.

    Raises :class:`Failed` for a stream that ends with an error or without ``[DONE]``.
    """
    async for line in content:
        if not line.startswith(b"data: "):
            continue
        if line == b"data: [DONE]\n":
            return
        chunk = json.loads(line.removeprefix(b"data: "))
        if "error" in chunk:
            raise Failed(f"stream: {chunk['error']}")
        yield chunk
    raise Failed("the stream ended too early")


def joined(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the call whose pieces are in *chunks*. Raises :class:`Failed` unless the stream finished with one call."""
    call: dict[str, Any] = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
    finish = None
    for chunk in chunks:
        for choice in chunk["choices"]:
            finish = choice["finish_reason"] or finish
            for piece in choice["delta"].get("tool_calls") or ():
                if piece["index"]:
                    raise Failed("two calls")
                function = piece.get("function") or {}
                call["id"] += piece.get("id") or ""
                call["function"]["name"] += function.get("name") or ""
                call["function"]["arguments"] += function.get("arguments") or ""
    if finish != "tool_calls":
        raise Failed(f"ended with {finish!r}")
    return call


def _only_call(choice: Mapping[str, Any]) -> dict[str, Any]:
    if choice["finish_reason"] != "tool_calls":
        raise Failed(f"ended with {choice['finish_reason']!r}")
    (call,) = choice["message"]["tool_calls"]
    return dict(call)
