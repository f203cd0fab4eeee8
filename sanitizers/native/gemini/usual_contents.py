"""Read the contents that nearly all agents send: one text, texts with calls that have ids, and their responses.

They need no places for errors, no derived ids and no reports. Any other content is left to
:mod:`sanitizers.native.gemini.content_reader`, which reads these ones in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from sanitizers.messages import Message
from sanitizers.native.gemini.envelope import is_own
from sanitizers.work_limit import metered

SAID_ALONE = frozenset({"content", "output", "result"})
"""Keys of a response whose text becomes the result, if the response has no other key.

``error`` is not among them, since a text alone would hide the error.
"""


def read_usual_turn(parts: list[Any]) -> Message | None:
    """Return the chat message of the model's *parts*: texts, and calls behind them. None stands for any other parts.

    The parts of the calls are the last ones.
    """
    texts: list[str] = []
    calls: list[Message] = []
    ids = set()
    for part in metered(parts):
        if part.__class__ is not dict or not part:
            return None
        signature = None
        if len(part) == 2:
            signature = part.get("thoughtSignature")
            if signature.__class__ is not str or not _is_plain(signature):
                return None
        elif len(part) != 1:
            return None
        given = part.get("functionCall")
        if given is None:
            text = part.get("text")
            if text.__class__ is not str or not text or calls:
                return None
            texts.append(text)
            continue
        if given.__class__ is not dict or len(given) != 3:
            return None
        call_id, name, args = given.get("id"), given.get("name"), given.get("args")
        if call_id.__class__ is not str or name.__class__ is not str or args.__class__ is not dict:
            return None
        if not call_id or not name or call_id in ids:
            return None
        try:
            arguments = orjson.dumps(args).decode()
        except TypeError:  # a number of thirty digits, or nested too deeply
            return None
        ids.add(call_id)
        call: Message = {
            "id": call_id,
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        if signature is not None:
            call["extra_content"] = {"google": {"thought_signature": signature}}
        calls.append(call)
    if not calls:
        return {"role": "assistant", "content": "".join(texts)} if texts else None
    return {"role": "assistant", "content": "".join(texts) if texts else None, "tool_calls": calls}


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


def _is_plain(signature: str) -> bool:
    """Tell whether *signature* is the provider's own, in base64 as it is sent on."""
    return (
        bool(signature)
        and len(signature) % 4 == 0
        and not is_own(signature)
        and not ("-" in signature or "_" in signature)
    )
