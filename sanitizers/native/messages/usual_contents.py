"""Read the contents that nearly all messages of agents have: texts, calls and results that hold nothing else.

They need no places for errors, no open turn, and no reports. Any other content is left to
:mod:`sanitizers.native.messages.message_reader`, which reads these ones in the same way.
"""

from __future__ import annotations

from typing import Any

import orjson

from sanitizers.messages import Message
from sanitizers.native.messages.envelope import is_own
from sanitizers.native.messages.read_parts import text_alone
from sanitizers.work_limit import metered


def read_usual_user(content: Any) -> list[Message] | None:
    """Return the chat messages of a user's *content*: of a text, or of results and at most one text behind them.

    None stands for any other content.
    """
    if content.__class__ is str:
        return [{"role": "user", "content": content}]
    if content.__class__ is not list or not content:
        return None
    made: list[Message] = []
    text: Any = None
    for block in metered(content):
        if block.__class__ is not dict or text is not None:
            return None
        kind, fields = block.get("type"), len(block)
        if kind == "tool_result":
            call_id, said = block.get("tool_use_id"), block.get("content")
            if said.__class__ is list and len(said) == 1:
                said = text_alone(said[0])
            if call_id.__class__ is not str or not call_id or said.__class__ is not str:
                return None
            result: Message = {"role": "tool", "tool_call_id": call_id, "content": said}
            if fields == 4 and (is_error := block.get("is_error")).__class__ is bool:
                if is_error:
                    result["is_error"] = True
            elif fields != 3:
                return None
            made.append(result)
        elif kind == "text" and fields == 2:
            text = block.get("text")
            if text.__class__ is not str:
                return None
            made.append({"role": "user", "content": text})
        else:
            return None
    return made


def read_usual_turn(content: Any) -> Message | None:
    """Return the chat message of the model's *content*: signed thinking, then at most one text, then calls.

    None stands for any other content, and for thinking alone.
    """
    if content.__class__ is str:
        return {"role": "assistant", "content": content} if content else None
    if content.__class__ is not list or not content:
        return None
    thoughts: list[Message] = []
    text: Any = None
    calls: list[Message] = []
    for block in metered(content):
        if block.__class__ is not dict:
            return None
        kind, fields = block.get("type"), len(block)
        if kind == "tool_use" and fields == 4:
            call_id, name, given = block.get("id"), block.get("name"), block.get("input")
            if call_id.__class__ is not str or name.__class__ is not str or given.__class__ is not dict:
                return None
            try:
                arguments = orjson.dumps(given).decode()
            except (TypeError, UnicodeEncodeError):
                return None
            function = {"name": name, "arguments": arguments}
            calls.append({"id": call_id, "type": "function", "function": function})
        elif calls or text is not None:
            return None
        elif kind == "text" and fields == 2:
            text = block.get("text")
            if text.__class__ is not str or not text:
                return None
        elif kind == "thinking" and fields == 3:
            seal = block.get("signature")
            if not isinstance(seal, str) or not seal or is_own(seal):
                return None
            if block.get("thinking").__class__ is not str:
                return None
            thoughts.append(block)
        else:
            return None
    if text is None and not calls:
        return None
    message: Message = {"role": "assistant", "content": text}
    if thoughts:
        message["thinking_blocks"] = thoughts
    if calls:
        message["tool_calls"] = calls
    return message
