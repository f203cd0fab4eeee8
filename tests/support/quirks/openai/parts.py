"""Builders of chunks, calls, answers and rows on OpenAI's wire, as the servers in public reports write these."""

from __future__ import annotations

import json
from typing import Any

from tests.support.quirks.framing import DONE, PLAIN, Framing
from tests.support.quirks.meaning import OTHER, Meaning, Row

A = {"city": "A"}
B = {"city": "B"}
TEXT_A = '{"city":"A"}'
TEXT_B = '{"city":"B"}'

ABSENT: Any = object()
"""Marks a field that is left out. None stands for null."""


def present(**fields: Any) -> dict[str, Any]:
    """Return the fields whose value is not ABSENT."""
    return {name: value for name, value in fields.items() if value is not ABSENT}


def chunk(delta: Any = ABSENT, finish: Any = None, *, at: int = 0, **fields: Any) -> dict[str, Any]:
    """Return a chunk with one choice. Keyword arguments become fields of the chunk, and ABSENT removes a field."""
    choice = present(index=at, delta=delta, finish_reason=finish)
    head = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_760_000_000,
        "model": "some-model",
    }
    return present(**{**head, "choices": [choice], **fields})


def say(text: str, **fields: Any) -> dict[str, Any]:
    """Return a chunk with text."""
    return chunk({"content": text}, **fields)


def piece(
    index: Any = ABSENT, id: Any = ABSENT, name: Any = ABSENT, arguments: Any = ABSENT, **extra: Any
) -> Any:
    """Return a piece of a streamed call."""
    function = present(name=name, arguments=arguments)
    kind = "function" if name is not ABSENT else ABSENT
    return present(index=index, id=id, type=kind, function=function or ABSENT, **extra)


def calling(*pieces: Any, finish: Any = None, **delta: Any) -> dict[str, Any]:
    """Return a chunk with *pieces* of calls."""
    return chunk({**delta, "tool_calls": list(pieces)}, finish)


ROLE = chunk({"role": "assistant", "content": ""})
STOP = chunk({}, "stop")
CALLS = chunk({}, "tool_calls")


def call(id: Any = ABSENT, name: Any = "f", arguments: Any = ABSENT, **extra: Any) -> dict[str, Any]:
    """Return a call of a whole (not streamed) answer."""
    return present(id=id, type="function", function=present(name=name, arguments=arguments), **extra)


def whole(message: Any, finish: Any = "stop", **fields: Any) -> bytes:
    """Return the bytes of a whole (not streamed) answer."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_760_000_000, "model": "some-model"}
    return json.dumps(present(**{**head, "choices": [choice], **fields})).encode()


def whole_calls(*calls: Any, finish: Any = "tool_calls", content: Any = None, **fields: Any) -> bytes:
    """Return the bytes of a whole answer that makes *calls*."""
    return whole({"content": content, "tool_calls": list(calls)}, finish, **fields)


def row(
    name: str,
    events: list[Any],
    meaning: Meaning,
    *,
    source: str = "",
    whole: bytes | None = None,
    model: str = OTHER,
    framing: Framing = PLAIN,
    done: bool = True,
    taken: tuple[str, ...] = (),
) -> Row:
    """Return a row. The stream ends with `[DONE]` unless *done* is false."""
    body = framing.write([*events, *([DONE] if done else [])])
    return Row(name, model, body, meaning, whole, taken, source)


def calls(*found: tuple[str, Any], finish: str = "tool_calls", **more: Any) -> Meaning:
    """Return the meaning of an answer that makes the calls *found*."""
    return Meaning(calls=found, finish=finish, **more)


F_A = calls(("f", A))
TWO = calls(("f", A), ("f", B))
FAULT = Meaning(fault=True)

GOOD = Meaning(text="Good day.")
SAID = [ROLE, say("Good "), say("day.")]
CALL_A = calling(piece(0, "a", "f", TEXT_A))
IN_PIECES = [
    calling(piece(0, "a", "f", "")),
    calling(piece(0, arguments='{"ci')),
    calling(piece(0, arguments='ty":"A"}')),
]
