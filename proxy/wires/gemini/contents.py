"""A sanitized history as ``systemInstruction`` and ``contents``.

The shape satisfies every model and surface that was reported on: a user content first, the calls of a turn in one
model content, their results alone in the next one, and the user's next words in one of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from proxy.errors import InvalidRequest
from proxy.signatures.carriers import own_signature
from proxy.wires.gemini.call_ids import wire_ids
from proxy.wires.gemini.media import inline_data
from proxy.wires.gemini.results import Call, response_contents
from sanitizers import Message, Messages, Profile
from sanitizers.messages import SYSTEM_ROLES, function_of, parse_arguments, tool_calls_of

Part = dict[str, Any]
Content = dict[str, Any]

_SIDES = {"assistant": "model", "tool": "results", "user": "user"}
_MEDIA = frozenset({"file", "image_url", "input_audio"})


def convert_history(messages: Messages, profile: Profile) -> tuple[list[Part], list[Content]]:
    """Return the parts of the system instruction, one a text, and the contents.

    ``profile.call_ids`` is what Gemini 3 and later have and the others lack: ids on calls and responses, and media
    nested in responses. Signatures are in their one place by now (:mod:`proxy.signatures`). Raises
    :class:`InvalidRequest`, with the place in *messages*, for what a sanitized history does not hold.
    """
    system: list[Part] = []
    turns: list[tuple[int, Message]] = []
    for index, message in enumerate(messages):
        if message["role"] in SYSTEM_ROLES:
            system += _parts(message, index, media=False)
        else:
            turns.append((index, message))
    contents: list[Content] = []
    calls: list[Call] = []
    for side, group in groupby(turns, key=_side):
        run = list(group)
        if side == "results":
            contents += response_contents(run, calls, nested_media=profile.call_ids)
            calls = []
        elif side == "model":
            parts, calls = _model_parts(run, profile)
            _append(contents, "model", parts)
        else:
            calls = []
            _append(contents, "user", [part for index, message in run for part in _parts(message, index)])
    return system, contents


def _side(turn: tuple[int, Message]) -> str:
    index, message = turn
    side = _SIDES.get(message["role"])
    if side is None or message.get("function_call"):
        what = f"role '{message['role']}'" if side is None else "'function_call'"
        raise InvalidRequest(f"{what} has no place on this wire.", param=f"messages[{index}]")
    return side


def _append(contents: list[Content], role: str, parts: list[Part]) -> None:
    """Add a content; to a user content that holds no responses more of the user's words are added instead."""
    if not parts:
        return
    last = contents[-1] if contents else None
    if last and last["role"] == role and not any("functionResponse" in part for part in last["parts"]):
        contents[-1] = {"role": role, "parts": [*last["parts"], *parts]}
    else:
        contents.append({"role": role, "parts": parts})


def _parts(message: Message, index: int, *, media: bool = True) -> list[Part]:
    """Return the texts, and with *media* the media, of one message."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"text": content}] if content else []
    parts: list[Part] = []
    for at, part in enumerate(content or ()):
        kind = part["type"]
        if kind == "text":
            if part.get("text"):
                parts.append({"text": part["text"]})
        elif media and kind in _MEDIA:
            parts.append(inline_data(part, f"messages[{index}].content[{at}]"))
        else:
            place = f"messages[{index}].content[{at}].type"
            raise InvalidRequest(
                f"'{place}': a part of type '{kind}' cannot be sent in a {message['role']} message.",
                param=place,
            )
    return parts


def _model_parts(run: Sequence[tuple[int, Message]], profile: Profile) -> tuple[list[Part], list[Call]]:
    """Return the parts of one model content and its calls."""
    raw = [call for _, message in run for call in tool_calls_of(message)]
    ids = wire_ids(raw) if profile.call_ids else [None] * len(raw)
    parts: list[Part] = []
    calls: list[Call] = []
    for index, message in run:
        texts = _parts(message, index, media=False)
        signature = own_signature(message)
        if signature is not None and texts:
            texts[-1] = {**texts[-1], "thoughtSignature": signature}
        parts += texts
        for at, call in enumerate(tool_calls_of(message)):
            name, args = _function(call, f"messages[{index}].tool_calls[{at}].function")
            wire_id = ids[len(calls)]
            part: Part = {
                "functionCall": {**({"id": wire_id} if wire_id else {}), "name": name, "args": args}
            }
            signature = own_signature(call)
            if signature is not None:
                part["thoughtSignature"] = signature
            parts.append(part)
            calls.append(Call(call.get("id") or "", name, wire_id))
    return parts, calls


def _function(call: dict[str, Any], place: str) -> tuple[str, dict[str, Any]]:
    function = function_of(call)
    name = function.get("name")
    if not name:
        raise InvalidRequest(f"'{place}.name' is required.", param=f"{place}.name")
    arguments = function.get("arguments")
    args = parse_arguments(arguments) if isinstance(arguments, str) else None
    if args is None:
        place = f"{place}.arguments"
        raise InvalidRequest(f"'{place}' must be a JSON object, written as a string.", param=place)
    return name, args
