"""Builds the request bodies of a coding agent, the same in every run, with marks that make each request unique.

Every message holds the placeholder :data:`MARK` once. The load generator replaces the mark with a number of the same
length, so that no cache of message contents hits. In a growing conversation, only the last mark gets a new number.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import orjson

from benchmarks.sanitize import History
from benchmarks.sessions import WORDS

MARK = "@number@"

Body = Mapping[str, Any]

_TOOLS = ("read_file", "write_file", "edit_file", "run_command", "search", "list_folder", "fetch", "plan")
_USER_EVERY = 7
"""The number of rounds of calls after which the history has a user message."""


def _text(draw: random.Random, characters: int) -> str:
    words: list[str] = []
    size = 0
    while size < characters:
        words.append(
            draw.choice(WORDS) if draw.random() > 0.08 else draw.choice(("\n    ", "(x, y)", "é漢 “q”"))
        )
        size += len(words[-1]) + 1
    return " ".join(words)[: max(characters, 0)]


def _tool(draw: random.Random, name: str) -> dict[str, Any]:
    limits = {
        "first": {"type": "integer", "minimum": 1},
        "most": {"type": "integer", "description": _text(draw, 60)},
    }
    properties = {
        "path": {"type": "string", "description": _text(draw, 80)},
        "mode": {"type": "string", "enum": ["text", "bytes"]},
        "limits": {"type": "object", "properties": limits},
    }
    schema = {"type": "object", "properties": properties, "required": ["path"]}
    described = {"name": name, "description": _text(draw, 400), "parameters": schema}
    return {"type": "function", "function": described}


def agent_history(messages: int, characters: int) -> History:
    """Return a legal history of *messages* messages and about *characters* characters, with parallel calls too."""
    draw = random.Random(messages)
    each = characters // messages
    history: History = [{"role": "system", "content": f"{MARK} {_text(draw, each)}"}]
    rounds = 0
    while len(history) < messages - 3:
        if rounds % _USER_EVERY == 0:
            history.append({"role": "user", "content": f"{MARK} {_text(draw, each // 2)}"})
        count = 2 if rounds % 3 == 1 else 1
        calls = []
        for place in range(count):
            arguments = {"path": f"src/{MARK if place == 0 else 'module'}.py", "text": _text(draw, each // 3)}
            function = {"name": draw.choice(_TOOLS), "arguments": json.dumps(arguments, ensure_ascii=False)}
            calls.append({"id": f"call_{rounds:06}{place}", "type": "function", "function": function})
        history.append({"role": "assistant", "content": None, "tool_calls": calls})
        history += [
            {"role": "tool", "tool_call_id": call["id"], "content": f"{MARK} {_text(draw, int(each * 1.4))}"}
            for call in calls
        ]
        rounds += 1
    while len(history) < messages:
        role = "user" if history[-1]["role"] != "user" else "assistant"
        history.append({"role": role, "content": f"{MARK} {_text(draw, each // 2)}"})
    return history


def damaged(history: History) -> History:
    """Return *history* with a defect at every fifth result: an orphan, a missing result, or two user turns."""
    out: History = []
    results = 0
    for message in history:
        results += message["role"] == "tool"
        if message["role"] != "tool" or results % 5 != 3:
            out.append(message)
            continue
        kind = results // 5 % 3
        if kind == 0:
            out += [
                message,
                {"role": "tool", "tool_call_id": f"gone_{results}", "content": f"{MARK} exit status 0"},
            ]
        elif kind == 2:
            out += [
                message,
                *({"role": "user", "content": f"{MARK} {text}"} for text in ("wait", "run the tests")),
            ]
    return out


def tools() -> list[dict[str, Any]]:
    """Return an agent's eight tools."""
    draw = random.Random(1)
    return [_tool(draw, name) for name in _TOOLS]


def request(history: History) -> Body:
    """Return the chat request of an agent with *history*."""
    return {"messages": history, "tools": tools(), "temperature": 0.2, "max_tokens": 1024}


def bodies() -> dict[str, Body]:
    """Return the bodies by the names of their sizes. The larger sizes have a damaged variant too."""
    small = {"role": "user", "content": f"{MARK} {_text(random.Random(0), 420)}"}
    agents = {"10k": agent_history(30, 37_000), "100k": agent_history(300, 345_000)}
    return {
        "small": {"messages": [small], "max_tokens": 256},
        **{size: request(history) for size, history in agents.items()},
        **{f"{size} damaged": request(damaged(history)) for size, history in agents.items()},
    }


def encode(body: Body, *, model: str, stream: bool = False) -> bytes:
    """Return the JSON of a request, which still holds its marks."""
    whole = {**body, "model": model}
    return orjson.dumps({**whole, "stream": True} if stream else whole)


def numbered(parts: list[bytes], number: int, *, growing: bool) -> bytes:
    """Return the body that was split at its marks, with *number* at each mark, or at the last alone if *growing*."""
    digits = b"%08x" % (number % 2**32)
    if growing:
        return b"00000000".join(parts[:-1]) + digits + parts[-1]
    return digits.join(parts)
