"""Read the contents that nearly all agents send: one text, texts with calls that have ids, and their responses.

They need no places for errors, no derived ids and no reports. Any other content is left to
:mod:`sanitizers.native.gemini.content_reader`, which reads these ones in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from sanitizers.messages import Message
from sanitizers.native.gemini.envelope import is_own
from sanitizers.work_limit import metered

SAID_ALONE = frozenset({"content", "output", "result"})
"""Keys of a response whose text becomes the result, if the response has no other key.

``error`` is not among them, since a text alone would hide the error.
"""


class UsualTurn(NamedTuple):
    """The *message* of one turn of the model's, with its *calls* and their *names* by their ids."""

    message: Message
    calls: list[Message]
    names: dict[str | None, str]


def read_usual_turn(parts: list[Any]) -> UsualTurn | None:
    """Return the chat message of the model's *parts*: texts, and calls behind them. None stands for any other parts.

    The parts of the calls are the last ones.
    """
    texts: list[str] = []
    calls: list[Message] = []
    names: dict[str | None, str] = {}
    for part in metered(parts):
        if part.__class__ is not dict:
            return None
        signature: Any = None
        if len(part) == 2:
            signature = part.get("thoughtSignature")
            if signature.__class__ is not str or len(signature) % 4 or not signature or is_own(signature):
                return None
            if "-" in signature or "_" in signature:  # another alphabet than the one that is sent on
                return None
        elif len(part) != 1:
            return None
        given = part.get("functionCall")
        if given is None:
            said = part.get("text")
            if said.__class__ is not str or not said or calls:
                return None
            texts.append(said)
            continue
        if given.__class__ is not dict or len(given) != 3:
            return None
        call_id, name, args = given.get("id"), given.get("name"), given.get("args")
        if call_id.__class__ is not str or name.__class__ is not str or args.__class__ is not dict:
            return None
        if not call_id or not name or call_id in names:
            return None
        try:
            arguments = orjson.dumps(args).decode()
        except TypeError:  # a number of thirty digits, or nested too deeply
            return None
        names[call_id] = name
        call: Message = {
            "id": call_id,
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        if signature is not None:
            call["extra_content"] = {"google": {"thought_signature": signature}}
        calls.append(call)
    text = "".join(texts) if texts else None
    if calls:
        return UsualTurn({"role": "assistant", "content": text, "tool_calls": calls}, calls, names)
    return None if text is None else UsualTurn({"role": "assistant", "content": text}, calls, names)


def read_usual_results(parts: list[Any], names: Mapping[str | None, str]) -> list[Message] | None:
    """Return the results in *parts*: one response to each of the calls with these *names*, by their ids.

    None stands for any other parts.
    """
    if len(parts) != len(names):
        return None
    results: dict[str, Message] = {}
    for part in metered(parts):
        given = part.get("functionResponse") if part.__class__ is dict and len(part) == 1 else None
        if given.__class__ is not dict or len(given) != 3:
            return None
        call_id, held = given.get("id"), given.get("response")
        if call_id.__class__ is not str or held.__class__ is not dict or call_id in results:
            return None
        name = given.get("name")
        if not name or names.get(call_id) != name:
            return None
        text = _said_alone(held)
        if text is None:
            try:
                text = orjson.dumps(held).decode()
            except TypeError:
                return None
        results[call_id] = {"role": "tool", "tool_call_id": call_id, "content": text}
    return [*results.values()]


def read_usual_text(parts: list[Any]) -> str | None:
    """Return the text of *parts* that are one text and nothing else, or None."""
    if len(parts) != 1 or parts[0].__class__ is not dict or len(parts[0]) != 1:
        return None
    text = parts[0].get("text")
    return text if text.__class__ is str and text else None


def _said_alone(response: dict[str, Any]) -> str | None:
    if len(response) == 1:
        [(key, text)] = response.items()
        if key in SAID_ALONE and isinstance(text, str):
            return text
    return None
